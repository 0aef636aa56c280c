#include "grids/grid_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "smoke/smoke.h"

namespace rtsim {

namespace {

constexpr double longest_trace = 5;   // [cells] a step; Bridson, "Fluid Simulation", 2015, sec. 3.3
constexpr double most_courant = 1e6;  // beyond it substeps of the advection take for ever

std::string faces_table(const std::string& grid, int axis) {
  return grid + ".faces_" + "xyz"[axis];
}

}  // namespace

// Columns, faces and walls by cells; fields with margins, of which a thin grid has many. MacCormack
// holds three more of each of up to four fields at once.
double flow_row_bytes(const GridFlowParams& p, const GridShape& g, std::size_t fields,
                      bool diffuses) {
  double padded = 1, dims = 0;
  for (int a = 0; a < 3; ++a)
    if (g.spans[a]) padded *= 1 + double(mac::Layout::low + mac::Layout::high) / g.cells[a], ++dims;
  const double basic = 3 + 4 * dims + (dims == 2 ? 1 : 3) + double(fields) + (diffuses ? 3 : 0);
  const bool conserves = p.advection == GridFlowParams::Scheme::conservative;
  const double batch = conserves ? 1 : std::min(double(fields), double(advection::most_fields));
  const double with_margin = dims + double(fields) + 3 * batch + (diffuses ? 1 : 0);
  const double walls =
      p.boundary.names.empty() ? 0 : 32 + (2 + dims) * sizeof(Real);  // see Poisson::row_bytes
  return 8 + (basic + (conserves ? dims : 0) + padded * with_margin) * sizeof(Real) +
         Poisson::row_bytes(p.pressure) + walls;
}

static Vec3d gravity_of(const World& w) { return {{w.gravity[0], w.gravity[1], w.gravity[2]}}; }

GridFlow::GridFlow(const GridFlowParams& p, World& world)
    : p_(p),
      ex_(world.exec),
      shape_(*world.object(p.grid.name).grid),
      domain_(make_domain(shape_, world.dim, p.boundary_conditions)),
      layout_(mac::Layout::of(domain_)),
      walls_(world, p.grid.name, p.boundary.names, shape_, domain_, p.cut_cells),
      bodies_(world, p.grid.name, p.boundary.names, yields(p.pressure)),
      meshes_(world, p.grid.name, walls_.meshes(), shape_, p.rest_density, yields(p.pressure)),
      yielding_(ex_, shape_, p.rest_density),
      probes_(shape_, p.probes),
      swept_(ex_),
      right_hand_side_(ex_),
      diffusion_(ex_),
      poisson_(ex_, shape_, p.pressure) {
  refuse_meshes();
  Table& cells = world.table(p.grid.name);
  cells.add<Real>({"pressure", world.dim == 2 ? "N/m" : "Pa"});
  if (world.dim == 2) {
    cells.add<Vec<2>>({"velocity", "m/s", Role::derived});
    cells.add<Real>({"vorticity", "1/s", Role::derived});
  } else {
    cells.add<Vec<3>>({"velocity", "m/s", Role::derived});
    cells.add<Vec<3>>({"vorticity", "1/s", Role::derived});
  }
  for (int a = 0; a < domain_.dims; ++a)
    world.add_table(faces_table(p.grid.name, a), domain_.rows(a)).add<Real>({"velocity", "m/s"});
  for (int a = 0; a < domain_.dims; ++a)
    flows_.emplace_back(ex_, p.advection == GridFlowParams::Scheme::conservative
                                 ? std::size_t(domain_.rows(a))
                                 : 0);
  start(world);
}

// What is not passed on to points, or passes through a sheet.
void GridFlow::refuse_meshes() const {
  for (const MeshWalls::Mesh& m : walls_.meshes().meshes()) {
    if (p_.kinematic_viscosity > 0)
      throw Error(ExitCode::bad_input,
                  fmt::format("kinematic_viscosity: friction is not passed on to the mesh '{}', "
                              "which a flow pushes by its pressure alone; leave it out",
                              m.name));
    if (!m.solid && p_.advection != GridFlowParams::Scheme::conservative)
      throw Error(ExitCode::bad_input,
                  fmt::format("advection: traces go through the sheet '{}'; use \"conservative\", "
                              "which carries fields through open faces alone",
                              m.name));
  }
}

double start_velocity(const GridFlowParams& p, const GridShape& g, int axis, const Vec3d& place) {
  if (!p.vortices || axis == 2) return p.velocity[axis];
  const Vec3d x = place - g.low;
  const double kx = 2 * M_PI * p.vortices->waves / (g.cells[0] * g.spacing),
               ky = 2 * M_PI * p.vortices->waves / (g.cells[1] * g.spacing);
  const double shape = axis == 0 ? std::cos(kx * x[0]) * std::sin(ky * x[1])
                                 : -kx / ky * std::sin(kx * x[0]) * std::cos(ky * x[1]);
  return p.velocity[axis] + p.vortices->speed * shape;
}

diffusion::Law viscosity_law(const GridFlowParams& p, const GridShape& g, double dt) {
  diffusion::Law law;
  law.c = dt * p.kinematic_viscosity / (g.spacing * g.spacing);
  law.theta = p.viscosity_scheme == GridFlowParams::TimeScheme::implicit_euler ? 1 : 0.5;
  return law;
}

double forces_before(const GridFlowParams& p) {
  const bool half = p.viscosity_scheme == GridFlowParams::TimeScheme::crank_nicolson;
  return half && p.kinematic_viscosity > 0 ? 0.5 : 1;
}

// Of vortices the components in the middles of faces, which is free of divergence on the grid too.
void GridFlow::start(World& world) {
  for (int a = 0; a < domain_.dims; ++a) {
    const GridShape faces = shape_.faces(a);
    std::vector<Real> u(std::size_t(faces.rows()));
    for (std::size_t r = 0; r < u.size(); ++r)
      u[r] = Real(start_velocity(p_, shape_, a, faces.centre(Index(r))));
    ex_.upload(velocity(world).u[a].data, u.data(), u.size() * sizeof(Real));
  }
}

mac::Velocity GridFlow::velocity(World& w) const {
  mac::Velocity v;
  for (int a = 0; a < domain_.dims; ++a)
    v.u[a] = w.table(faces_table(p_.grid.name, a)).column<Real>("velocity");
  return v;
}

mac::Faces GridFlow::held_velocity() const {
  mac::Faces f;
  for (std::size_t a = 0; a < velocity_.size(); ++a) f.u[a] = velocity_[a].data() + layout_.origin;
  return f;
}

Real* GridFlow::padded(std::vector<Buffer<Real>>& pool, std::size_t slot) {
  while (pool.size() <= slot) pool.emplace_back(ex_, std::size_t(layout_.size));
  return pool[slot].data() + layout_.origin;
}

void GridFlow::hold_velocity(World& world) {
  const mac::Velocity v = velocity(world);
  for (int a = 0; a < domain_.dims; ++a) {
    Real* to = padded(velocity_, std::size_t(a)) - layout_.origin;
    mac::to_padded(ex_, domain_, a, v.u[a], to);
    mac::fill_velocity_margin(ex_, domain_, a, to);
  }
}

const Real* GridFlow::hold(World& world, std::size_t slot, const std::string& name,
                           const mac::ScalarConditions& conditions) {
  Real* to = padded(fields_, slot);
  mac::to_padded(ex_, domain_, mac::centres, column(world, name), to - layout_.origin);
  if (walls_.solids()) mac::fill_solids(ex_, domain_, walls_.layer(), to);
  mac::fill_scalar_margin(ex_, domain_, conditions, to - layout_.origin);
  return to;
}

template <class FillMargin>
void GridFlow::carry(advection::Fields& f, double dt, const FillMargin& fill_margin) {
  const advection::Flow flow = advection::make_flow(domain_, held_velocity(), p_.trace, dt);
  if (p_.advection == GridFlowParams::Scheme::semi_lagrangian)
    return advection::semi_lagrangian(ex_, domain_, flow, f);
  for (std::size_t k = 0; k < std::size_t(f.count); ++k)
    f.carried[k] = scratch(3 * k), f.low[k] = scratch(3 * k + 1), f.high[k] = scratch(3 * k + 2);
  advection::maccormack_predict(ex_, domain_, flow, f);
  for (int k = 0; k < f.count; ++k) fill_margin(k, f.carried[k] - layout_.origin);
  advection::maccormack_correct(ex_, domain_, flow, f);
}

void GridFlow::advect_velocity(World& world, double dt) {
  diffusion_iterations_ = 0, diffusion_stalled_ = false;
  const mac::Velocity v = velocity(world);
  for (int a = 0; a < domain_.dims; ++a) {
    advection::Fields f;
    f.lattice = a, f.count = 1, f.field[0] = held_velocity().u[a], f.out[0] = v.u[a].data;
    carry(f, dt, [&](int, Real* to) { mac::fill_velocity_margin(ex_, domain_, a, to); });
  }
  mac::draw_from_rest(ex_, domain_, dt, v);
}

// By the velocity and the walls of the end of the last step.
advection::Carrier GridFlow::find_carrier(double dt) {
  advection::Carrier by;
  for (int a = 0; a < domain_.dims; ++a) by.flows.q[a] = flows_[std::size_t(a)].span();
  advection::find_flows(ex_, domain_, walls_.faces(), held_velocity(), dt, by.flows);
  by.share = walls_.share();
  if (walls_.moving()) {
    swept_.resize(std::size_t(shape_.rows()));
    advection::find_swept(ex_, domain_, walls_.faces(), dt, swept_.span());
    by.swept = swept_.span();
  }
  const double courant = double(advection::greatest_courant(ex_, domain_, by));
  if (!(courant < most_courant))
    throw Diverged(fmt::format(
        "the velocity of '{}' is not finite, or as good as that: it crosses {:.3g} cells in a step "
        "of {:.3g} s; try a smaller step, or weaker sources or buoyancy",
        p_.grid.name, courant / domain_.dims, dt));
  by.substeps = std::max(1, int(std::ceil(courant)));
  return by;
}

void GridFlow::transport(World& world, const Carried& field, std::size_t slot,
                         const advection::Carrier& by) {
  Real *start = padded(fields_, slot), *first = scratch(0), *second = scratch(1);
  const auto stage = [&](const Real* from, const Real* mean_with, Real* to) {
    advection::transport(ex_, domain_, by, {from, mean_with, to, field.keeps});
    if (walls_.solids()) mac::fill_solids(ex_, domain_, walls_.layer(), to);
    mac::fill_scalar_margin(ex_, domain_, field.conditions, to - layout_.origin);
  };
  for (int n = 0; n < by.substeps; ++n) {
    stage(start, nullptr, first);
    stage(first, start, second);
    std::swap(start, second);
  }
  mac::from_padded(ex_, domain_, mac::centres, start - layout_.origin, column(world, field.column));
}

void GridFlow::advect(World& world, const std::vector<Carried>& columns, double dt) {
  if (p_.advection == GridFlowParams::Scheme::conservative) {
    const advection::Carrier by = find_carrier(dt);
    for (std::size_t k = 0; k < columns.size(); ++k) transport(world, columns[k], k, by);
    return;
  }
  for (std::size_t first = 0; first < columns.size(); first += advection::most_fields) {
    advection::Fields f;
    f.count = int(std::min(columns.size() - first, std::size_t(advection::most_fields)));
    for (std::size_t k = 0; k < std::size_t(f.count); ++k) {
      f.field[k] = padded(fields_, first + k);
      f.out[k] = column(world, columns[first + k].column).data;
    }
    carry(f, dt, [&](int k, Real* to) {
      mac::fill_scalar_margin(ex_, domain_, columns[first + std::size_t(k)].conditions, to);
    });
  }
}

void GridFlow::lift(World& world, const smoke::Buoyancy& law, double dt, const Real* density,
                    const Real* temperature) {
  smoke::add_buoyancy(ex_, domain_, law, Real(dt), density, temperature, velocity(world));
}

void GridFlow::confine(World& world, double strength, double dt) {
  if (strength == 0) return;
  const smoke::Swirl swirl{{scratch(0), scratch(1), scratch(2)}, scratch(3)};
  const Index origin = layout_.origin;
  mac::Domain beside = domain_;  // Neumann for the vorticity at inflows, too
  for (auto& axis : beside.condition)
    for (mac::BoundaryCondition& s : axis)
      s = s == mac::BoundaryCondition::inflow ? mac::BoundaryCondition::open : s;
  smoke::find_vorticity(ex_, domain_, held_velocity(), swirl);
  mac::fill_scalar_margin(ex_, beside, {}, swirl.magnitude - origin);
  smoke::confinement_force(ex_, domain_, Real(strength), swirl);
  for (int a = 0; a < domain_.dims; ++a)
    mac::fill_scalar_margin(ex_, beside, {}, swirl.part[a] - origin);
  smoke::add_confinement(ex_, domain_, Real(dt), swirl, velocity(world));
}

void GridFlow::diffuse_velocity(World& world, double dt) {
  if (p_.kinematic_viscosity == 0) return;
  const diffusion::Law law = viscosity_law(p_, shape_, dt);
  const mac::Velocity v = velocity(world);
  // u' - u = c L (theta (u' - push) + (1 - theta) u) with push = (dt / rho) grad p.
  const double factor = law.theta * dt / p_.rest_density;
  prepare_pressure();
  poisson_.hold(column(world, "pressure"));
  poisson_.subtract_gradient(factor, v.u[0], v.u[1], v.u[2]);
  mac::constrain(ex_, domain_, walls_.faces(), v);
  for (int a = 0; a < domain_.dims; ++a) {
    const int used = diffusion::velocity(ex_, domain_, walls_.faces(), law, a, diffusion_, v.u[a]);
    diffusion_iterations_ = std::max(diffusion_iterations_, used);
  }
  walls_.find_friction(p_.rest_density * p_.kinematic_viscosity, v);
  poisson_.subtract_gradient(-factor, v.u[0], v.u[1], v.u[2]);
  diffusion_stalled_ = diffusion_iterations_ >= law.max_iterations;
}

// Cells that a wall leaves free begin with the pressure beside it.
void GridFlow::update_walls(World& world, double dt) {
  if (walls_.moving()) {
    hold(world, 0, "pressure", {});
    mac::from_padded(ex_, domain_, mac::centres, padded(fields_, 0) - layout_.origin,
                     column(world, "pressure"));
  }
  predict_solids(world, dt);
  if (walls_.update(world, 0, dt)) pressure_ready_ = false;
  if (!yield()) return;
  PointTerms points;
  if (!meshes_.empty()) {
    meshes_.carry(walls_.meshes());
    points = meshes_.find_terms(domain_, walls_.meshes(), gravity_of(world));
  }
  yielding_.find_terms(ex_, domain_, walls_.faces(), walls_.nodes(), bodies_, walls_.all(), points,
                       gravity_of(world));
}

// To where they will be at the end of a step of dt, if not for the pressure.
void GridFlow::predict_solids(World& world, double dt) {
  if (!bodies_.empty()) {
    bodies_.begin(world, walls_.all(), dt);
    bodies_.fall(dt);
    walls_.predict(bodies_.motions());
  }
  if (!meshes_.empty()) {
    meshes_.begin(world, dt);
    meshes_.fall(dt), meshes_.go(dt);
    walls_.place_meshes(world, meshes_.position(), meshes_.velocity());
  }
}

void GridFlow::push_solids(World& world, double dt) {
  const std::vector<poisson::Screw> pushes = poisson_.pushes();
  if (!bodies_.empty()) {
    yielding_.push(bodies_, walls_.all(), dt, pushes, walls_.friction());
    bodies_.hand_over(world, walls_.all());
    walls_.set_motion(world, bodies_.motions());
  }
  if (!meshes_.empty()) {
    meshes_.push(walls_.meshes(), dt, pushes.data() + bodies_.bodies().size());
    meshes_.hand_over(world, dt);
    walls_.move_meshes(world, meshes_.velocity());
  }
}

void GridFlow::prepare_pressure() {
  if (pressure_ready_) return;
  PoissonDomain domain = walls_.pressure_domain();
  if (yield()) domain.bodies = yielding_.terms();
  poisson_.prepare(domain);
  pressure_ready_ = true;
}

void GridFlow::diffuse(World& world, const std::string& name,
                       const mac::ScalarConditions& conditions, double diffusivity, double dt) {
  if (diffusivity == 0) return;
  diffusion::Law law;
  law.c = dt * diffusivity / (shape_.spacing * shape_.spacing);
  const int used = diffusion::scalar(ex_, domain_, walls_.faces(), walls_.share(), conditions, law,
                                     diffusion_, column(world, name));
  diffusion_iterations_ = std::max(diffusion_iterations_, used);
  diffusion_stalled_ = diffusion_stalled_ || used >= law.max_iterations;
}

void GridFlow::clear_solids(World& world, const std::string& name) {
  if (walls_.solids()) mac::clear_solids(ex_, walls_.layer(), column(world, name));
}

void GridFlow::keep_apart(World& world, const std::string& name) {
  const Span<const Index> passed = walls_.meshes().passed();
  mac::take_from_beside(ex_, domain_, walls_.faces(), passed, column(world, name));
}

void GridFlow::project(World& world, double dt) {
  prepare_pressure();
  const mac::Velocity v = velocity(world);
  const double factor = dt / p_.rest_density;
  if (!meshes_.empty()) {
    meshes_.join(ex_, walls_.meshes(), v);
    walls_.move_meshes(world, meshes_.velocity());
  }
  mac::constrain(ex_, domain_, walls_.faces(), v);
  right_hand_side_.resize(std::size_t(domain_.rows(mac::centres)));
  mac::divergence(ex_, domain_, walls_.faces(), v, 1 / factor, right_hand_side_.span());
  if (yield()) yielding_.add_film(ex_, bodies_, 1 / factor, right_hand_side_.span());
  if (!std::isfinite(mac::greatest(ex_, right_hand_side_.span()))) stop(world, dt);
  pressure_ = poisson_.solve(right_hand_side_.span(), column(world, "pressure"));
  outflow_ = factor * pressure_.removed_mean;
  poisson_.subtract_gradient(factor, v.u[0], v.u[1], v.u[2]);
  if (yield()) push_solids(world, dt);
  mac::constrain(ex_, domain_, walls_.faces(), v);
}

void GridFlow::finish(World& world, double dt) {
  Table& cells = world.table(p_.grid.name);
  const mac::Velocity v = velocity(world);
  hold_velocity(world);
  if (domain_.dims == 2) {
    mac::centre_velocity<2>(ex_, domain_, v, cells.column<Vec<2>>("velocity"));
    mac::vorticity(ex_, domain_, held_velocity(), cells.column<Real>("vorticity"));
  } else {
    mac::centre_velocity<3>(ex_, domain_, v, cells.column<Vec<3>>("velocity"));
    mac::vorticity(ex_, domain_, held_velocity(), cells.column<Vec<3>>("vorticity"));
  }
  speed_ = double(mac::greatest_speed(ex_, domain_, v));
  if (!std::isfinite(speed_)) stop(world, dt);
}

void GridFlow::refresh(World& world) {
  if (walls_.recall(world)) pressure_ready_ = false;
  finish(world, 0);
}

void GridFlow::stop(World& world, double dt) const {
  std::string what = fmt::format("what presses on '{}'", p_.grid.name);
  for (int a = 0; a < domain_.dims; ++a) {
    const std::string table = faces_table(p_.grid.name, a);
    const auto u = world.table(table).download<Real>("velocity");
    const auto bad = std::find_if(u.begin(), u.end(), [](Real x) { return !std::isfinite(x); });
    if (bad == u.end()) continue;
    what = fmt::format("velocity of row {} of '{}'", bad - u.begin(), table);
    break;
  }
  throw Diverged(fmt::format(
      "{} is not finite after a step of {:.3g} s: try a smaller step, weaker sources or buoyancy, "
      "or \"advection\": \"semi_lagrangian\"",
      what, dt));
}

double GridFlow::stable_dt() const {
  if (!(speed_ > 0)) return std::numeric_limits<double>::infinity();
  return longest_trace * shape_.spacing / speed_;
}

// A line for each thing that there is to say.
std::string GridFlow::warning() const {
  std::vector<std::string> told;
  if (outflow_ > 1e-3)
    told.push_back(fmt::format(
        "walls push {:.3g} /s of its volume into a closed region of '{}', which cannot be pressed "
        "together: that much divergence stays; make a side \"open\"",
        outflow_, p_.grid.name));
  if (!walls_.mended().empty()) told.push_back(walls_.mended());
  for (const std::string& wall : walls_.unresolved())
    told.push_back(fmt::format(
        "no corner of a cell of '{}' lies inside '{}', so the flow does not feel it; use a smaller "
        "spacing, or a thicker wall",
        p_.grid.name, wall));
  if (walls_.thin())
    told.push_back(fmt::format(
        "walls in '{}' are one cell thick; what the flow carries seeps through them: use a smaller "
        "spacing, or thicker walls",
        p_.grid.name));
  if (yield() && !yields(p_.pressure))
    told.push_back(
        "bodies do not yield with this method of the pressure, and light ones burst: use "
        "\"multigrid_cg\"");
  if (diffusion_stalled_)
    told.push_back("diffusion or viscosity did not converge; use a smaller step or less of it");
  if (const std::string of_pressure = pressure_.warning(p_.pressure); !of_pressure.empty())
    told.push_back(of_pressure);
  return fmt::format("{}", fmt::join(told, "\n"));
}

// `velocity` and `angular_momentum` are sums over the cells, as mac::FlowSums has them.
void measure_momentum(const GridFlowParams& p, const GridShape& g, double cell,
                      const Vec3d& velocity, const Vec3d& angular_momentum,
                      std::vector<Measurement>& out) {
  const std::string name = p.grid.name + ".";
  const int dims = g.spans[2] ? 3 : 2;
  const Vec3d about = cross(g.low, velocity) + g.spacing * angular_momentum;
  for (int a = 0; a < dims; ++a)
    out.push_back({name + "momentum." + "xyz"[a], cell * velocity[a], "kg m/s"});
  for (int a = dims == 2 ? 2 : 0; a < 3; ++a)
    out.push_back({name + "angular_momentum." + "xyz"[a], cell * about[a], "kg m^2/s"});
}

Feed flow_feed(const GridFlowParams& p, const GridShape& g, double confinement,
               double greatest_speed, double acceleration) {
  Feed feed;
  feed.mass = p.rest_density * g.rows() * std::pow(g.spacing, g.spans[2] ? 3 : 2);
  for (const auto& axis : p.boundary_conditions.side)
    for (const BoundaryConditionSpec& s : axis) feed.speed = std::max(feed.speed, norm(s.velocity));
  feed.acceleration = acceleration + 2 * confinement * greatest_speed;
  return feed;
}

void GridFlow::measure(World& world, std::vector<Measurement>& out) const {
  const std::string& name = p_.grid.name;
  const double cell = std::pow(shape_.spacing, domain_.dims);
  const mac::FlowSums s = mac::flow_sums(ex_, domain_, walls_.faces(), walls_.layer(),
                                         velocity(world), held_velocity());
  out.push_back({name + ".kinetic_energy", 0.5 * p_.rest_density * cell * s.speed2, "J"});
  measure_momentum(p_, shape_, p_.rest_density * cell,
                   {{s.velocity[0], s.velocity[1], s.velocity[2]}},
                   {{s.angular_momentum[0], s.angular_momentum[1], s.angular_momentum[2]}}, out);
  out.push_back(
      {name + ".enstrophy", 0.5 * cell * s.vorticity2, domain_.dims == 2 ? "m^2/s^2" : "m^3/s^2"});
  out.push_back({name + ".divergence", s.divergence_max, "1/s"});
  out.push_back({name + ".mean_divergence",
                 std::sqrt(s.divergence2 / std::max(1.0, double(s.open_cells))), "1/s"});
  out.push_back({name + ".max_speed", speed_, "m/s"});
  out.push_back({name + ".pressure_iterations", double(pressure_.iterations), ""});
  out.push_back({name + ".pressure_residual", pressure_.residual, ""});
  if (p_.kinematic_viscosity > 0)
    out.push_back({name + ".diffusion_iterations", double(diffusion_iterations_), ""});
  probes_.measure(ex_, name, layout_, walls_.layer(), column(world, "pressure"), held_velocity(),
                  out);
  measure_walls(world, out);
}

void GridFlow::measure_walls(World& world, std::vector<Measurement>& out) const {
  if (p_.kinematic_viscosity > 0 && !walls_.knows_friction())  // no step yet
    walls_.find_friction(p_.rest_density * p_.kinematic_viscosity, velocity(world));
  const auto on = walls_.wrenches(column(world, "pressure"));
  for (std::size_t k = 0; k < on.size(); ++k) {
    if (walls_.all().members()[k].body >= 0 || walls_.all().members()[k].mesh) continue;
    const std::string& name = walls_.all().members()[k].name;
    for (int a = 0; a < domain_.dims; ++a)
      out.push_back({name + ".force." + "xyz"[a], on[k].force[a], "N"});
    for (int a = domain_.dims == 2 ? 2 : 0; a < 3; ++a)
      out.push_back({name + ".torque." + "xyz"[a], on[k].torque[a], "N m"});
  }
  meshes_.measure(world, out);
}

std::vector<ColumnUse> GridFlow::uses() const {
  std::vector<ColumnUse> u;
  for (const char* c : {"pressure", "velocity", "vorticity"})
    u.push_back({p_.grid.name, c, Access::write});
  for (int a = 0; a < domain_.dims; ++a)
    u.push_back({faces_table(p_.grid.name, a), "velocity", Access::write});
  return u;
}

}  // namespace rtsim
