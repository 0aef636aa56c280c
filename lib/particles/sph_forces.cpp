#include "particles/sph_forces.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rtsim {

namespace {

constexpr double pi = 3.14159265358979323846;

// As the doc of `strength` says: on a lattice with support 2 [N/m^(D-2)].
double cohesion_tension(int dim, double rest_density, double support, const CohesionParams& p) {
  const double area = p.area_minimisation.value_or(p.strength / 100);
  return rest_density * support * support *
         (dim == 3 ? 0.0043 * p.strength + 2.7 * area : 0.0053 * p.strength + 0.85 * area);
}

}  // namespace

void describe(Describe& d, CohesionParams& p) {
  d.required("strength", p.strength, "m/s^2", at_least(0),
             "Strength of the cohesion between particles, the paper's gamma times 1000 kg/m^3; no "
             "surface tension in N/m. On a lattice with support 2 that is rest_density * H^2 * "
             "(0.0043 * strength + 2.7 * area_minimisation) in 3D, (0.0053, 0.85) in 2D, H the "
             "kernel's radius in metres.");
  d("area_minimisation", p.area_minimisation, "m/s^2", at_least(0),
    "Strength of the force that evens out the surface normals, the paper's gamma. Default: "
    "strength / 100.");
  d("adhesion", p.adhesion, "m/s^2", at_least(0),
    "Strength of the pull of the walls, the paper's beta times 1000 kg/m^3. It is felt between "
    "half of H and H alone; a few thousand hold up a drop. No contact angle follows from it and "
    "strength: drops wet more or less with it, by trial.");
}

void describe(Describe& d, CapillaryParams& p) {
  d.required(
      "surface_tension", p.surface_tension, "N/m^(D-2)", at_least(0),
      "Surface tension sigma: in N/m in 3D (water against air: 0.072), in N in 2D. A drop of "
      "radius R has the pressure (D - 1) sigma / R. Give max_speed to stages that derive a "
      "speed of sound from it.");
}

void describe(Describe& d, VorticityParams& p) {
  d.required("strength", p.strength, "m/s", at_least(0),
             "Strength eps of the confinement: its acceleration is eps times the vorticity, none "
             "where vorticity is even. Adds energy.");
}

void describe(Describe& d, MicropolarParams& p) {
  d("transfer_viscosity", p.transfer_viscosity, "m^2/s", at_least(0),
    "Kinematic viscosity nu_t of the transfer between flow and spin. Where spin keeps up with the "
    "flow it undoes half of nu_t of the fluid's viscosity: with less than that, eddies grow.");
  d("inverse_inertia", p.inverse_inertia, "1/m^2", above(0),
    "One over the moment of inertia per mass, 1 / Theta: how fast particles take up spin.");
  d("smoothing", p.smoothing, "", between(0, 1), "How far spin is evened out in a substep, zeta.");
}

void describe(Describe& d, DragParams& p) {
  static constexpr Option laws[] = {
      {"ball", int(DragParams::Law::ball),
       "quadratic, of a ball of the particle's volume, in parts of the neighbours that a particle "
       "lacks; the inside feels nothing"},
      {"drop", int(DragParams::Law::drop),
       "of drops that the air flattens and that shelter what is to leeward (Gissler et al. 2017); "
       "in 3D"},
  };
  d.choice("law", p.law, laws, "What the air does to a particle:");
  if (p.law == DragParams::Law::drop && d.dim() == 2)
    d.fault("law", "drops are balls, in 3D alone; take \"ball\"");
  d("air_density", p.air_density, "kg/m^D", at_least(0), "Density of the air.");
  d("drag_coefficient", p.drag_coefficient, "", at_least(0),
    "Drag coefficient of a drop of a particle's volume; of the law \"ball\".");
  d.vector("wind", p.wind, "m/s", "Velocity of the air.");
  d("surface_tension", p.surface_tension, "N/m", above(0),
    "Surface tension that keeps a drop round; of the law \"drop\", as what follows.");
  d("liquid_viscosity", p.liquid_viscosity, "Pa s", at_least(0),
    "Dynamic viscosity that damps a drop's flattening.");
  d("air_viscosity", p.air_viscosity, "Pa s", above(0), "Dynamic viscosity of the air.");
}

void describe(Describe& d, SphForcesParams& p) {
  d.nested("implicit_viscosity", p.implicit_viscosity,
           "Viscosity that is stable at any step, by conjugate gradients: Weiler et al. 2018.");
  d.nested("cohesion", p.cohesion,
           "Surface tension and adhesion by pair forces: Akinci et al. 2013. Conserves momentum.");
  d.nested("vorticity", p.vorticity,
           "Vorticity confinement: Fedkiw et al. 2001, Macklin & Mueller 2013. Does not conserve "
           "momentum.");
  d.nested("micropolar", p.micropolar,
           "Particles that spin, for turbulence: Bender et al. 2017. Conserves momentum.");
  d.nested("drag", p.drag, "Drag of the air on particles at the surface and on spray.");
}

void describe_shifting(Describe& d, SphForcesParams& p) {
  d.nested("shifting", p.shifting,
           "Evens out particles that flow strings out, as vortices in a full box do: Lind et al. "
           "2012. Wants support 3: at 2 it makes energy, and in tanks a strength of 1. Particles "
           "near surfaces and walls stay where the flow takes them. Keeps momentum and energy to "
           "the second order in what it moves, not to the last digit.");
}

void describe_capillary(Describe& d, SphForcesParams& p) {
  d.nested(
      "capillary", p.capillary,
      "Surface tension with its coefficient, as a force at the surface: after Brackbill et al. "
      "1992. Radii want twenty spacings in 2D and ten in 3D, and support 2.5 or 3: with three "
      "bulges a "
      "drop of twenty swings 2 to 5 % too slowly at 2.5, 11 % at 3. Curvature beyond one over a "
      "spacing is left out. Every drop that touches no wall keeps its momentum, those "
      "nearer to one another than two supports together; angular momentum and energy are not "
      "conserved: under a kinematic viscosity of 0.3 sqrt(surface_tension * spacing / "
      "rest_density) "
      "drops swing up and shed particles. In 2D a drop at rest has Laplace's pressure within 5 %, "
      "in "
      "3D one that is 12 to 17 % higher. Meets walls at no particular angle, and none can be asked "
      "for.");
}

template <int D>
SphForces<D>::SphForces(World& world, const SphFluid<D>& fluid, const SphForcesParams& p)
    : p_(p), scratch_(world.exec), smoothed_(world.exec), surface_(world.exec), drops_(world.exec) {
  if (p_.implicit_viscosity) viscosity_.emplace(world, fluid, *p_.implicit_viscosity);
  if (p_.micropolar) fluid.table(world).template add<Spin>({"angular_velocity", "1/s"});
}

template <int D>
void SphForces<D>::apply(World& world, SphFluid<D>& fluid, double dt) {
  if (p_.cohesion) cohere(world.exec, fluid, dt);
  if (p_.capillary) tighten(world.exec, fluid, dt);
  if (p_.vorticity) confine(world.exec, fluid, dt);
  if (p_.micropolar) spin(world, fluid, dt);
  if (p_.drag && p_.drag->law == DragParams::Law::ball) drag(world.exec, fluid, dt);
  if (p_.drag && p_.drag->law == DragParams::Law::drop) drag_of_drops(world.exec, fluid, dt);
  if (viscosity_) viscosity_->apply(world, fluid, dt);  // last: it damps what the others stir up
}

template <int D>
void SphForces<D>::apply_to_column(World& world, SphFluid<D>& fluid, double dt) {
  if (!p_.any()) return;
  fluid.pack_motion(world, fluid.density(world));
  apply(world, fluid, dt);
  sph::unpack_velocity<D>(world.exec, fluid.motion_rows(), fluid.velocity(world));
}

// The shortest capillary wave of a lattice must not pass a spacing in a step, Brackbill et al.
// 1992, eq. 61: dt < sqrt(rho d^3 / (2 pi sigma)).
template <int D>
double SphForces<D>::stable_dt(const SphFluid<D>& fluid) const {
  const double rho0 = double(fluid.medium.rest_density), d = fluid.spacing;
  double sigma = p_.capillary ? p_.capillary->surface_tension : 0;
  if (p_.cohesion) sigma += cohesion_tension(D, rho0, fluid.support, *p_.cohesion);
  return sigma > 0 ? std::sqrt(rho0 * d * d * d / (2 * pi * sigma))
                   : std::numeric_limits<double>::infinity();
}

// Surfaces hold sigma for each area: at most that of all rows alone, as cubes. Drag takes rows up
// to the wind's speed and no further. Confinement accelerates by its strength times the vorticity,
// which is 2 v / d at most between rows.
template <int D>
void SphForces<D>::add_to(Feed& feed, World& world, const SphFluid<D>& fluid) const {
  const double rho0 = double(fluid.medium.rest_density), d = fluid.spacing;
  const double rows = world.table(fluid.name()).rows();
  double sigma = p_.capillary ? p_.capillary->surface_tension : 0;
  if (p_.cohesion) sigma += cohesion_tension(D, rho0, fluid.support, *p_.cohesion);
  feed.hidden += sigma * rows * 2 * D * std::pow(d, D - 1);
  if (p_.drag)
    feed.hidden += 0.5 * rows * double(fluid.medium.mass) * dot(p_.drag->wind, p_.drag->wind);
  if (p_.vorticity)
    feed.acceleration +=
        p_.vorticity->strength * 2 * std::sqrt(double(fluid.extremes().speed2)) / d;
}

template <int D>
void SphForces<D>::measure(const std::string& fluid, std::vector<Measurement>& out) const {
  if (!viscosity_) return;
  out.push_back({fluid + ".viscosity_iterations", double(viscosity_->iterations()), ""});
  out.push_back({fluid + ".viscosity_error", viscosity_->error(), ""});
}

namespace {

template <int D>
sph_forces::Surroundings surroundings(const SphFluid<D>& f) {
  return {f.medium, f.rows(), f.walls(), f.lists()};
}

}  // namespace

// Rows to stand in the place of motion rows, with dummies behind them.
template <int D>
Span<Row4> SphForces<D>::scratch(const Exec& ex, SphFluid<D>& fluid) {
  const Span<Row4> motion = fluid.motion_rows();
  scratch_.resize(std::size_t(motion.size));
  const Index n = motion.size - lane_count;
  ex.copy(scratch_.data() + n, motion.data + n, lane_count * sizeof(Row4));
  return scratch_.span();
}

template <int D>
void SphForces<D>::cohere(const Exec& ex, SphFluid<D>& fluid, double dt) {
  const Span<Row4> normals = scratch(ex, fluid), motion = fluid.motion_rows();
  const double volume = double(fluid.medium.mass) / double(fluid.medium.rest_density),
               cube = std::pow(fluid.support, D);
  const sph_forces::Cohesion law{
      .medium = fluid.medium,
      .dt = Real(dt),
      .volume = Real(volume),
      .cohesion = Real(p_.cohesion->strength),
      .area = Real(p_.cohesion->area_minimisation.value_or(p_.cohesion->strength / 100)),
      .wall = Real(p_.cohesion->adhesion),
      .scale = Real(32 / (pi * cube)),
      .wall_scale = Real(0.007 / cube)};
  sph_forces::surface_normals(ex, surroundings(fluid), normals);
  sph_forces::cohere(ex, surroundings(fluid).with(normals), law, motion);
}

template <int D>
void SphForces<D>::tighten(const Exec& ex, SphFluid<D>& fluid, double dt) {
  const Span<Row4> motion = fluid.motion_rows();
  for (Buffer<Row4>* rows : {&surface_, &smoothed_, &scratch_}) {
    rows->resize(std::size_t(motion.size));
    ex.zero(rows->data(), rows->size() * sizeof(Row4));  // dummies are no surface
  }
  // At a plane surface rho0 |G| / 2 is 1.4 / H, in the second row 0.1 to 0.3 / H. Disorder inside
  // is less than that in 2D. In 3D it is not, and second rows that come and go are worse than none.
  const double shortest = D == 2 ? 0.035 : 0.1;
  const double least = 2 * shortest / (fluid.support * double(fluid.medium.rest_density));
  const sph_forces::Surroundings near = surroundings(fluid);
  sph_forces::surface(ex, near, Real(least), surface_.span());
  const Span<Row4> surface = surface_.span(), a = scratch_.span(), b = smoothed_.span();
  sph_forces::blur(ex, near.with(surface), surface, a);
  sph_forces::blur(ex, near.with(a), surface, b);
  sph_forces::blur(ex, near.with(b), surface, a);
  sph_forces::blur(ex, near.with(a), surface, b);
  sph_forces::curvature(ex, near.with(b), surface, a);
  sph_forces::blur(ex, near.with(a), surface, b);
  sph_forces::tension(ex, near.with(b), Real(p_.capillary->surface_tension * (D - 1) * dt),
                      Real(1 / fluid.spacing), Real(0.22 * fluid.support), surface, a);
  sph_forces::add_balanced(ex, near.fluid.cells, a, drops_, motion);
}

template <int D>
void SphForces<D>::confine(const Exec& ex, SphFluid<D>& fluid, double dt) {
  const Span<Row4> curls = scratch(ex, fluid), motion = fluid.motion_rows();
  sph_forces::curls(ex, surroundings(fluid), curls);
  sph_forces::confine(ex, surroundings(fluid).with(curls), Real(p_.vorticity->strength * dt),
                      motion);
}

template <int D>
void SphForces<D>::spin(World& world, SphFluid<D>& fluid, double dt) {
  const Exec& ex = world.exec;
  const auto omega = fluid.table(world).template column<Spin>("angular_velocity");
  const Span<Row4> spin = scratch(ex, fluid), motion = fluid.motion_rows();
  smoothed_.resize(std::size_t(omega.size));
  const sph_forces::Micropolar law{fluid.medium, Real(dt), Real(p_.micropolar->transfer_viscosity),
                                   Real(p_.micropolar->inverse_inertia),
                                   Real(p_.micropolar->smoothing)};
  sph_forces::pack_spin<D>(ex, omega, motion, spin);
  sph_forces::spin_to_flow(ex, surroundings(fluid).with(spin), law, motion, smoothed_.span());
  sph_forces::flow_to_spin<D>(ex, surroundings(fluid), law, smoothed_.span(), omega);
}

namespace {

// How many neighbours a row of a full lattice has within the radius.
int lattice_neighbours(int dim, double radius_in_spacings) {
  const int reach = int(std::ceil(radius_in_spacings));
  const double limit = radius_in_spacings * radius_in_spacings * (1 - 1e-6);
  int count = -1;  // itself
  for (int i = -reach; i <= reach; ++i)
    for (int j = -reach; j <= reach; ++j)
      for (int k = dim == 3 ? -reach : 0; k <= (dim == 3 ? reach : 0); ++k)
        count += i * i + j * j + k * k < limit;
  return count;
}

// A / V of a drop, a ball or a disc, of this volume [1/m].
double section_over_volume(int dim, double volume) {
  return dim == 3 ? 1.5 / std::cbrt(6 * volume / pi) : 4 / (pi * std::sqrt(4 * volume / pi));
}

}  // namespace

template <int D>
void SphForces<D>::drag(const Exec& ex, SphFluid<D>& fluid, double dt) {
  const double rho0 = double(fluid.medium.rest_density), volume = double(fluid.medium.mass) / rho0;
  sph_forces::Drag law{
      .dt = Real(dt),
      .wind = {},
      .rate = Real(p_.drag->air_density / (2 * rho0) * p_.drag->drag_coefficient *
                   section_over_volume(D, volume)),
      .full_neighbours = Real(lattice_neighbours(D, fluid.support / fluid.spacing))};
  for (int k = 0; k < D; ++k) law.wind[k] = Real(p_.drag->wind[k]);
  sph_forces::drag(ex, law, fluid.neighbour_counts(), fluid.motion_rows());
}

namespace {

// How far a steady wind of 1 m/s flattens a drop of radius L, in radii, at the most: the oscillator
// y'' + 2/t_d y' + (omega^2 + 1/t_d^2) y = force overshoots its mean C_F We / (C_k C_b) by
// exp(-pi / (omega t_d)). Gissler et al. 2017, eq. 3-8, with C_F = 1/3, C_k = 8, C_b = 1/2, C_d
// = 5.
double flattening(const DragParams& p, double rho0, double L) {
  const double damping = 2.5 * p.liquid_viscosity / (rho0 * L * L);  // 1 / t_d
  const double square = 8 * p.surface_tension / (rho0 * L * L * L) - damping * damping;
  const double overshoot = square > 0 ? std::exp(-pi * damping / std::sqrt(square)) : 0;
  return (1 + overshoot) * p.air_density * L / p.surface_tension / 12;
}

}  // namespace

template <int D>
void SphForces<D>::drag_of_drops(const Exec& ex, SphFluid<D>& fluid, double dt) {
  const DragParams& p = *p_.drag;
  const double rho0 = double(fluid.medium.rest_density), m = double(fluid.medium.mass),
               L = std::cbrt(0.75 / pi * m / rho0);
  sph_forces::DropDrag law{
      .dt = Real(dt),
      .wind = {},
      .scale = Real(p.air_density / (2 * m)),
      .reynolds = Real(2 * p.air_density * L / p.air_viscosity),
      .flattening = Real(flattening(p, rho0, L)),
      .radius = Real(L),
      .face = Real(std::pow(m / rho0, 2.0 / 3)),
      .most_neighbours = Real(2.0 / 3 * lattice_neighbours(D, fluid.support / fluid.spacing))};
  for (int k = 0; k < D; ++k) law.wind[k] = Real(p.wind[k]);
  sph_forces::drag(ex, law, surroundings(fluid), fluid.neighbour_counts(), fluid.motion_rows());
}

template class SphForces<2>;
template class SphForces<3>;

}  // namespace rtsim
