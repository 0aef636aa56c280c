#include "solvers/flip/flip_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "mac/margin.h"

namespace rtsim {

namespace {

constexpr double uneven = 0.01;  // of a cell that particles fill too much or too little

// Without viscosity nothing holds a liquid along walls, of whatever kind.
mac::Domain slipping(mac::Domain d) {
  for (auto& axis : d.condition)
    for (mac::BoundaryCondition& c : axis)
      if (c == mac::BoundaryCondition::no_slip) c = mac::BoundaryCondition::free_slip;
  return d;
}

// Of what is no velocity: along standing walls.
mac::Domain standing(mac::Domain d) {
  d = slipping(d);
  for (auto& axis : d.boundary_velocity)
    for (auto& end : axis)
      for (Real& v : end) v = 0;
  return d;
}

}  // namespace

template <int D>
FlipGrid<D>::FlipGrid(const FlipParams& p, World& world)
    : p_(p),
      ex_(world.exec),
      shape_(*world.object(p.grid.name).grid),
      domain_(p.kinematic_viscosity > 0 ? make_domain(shape_, D, p.sides)
                                        : slipping(make_domain(shape_, D, p.sides))),
      layout_(mac::Layout::of(domain_)),
      spacing_(world.object(p.fluid.name).spacing),
      walls_(world, p.grid.name, p.boundary.names, shape_, domain_, true, true),
      bodies_(world, p.fluid.name, p.boundary.names, shape_, walls_.meshes(), p.rest_density,
              p.pressure),
      scratch_(ex_, std::size_t(shape_.rows())),
      right_hand_side_(ex_, std::size_t(shape_.rows())),
      change_(ex_, p.kinematic_viscosity > 0 ? std::size_t(shape_.rows()) : 0),
      poisson_(ex_, shape_, p.pressure) {
  if (p.kinematic_viscosity > 0) viscosity_.emplace(ex_, domain_, sticks());
  if (p.surface_tension > 0) tension_.emplace(ex_, domain_, p.surface_tension);
  const bool flips = p.transfer == flip::Transfer::flip;
  for (int a = 0; a < D; ++a) {
    const std::size_t rows = std::size_t(domain_.rows(a));
    faces_.emplace_back(ex_, rows), spare_.emplace_back(ex_, rows);
    known_.emplace_back(ex_, rows), next_.emplace_back(ex_, rows);
    now_.emplace_back(ex_, std::size_t(layout_.size));
    shift_.emplace_back(ex_, p.keep_volume ? std::size_t(layout_.size) : 0);
    before_.emplace_back(ex_, flips ? std::size_t(layout_.size) : 0);
  }
}

template <int D>
void FlipGrid<D>::add_columns(World& world) const {
  Table& grid = cells(world);
  grid.add<Real>({"pressure", D == 2 ? "N/m" : "Pa"});
  grid.add<Real>({"level_set", "m", Role::derived});
  if (viscosity_) grid.add<Real>({"viscous_pressure", D == 2 ? "N/m" : "Pa"});
  grid.add<Vec<D>>({"velocity", "m/s", Role::derived});
}

template <int D>
void FlipGrid<D>::find_surface(World& world, const flip::Particles<D>& particles) {
  const Real half = Real(0.5 * spacing_ / shape_.spacing);
  const Span<std::uint8_t> in_wall = known_[1].span();
  flip::surface<D>(ex_, domain_, walls_.faces(), particles, half, scratch_.span(), in_wall,
                   distance(world));
  flip::move_to_volume<D>(
      ex_, domain_, walls_.faces(), solid(), walls_.layer(), particles, half,
      {known_[0].span(), next_[0].span(), scratch_.span(), spare_[0].span(), spare_[1].span()},
      distance(world));
  if (!bodies_.empty())
    flip::surface_in_walls<D>(ex_, domain_, walls_.faces(), particles, in_wall, scratch_.span(),
                              distance(world));
}

template <int D>
mac::Velocity FlipGrid<D>::faces() {
  mac::Velocity v;
  for (int a = 0; a < D; ++a) v.u[a] = faces_[std::size_t(a)].span();
  return v;
}
template <int D>
mac::Faces FlipGrid<D>::with_margin(const mac::Domain& d, std::vector<Buffer<Real>>& to) {
  mac::Faces f;
  for (int a = 0; a < D; ++a) {
    Real* padded = to[std::size_t(a)].data();
    mac::to_padded(ex_, d, a, faces_[std::size_t(a)].span(), padded);
    mac::fill_velocity_margin(ex_, d, a, padded);
    f.u[a] = padded + layout_.origin;
  }
  return f;
}

template <int D>
void FlipGrid<D>::gather_velocity(World& world, const flip::Particles<D>& particles) {
  flip::Gathered to[D];
  for (int a = 0; a < D; ++a)
    to[a] = {faces_[std::size_t(a)].span(), spare_[std::size_t(a)].span(),
             known_[std::size_t(a)].span()};
  flip::gather<D>(ex_, domain_, particles, to);
  if (!band_ || !band_->begun(world)) return;
  for (int a = 0; a < D; ++a) band_->take(world, a, to[a].u, to[a].known);
}
template <int D>
mac::Faces FlipGrid<D>::carried_flow(World& world) {
  for (int a = 0; a < D; ++a)
    ex_.copy(faces_[std::size_t(a)].data(), band_->carried(world, a).data,
             faces_[std::size_t(a)].size() * sizeof(Real));
  return flow();
}
template <int D>
void FlipGrid<D>::gather(World& world, const flip::Particles<D>& particles, double dt) {
  gather_velocity(world, particles);
  if (p_.transfer == flip::Transfer::flip) old_ = with_margin(domain_, before_);
  for (int a = 0; a < D; ++a) {
    flip::accelerate(ex_, Real(dt * world.gravity[std::size_t(a)]), faces_[std::size_t(a)].span());
    go_on(a, flip::guessed, 1);
  }
}
template <int D>
void FlipGrid<D>::go_on(int a, flip::Known as, int layers) {
  flip::extrapolate(ex_, domain_, a, as, layers, known_[std::size_t(a)], next_[std::size_t(a)],
                    faces_[std::size_t(a)].span());
}

template <int D>
void FlipGrid<D>::project(World& world, double dt) {
  PoissonDomain where = walls_.pressure_domain();
  where.surface = distance(world);
  mac::Velocity weight;
  for (int a = 0; a < D; ++a) weight.u[a] = spare_[std::size_t(a)].span();
  where.bodies = bodies_.find_terms(world, domain_, walls_,
                                    {faces(), weight, p_.rest_density * std::pow(spacing_, D)});
  poisson_.prepare(where);
  if (tension_) {
    tension_->find<D>(walls_.layer(), distance(world));
    add_tension(world, -1);
  }
  // No start for this: that of viscosity, which is a thousand times as large, is in it.
  if (viscosity_) ex_.zero(pressure(world).data, scratch_.size() * sizeof(Real));
  pressure_ =
      push(world, dt, tension_ ? tension_->pressure() : Span<const Real>{}, pressure(world), 0);
  if (tension_) add_tension(world, 1);
  outflow_ = dt / p_.rest_density * pressure_.removed_mean;
  if (viscosity_) find_viscosity(world, dt, where.bodies);
}
// Of a velocity without divergence, as Batty & Bridson have it: what holds the weight of still
// liquid is none of viscosity's. What that leaves of divergence is taken away.
template <int D>
void FlipGrid<D>::find_viscosity(World& world, double dt, const poisson::BodyTerms& bodies) {
  const Viscosity::Liquid liquid{p_.rest_density, p_.kinematic_viscosity, distance(world), known_};
  viscous_ = viscosity_->apply(dt, liquid, walls_, bodies_.motions(), bodies,
                               viscous_pressure(world), faces());
  feel_viscosity(world, dt);
  change_.zero();
  push(world, dt, {}, change_.span(), pressure_.scale);
  flip::add(ex_, change_.span(), pressure(world));
  flip::add_in_liquid(ex_, walls_.layer(), distance(world), 1, viscous_pressure(world),
                      pressure(world));
}
template <int D>
void FlipGrid<D>::feel_viscosity(World& world, double dt) {
  bodies_.feel(world, walls_, viscosity_->felt());
  std::vector<mac::Wrench> friction;
  for (const poisson::Screw& s : viscosity_->felt()) {
    const Vec3d f{{s.v[0] / dt, s.v[1] / dt, s.v[2] / dt}};
    const Vec3d arm = cross(walls_.all().centre(friction.size()), f);
    mac::Wrench& w = friction.emplace_back();
    for (int a = 0; a < 3; ++a) w.force[a] = f[a], w.torque[a] = s.v[3 + a] / dt + arm[a];
  }
  walls_.set_friction(std::move(friction));
}
template <int D>
void FlipGrid<D>::add_tension(World& world, Real factor) {
  flip::add_in_liquid(ex_, walls_.layer(), distance(world), factor, tension_->pressure(),
                      pressure(world));
}
// div((dt / rho) grad (p + known)) = div u, u -= (dt / rho) grad (p + known), with p = 0 on the
// surface.
template <int D>
PoissonResult FlipGrid<D>::push(World& world, double dt, Span<const Real> known, Span<Real> p,
                                double scale) {
  const double factor = dt / p_.rest_density;
  const mac::Velocity v = faces();
  if (known.size > 0 && !bodies_.empty())
    poisson_.hold(known), bodies_.push(world, walls_, dt, poisson_);
  mac::constrain(ex_, domain_, walls_.faces(), v);
  for (int a = 0; a < D; ++a) {
    ex_.copy(spare_[std::size_t(a)].data(), v.u[a].data, std::size_t(v.u[a].size) * sizeof(Real));
    if (known.size > 0)
      flip::push_by(ex_, domain_, a, walls_.faces().open[a], distance(world), known,
                    Real(factor / shape_.spacing), v.u[a]);
  }
  mac::divergence(ex_, domain_, walls_.faces(), v, 1 / factor, right_hand_side_.span());
  bodies_.add_film(1 / factor, right_hand_side_.span());
  if (!std::isfinite(mac::greatest(ex_, right_hand_side_.span()))) stop(world, dt, 0);
  const PoissonResult result = poisson_.solve(right_hand_side_.span(), p, scale);
  poisson_.subtract_gradient(factor, v.u[0], v.u[1], v.u[2]);
  bodies_.push(world, walls_, dt, poisson_);
  for (int a = 0; a < D; ++a) {
    auto &known = known_[std::size_t(a)], &next = next_[std::size_t(a)];
    flip::push_beyond(ex_, domain_, a, walls_.faces().open[a], distance(world),
                      spare_[std::size_t(a)].span(), known.span(), next.span(), v.u[a]);
    known.swap(next);
  }
  return result;
}

// As far as particles may come in a substep, and into walls.
template <int D>
void FlipGrid<D>::extrapolate(double dt) {
  flow_speed_ = double(mac::greatest_speed(ex_, domain_, faces()));
  const double way = flow_speed_ * dt / shape_.spacing;
  const int layers = 2 + int(std::min(way, double(2 * longest_trace)));
  for (int a = 0; a < D; ++a) go_on(a, flip::reached, layers);
  if (!walls_.solids() || (viscosity_ && sticks()))
    return mac::constrain(ex_, domain_, walls_.faces(), faces());
  for (int a = 0; a < D; ++a)
    flip::slide(ex_, domain_, a, walls_.faces(), faces(), spare_[std::size_t(a)].span());
  faces_.swap(spare_);
}

template <int D>
mac::Faces FlipGrid<D>::even_out(World& world, const flip::Particles<D>& particles) {
  const Real half = Real(0.5 * spacing_ / shape_.spacing);
  flip::fill<D>(ex_, domain_, particles, half, {}, scratch_.span());
  flip::crowding<D>(ex_, domain_, walls_.faces(), solid(), walls_.layer(), distance(world),
                    scratch_.span(), right_hand_side_.span());
  if (band_) band_->leave_out(right_hand_side_.span());
  scratch_.zero();
  poisson_.hold_bodies();
  const PoissonResult result =
      poisson_.solve(right_hand_side_.span(), scratch_.span(), uneven / p_.pressure.tolerance);
  if (result.iterations == 0) return {};
  for (int a = 0; a < D; ++a) faces_[std::size_t(a)].zero();
  const mac::Velocity v = faces();
  // The potential is in m^2, the displacement in cells.
  poisson_.subtract_gradient(1 / shape_.spacing, v.u[0], v.u[1], v.u[2]);
  for (int a = 0; a < D; ++a) {
    flip::liquid_faces(ex_, domain_, a, distance(world), known_[std::size_t(a)].span());
    go_on(a, flip::reached, 2);
  }
  return with_margin(standing(domain_), shift_);
}

template <int D>
void FlipGrid<D>::stop(World& world, double dt, double speed) const {
  const auto v = world.table(p_.fluid.name).template download<Vec<D>>("velocity");
  const auto bad =
      std::find_if(v.begin(), v.end(), [](const Vec<D>& u) { return !std::isfinite(norm(u)); });
  const std::string what =
      bad != v.end()
          ? fmt::format("velocity of row {} of '{}' is not finite", bad - v.begin(), p_.fluid.name)
      : speed > 0 ? fmt::format("'{}' moves at {:.3g} m/s, over {} substeps of {} cells",
                                p_.fluid.name, speed, most_substeps, p_.max_courant)
                  : fmt::format("what presses on '{}' is not finite", p_.fluid.name);
  throw Diverged(fmt::format(
      "{} after a step of {:.3g} s: try a smaller step, or slower walls and sources", what, dt));
}

template class FlipGrid<2>;
template class FlipGrid<3>;

}  // namespace rtsim
