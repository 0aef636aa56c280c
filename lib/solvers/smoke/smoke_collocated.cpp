#include "solvers/smoke/smoke_collocated.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace rtsim {

namespace {

constexpr double longest_trace = 5;  // [cells] a step, as GridFlow has it

std::string component(int axis) { return std::string("velocity_") + "xyz"[axis]; }

}  // namespace

CollocatedFlow::CollocatedFlow(const GridFlowParams& p, World& world)
    : p_(p),
      ex_(world.exec),
      shape_(*world.object(p.grid.name).grid),
      domain_(make_domain(shape_, world.dim, p.boundary_conditions)),
      layout_(mac::Layout::of(domain_)),
      walls_(world, {}, shape_, domain_, false),
      divergence_(ex_, std::size_t(shape_.rows())),
      diffusion_(ex_),
      poisson_(ex_, shape_, p.pressure) {
  Table& cells = world.table(p.grid.name);
  cells.add<Real>({"pressure", world.dim == 2 ? "N/m" : "Pa"});
  if (world.dim == 2) {
    cells.add<Vec<2>>({"velocity", "m/s", Role::derived});
    cells.add<Real>({"vorticity", "1/s", Role::derived});
  } else {
    cells.add<Vec<3>>({"velocity", "m/s", Role::derived});
    cells.add<Vec<3>>({"vorticity", "1/s", Role::derived});
  }
  for (int a = 0; a < domain_.dims; ++a) {
    std::vector<Real> u(std::size_t(shape_.rows()));
    for (std::size_t c = 0; c < u.size(); ++c)
      u[c] = Real(start_velocity(p_, shape_, a, shape_.centre(Index(c))));
    cells.add<Real>({component(a), "m/s"}, u);
    faces_.emplace_back(ex_, std::size_t(domain_.rows(a)));
  }
  walls_.update(world);
  poisson_.prepare(walls_.pressure_domain());
}

mac::Velocity CollocatedFlow::velocity(World& w) const {
  mac::Velocity v;
  for (int a = 0; a < domain_.dims; ++a) v.u[a] = column(w, component(a));
  return v;
}

smoke::CentreVelocity CollocatedFlow::held() const {
  smoke::CentreVelocity v;
  for (std::size_t a = 0; a < velocity_.size(); ++a) v.u[a] = velocity_[a].data() + layout_.origin;
  return v;
}

mac::Velocity CollocatedFlow::faces() {
  mac::Velocity v;
  for (std::size_t a = 0; a < faces_.size(); ++a) v.u[a] = faces_[a].span();
  return v;
}

Real* CollocatedFlow::padded(std::vector<Buffer<Real>>& pool, std::size_t slot) {
  while (pool.size() <= slot) pool.emplace_back(ex_, std::size_t(layout_.size));
  return pool[slot].data() + layout_.origin;
}

void CollocatedFlow::hold_velocity(World& world) {
  const mac::Velocity v = velocity(world);
  for (int a = 0; a < domain_.dims; ++a) {
    Real* to = padded(velocity_, std::size_t(a)) - layout_.origin;
    mac::to_padded(ex_, domain_, mac::centres, v.u[a], to);
    mac::fill_centred_margin(ex_, domain_, a, to);
  }
}

const Real* CollocatedFlow::hold(World& world, std::size_t slot, const std::string& name,
                                 const mac::ScalarConditions& conditions) {
  Real* to = padded(fields_, slot);
  mac::to_padded(ex_, domain_, mac::centres, column(world, name), to - layout_.origin);
  mac::fill_scalar_margin(ex_, domain_, conditions, to - layout_.origin);
  return to;
}

void CollocatedFlow::advect_velocity(World& world, double dt) {
  diffusion_iterations_ = 0, diffusion_stalled_ = false;
  const advection::Flow flow = advection::make_flow(domain_, {}, p_.trace, dt);
  const mac::Velocity v = velocity(world);
  for (int a = 0; a < domain_.dims; ++a)
    smoke::trace_back(ex_, domain_, flow, held(), held().u[a], v.u[a]);
}

void CollocatedFlow::advect(World& world, const std::vector<Carried>& columns, double dt) {
  const advection::Flow flow = advection::make_flow(domain_, {}, p_.trace, dt);
  for (std::size_t k = 0; k < columns.size(); ++k)
    smoke::trace_back(ex_, domain_, flow, held(), padded(fields_, k),
                      column(world, columns[k].column));
}

void CollocatedFlow::lift(World& world, const smoke::Buoyancy& law, double dt, const Real* density,
                          const Real* temperature) {
  smoke::add_centre_buoyancy(ex_, domain_, law, Real(dt), density, temperature, velocity(world));
}

// Neumann for the vorticity at all ends of the domain.
void CollocatedFlow::fill_beside(Real* padded) {
  mac::Domain beside = domain_;
  for (auto& axis : beside.condition)
    for (mac::BoundaryCondition& s : axis)
      s = s == mac::BoundaryCondition::inflow ? mac::BoundaryCondition::open : s;
  mac::fill_scalar_margin(ex_, beside, {}, padded - layout_.origin);
}

void CollocatedFlow::confine(World& world, double strength, double dt) {
  if (strength == 0) return;
  smoke::find_centre_vorticity(ex_, domain_, held(), swirl());
  fill_beside(swirl().magnitude);
  smoke::confinement_force(ex_, domain_, Real(strength), swirl());
  smoke::add_centre_confinement(ex_, domain_, Real(dt), swirl(), velocity(world));
}

void CollocatedFlow::note(int iterations, const diffusion::Law& law) {
  diffusion_iterations_ = std::max(diffusion_iterations_, iterations);
  diffusion_stalled_ = diffusion_stalled_ || iterations >= law.max_iterations;
}

void CollocatedFlow::diffuse_velocity(World& world, double dt) {
  if (p_.kinematic_viscosity == 0) return;
  const diffusion::Law law = viscosity_law(p_, shape_, dt);
  for (int a = 0; a < domain_.dims; ++a)
    note(diffusion::centred(ex_, domain_, law, a, diffusion_, column(world, component(a))), law);
}

void CollocatedFlow::diffuse(World& world, const std::string& name,
                             const mac::ScalarConditions& conditions, double diffusivity,
                             double dt) {
  if (diffusivity == 0) return;
  diffusion::Law law;
  law.c = dt * diffusivity / (shape_.spacing * shape_.spacing);
  note(diffusion::scalar(ex_, domain_, walls_.faces(), {}, conditions, law, diffusion_,
                         column(world, name)),
       law);
}

void CollocatedFlow::project(World& world, double dt) {
  const double factor = dt / p_.rest_density;
  hold_velocity(world);
  smoke::face_means(ex_, domain_, held(), faces());
  mac::constrain(ex_, domain_, walls_.faces(), faces());
  mac::divergence(ex_, domain_, walls_.faces(), faces(), 1 / factor, divergence_.span());
  if (!std::isfinite(mac::greatest(ex_, divergence_.span()))) stop(world, dt);
  pressure_ = poisson_.solve(divergence_.span(), column(world, "pressure"));
  for (Buffer<Real>& f : faces_) f.zero();
  const mac::Velocity push = faces();
  poisson_.subtract_gradient(factor, push.u[0], push.u[1], push.u[2]);
  smoke::add_face_means(ex_, domain_, push, velocity(world));
}

void CollocatedFlow::finish(World& world, double dt) {
  Table& cells = world.table(p_.grid.name);
  const mac::Velocity v = velocity(world);
  hold_velocity(world);
  smoke::find_centre_vorticity(ex_, domain_, held(), swirl());
  if (domain_.dims == 2) {
    smoke::join<2>(ex_, v, cells.column<Vec<2>>("velocity"));
    smoke::take_rows(ex_, domain_, swirl().part[2], cells.column<Real>("vorticity"));
  } else {
    mac::Velocity curl;
    for (int a = 0; a < 3; ++a) {
      curl.u[a] = faces_[std::size_t(a)].span();
      smoke::take_rows(ex_, domain_, swirl().part[a], curl.u[a]);
    }
    smoke::join<3>(ex_, v, cells.column<Vec<3>>("velocity"));
    smoke::join<3>(ex_, curl, cells.column<Vec<3>>("vorticity"));
  }
  smoke::face_means(ex_, domain_, held(), faces());
  mac::constrain(ex_, domain_, walls_.faces(), faces());
  mac::divergence(ex_, domain_, walls_.faces(), faces(), 1, divergence_.span());
  greatest_divergence_ = double(mac::greatest(ex_, divergence_.span()));
  speed_ = 0;
  for (int a = 0; a < domain_.dims; ++a)
    speed_ = std::max(speed_, double(mac::greatest(ex_, v.u[a])));
  if (!std::isfinite(speed_)) stop(world, dt);
}

void CollocatedFlow::refresh(World& world) { finish(world, 0); }

void CollocatedFlow::stop(World& world, double dt) const {
  std::string what = fmt::format("what presses on '{}'", p_.grid.name);
  for (int a = 0; a < domain_.dims; ++a) {
    const auto u = world.table(p_.grid.name).download<Real>(component(a));
    const auto bad = std::find_if(u.begin(), u.end(), [](Real x) { return !std::isfinite(x); });
    if (bad == u.end()) continue;
    what = fmt::format("{} of row {} of '{}'", component(a), bad - u.begin(), p_.grid.name);
    break;
  }
  throw Diverged(
      fmt::format("{} is not finite after a step of {:.3g} s: try a smaller step, or weaker "
                  "sources or buoyancy",
                  what, dt));
}

double CollocatedFlow::stable_dt() const {
  if (!(speed_ > 0)) return std::numeric_limits<double>::infinity();
  return longest_trace * shape_.spacing / speed_;
}

std::string CollocatedFlow::warning() const {
  if (diffusion_stalled_)
    return "diffusion or viscosity did not converge; use a smaller step or less of it";
  return pressure_.warning(p_.pressure);
}

void CollocatedFlow::measure(World& world, std::vector<Measurement>& out) const {
  const std::string& name = p_.grid.name;
  const double cell = std::pow(shape_.spacing, domain_.dims);
  const smoke::CentreSums s = smoke::centre_sums(ex_, domain_, velocity(world));
  out.push_back({name + ".kinetic_energy", 0.5 * p_.rest_density * cell * s.speed2, "J"});
  measure_momentum(p_, shape_, p_.rest_density * cell,
                   {{s.velocity[0], s.velocity[1], s.velocity[2]}},
                   {{s.angular_momentum[0], s.angular_momentum[1], s.angular_momentum[2]}}, out);
  out.push_back({name + ".divergence", greatest_divergence_, "1/s"});
  out.push_back({name + ".max_speed", speed_, "m/s"});
  out.push_back({name + ".pressure_iterations", double(pressure_.iterations), ""});
  out.push_back({name + ".pressure_residual", pressure_.residual, ""});
  if (p_.kinematic_viscosity > 0)
    out.push_back({name + ".diffusion_iterations", double(diffusion_iterations_), ""});
}

std::vector<ColumnUse> CollocatedFlow::uses() const {
  std::vector<ColumnUse> u;
  for (const char* c : {"pressure", "velocity", "vorticity"})
    u.push_back({p_.grid.name, c, Access::write});
  for (int a = 0; a < domain_.dims; ++a) u.push_back({p_.grid.name, component(a), Access::write});
  return u;
}

}  // namespace rtsim
