#include "solvers/wcsph/wcsph.h"

#include <cmath>

#include "particles/explicit_stage.h"
#include "particles/tension.h"
#include "particles/walls/wall_limits.h"
#include "sph/tension.h"
#include "wcsph/wcsph.h"

namespace rtsim {

void describe(Describe& d, WcsphParams& p) {
  describe(d, p.sph);
  describe_pressure_boundaries(
      d, p.sph,
      "of walls, too, so that all pressure follows from one energy. Walls that mirror instead "
      "feed energy: still water boils where little damps it, at an artificial_viscosity of 0.05 "
      "and less");
  d("kinematic_viscosity", p.kinematic_viscosity, "m^2/s", at_least(0),
    "Viscosity nu, also against walls.");
  d("artificial_viscosity", p.artificial_viscosity, "", at_least(0),
    "Monaghan's alpha, on approaching pairs: damps the sound that the equation of state rings "
    "with; "
    "acts like a kinematic viscosity of alpha c h / (2 (D + 2)), h = support * spacing / 2.");
  d("max_density_error", p.max_density_error, "", {1e-5, 0.2, true},
    "Compression |rho/rho0 - 1| allowed at max_speed; sets the sound speed c = max_speed / "
    "sqrt(it).");
  d("max_speed", p.max_speed, "m/s", above(0),
    "Greatest speed expected. Default: of a fall from the top of the fluid, or of what emit lets "
    "into it, to the lowest wall or particle, with the greatest speed of both at the start and of "
    "walls, along their normals, ever added. Give it where bodies push faster.");
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
  describe(d, p.forces);
  describe_capillary(d, p.forces);
  describe_shifting(d, p.forces);
  describe_tension(d, p.tension, p.forces.shifting.has_value());
  describe_phases(d, p.sph, p.forces.any() || p.forces.shifting);
}

BoundaryMemory boundary_memory(const WcsphParams& p, int dim) {
  BoundaryMemory m = boundary_memory(p.sph, dim);
  const double own = 2 * sizeof(Real);  // of samples: a limit
  if (p.sph.pressure_boundaries == PressureBoundaries::all) m.sample_bytes += own;
  if (p.sph.pressure_boundaries == PressureBoundaries::bodies) m.body_sample_bytes = own;
  return m;
}

namespace {

// Algorithm 1 of the state-equation solvers.
template <int D>
class Wcsph {
 public:
  using Params = WcsphParams;

  Wcsph(const WcsphParams& p, World& world, const SphFluid<D>& fluid)
      : p_(p),
        sound_speed_(sound_speed(world, fluid)),
        law_(make_law(fluid)),
        phases_(make_phases(fluid)),
        limits_(world, p.sph, p.sph.rest_density * flat_limit<D>(law_.kernel, fluid.spacing)) {
    if (p.tension) fluid.table(world).template add<Real>({"stretch", ""});
  }

  void evaluate(World& world, SphFluid<D>& fluid, double ahead, double dt,
                Span<Vec<D>> acceleration) {
    const Exec& ex = world.exec;
    fluid.find_neighbours(world, law_.kernel, ahead);
    fluid.pack_motion(world);
    if (p_.tension)
      sph::stretch(ex, sph::Bearing::of(fluid.medium, D), Real(dt), fluid.rows(), fluid.walls(),
                   fluid.lists(), stretch(world));
    const Span<const Real> phase = fluid.phase(world);
    wcsph::pressure(ex, law_, fluid.density(world), stretch(world), fluid.pressure(world),
                    fluid.position_rows(), phases_.all, phase);
    if (!limits_.empty())
      wcsph::pressure_of_samples(ex, law_, fluid.rows().cells, fluid.walls().cells,
                                 limits_.gather(world, fluid.wall_order()), fluid.wall_motion(),
                                 phases_.all, phase);
    wcsph::force<D>(ex, law_, fluid.rows(), fluid.walls(), fluid.lists(), world.gravity_vector<D>(),
                    acceleration, phases(world, fluid));
  }

  void push_on_walls(World& world, SphFluid<D>& fluid) const {
    wcsph::force_on_walls(world.exec, law_, fluid.rows(), fluid.walls(), fluid.wall_forces(),
                          phases(world, fluid));
  }

  void measure(World& world, const SphFluid<D>& fluid, std::vector<Measurement>& out) const {
    for (const auto& m : fluid.members()) {
      wcsph::Law own = law_;
      own.tait = tait(m.rest_density);
      const auto rho = world.table(m.fluid).template column<const Real>("density");
      out.push_back({m.fluid + ".internal_energy",
                     m.particle_mass * wcsph::internal_energy(world.exec, own, rho, stretch(world)),
                     "J"});
    }
  }

  SoundLimits limits() const {
    return {.sound_speed = sound_speed_,
            .courant = 0.4,
            .force = 0.25,
            .kinematic_viscosity = greatest_viscosity(p_.sph, p_.kinematic_viscosity),
            .artificial_viscosity = p_.artificial_viscosity,
            .parameter = "max_speed"};
  }

 private:
  // Empty without tension.
  Span<Real> stretch(World& world) const {
    if (!p_.tension) return {};
    return world.table(p_.sph.fluid.name).template column<Real>("stretch");
  }

  double sound_speed(World& world, const SphFluid<D>& fluid) const {
    const double speed = p_.max_speed.value_or(fluid.expected_speed(world));
    if (speed > 0) return speed / std::sqrt(p_.max_density_error);
    throw Error(ExitCode::bad_input,
                "nothing moves and nothing falls, so the sound speed cannot be derived; give "
                "\"max_speed\"");
  }

  sph::Tait tait(double rest_density) const {
    const double c = sound_speed_;
    return {Real(rest_density * c * c / 7), Real(1 / rest_density)};
  }

  wcsph::PhaseLaw phases(World& world, const SphFluid<D>& fluid) const {
    wcsph::PhaseLaw now = phases_;
    now.density = fluid.density(world);
    return now;
  }

  wcsph::PhaseLaw make_phases(const SphFluid<D>& fluid) const {
    std::vector<double> density;
    for (const auto& m : fluid.members()) density.push_back(m.rest_density / p_.sph.rest_density);
    return {.all = fluid.phases(),
            .viscosity =
                harmonic_means(relative_viscosities(p_.sph, p_.kinematic_viscosity), 4 * (D + 2)),
            .artificial = harmonic_means(density, double(law_.artificial))};
  }

  wcsph::Law make_law(const SphFluid<D>& fluid) const {
    const double h = fluid.support / 2, d = fluid.spacing, rho0 = p_.sph.rest_density,
                 c = sound_speed_;
    return {.kernel = fluid.medium.kernel,
            .tait = tait(rho0),
            .mass = fluid.medium.mass,
            .rest_density = Real(rho0),
            .viscosity = Real(4 * (D + 2) * p_.kinematic_viscosity),
            .artificial = Real(2 * p_.artificial_viscosity * c * h),
            .softening = Real(0.01 * h * h),
            .contact = {Real(0.5 * c * c / d), Real(1 / d), fluid.medium.least_r2}};
  }

  WcsphParams p_;
  double sound_speed_;
  wcsph::Law law_;
  wcsph::PhaseLaw phases_;
  WallLimits limits_;
};

}  // namespace

StageType wcsph_type() {
  return stage_type(
      "wcsph", "Weakly compressible SPH for free surfaces: Tait pressure, fixed steps.",
      "Becker & Teschner, \"Weakly compressible SPH for free surface flows\", SCA 2007; "
      "walls after Akinci et al., \"Versatile Rigid-Fluid Coupling for Incompressible SPH\", "
      "SIGGRAPH 2012",
      {"Step: dt / substeps <= 0.4 h / c, by sound. Compresses by up to max_density_error.",
       "At the default support a channel of 20 spacings flows 1.4 times too fast.",
       "Resists compression only, unless \"tension\" is set: no surface tension of its own."},
      "docs/particle_fluids.md", make_explicit_stage<Wcsph, WcsphParams>);
}

}  // namespace rtsim
