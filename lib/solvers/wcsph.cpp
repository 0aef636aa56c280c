#include "solvers/wcsph.h"

#include <cmath>

#include "particles/explicit_stage.h"
#include "particles/wall_limits.h"
#include "wcsph/wcsph.h"

namespace rtsim {

void describe(Describe& d, WcsphParams& p) {
  describe(d, p.sph);
  describe_pressure_boundaries(
      d, p.sph,
      "of walls, too: streams strike them more truly, while still water stands a sixth of "
      "a spacing too low, with up to 3 % too little pressure in it");
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
    "Greatest speed expected. Default: of a fall from the fluid's top to the lowest wall or "
    "particle, "
    "with the greatest speed of fluid and walls at the start added. Give it where walls speed up "
    "later.");
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
  describe(d, p.forces);
  describe_capillary(d, p.forces);
  describe_shifting(d, p.forces);
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
        limits_(world, p.sph, p.sph.rest_density * flat_limit<D>(law_.kernel, fluid.spacing)) {}

  void evaluate(World& world, SphFluid<D>& fluid, double ahead, Span<Vec<D>> acceleration) {
    const Exec& ex = world.exec;
    fluid.find_neighbours(world, law_.kernel, ahead);
    fluid.pack_motion(world, fluid.density(world));
    wcsph::pressure(ex, law_, fluid.density(world), fluid.pressure(world), fluid.position_rows());
    if (!limits_.empty())
      wcsph::pressure_of_samples(ex, law_, fluid.rows().cells, fluid.walls().cells,
                                 limits_.gather(world, fluid.wall_order()), fluid.wall_motion());
    wcsph::force<D>(ex, law_, fluid.rows(), fluid.walls(), fluid.lists(), world.gravity_vector<D>(),
                    acceleration);
  }

  void push_on_walls(World& world, SphFluid<D>& fluid) const {
    wcsph::force_on_walls(world.exec, law_, fluid.rows(), fluid.walls(), fluid.wall_forces());
  }

  void measure(World& world, const SphFluid<D>& fluid, std::vector<Measurement>& out) const {
    const auto rho = fluid.table(world).template column<const Real>("density");
    out.push_back({p_.sph.fluid.name + ".internal_energy",
                   double(law_.mass) * wcsph::internal_energy(world.exec, law_, rho), "J"});
  }

  SoundLimits limits() const {
    return {.sound_speed = sound_speed_,
            .courant = 0.4,
            .force = 0.25,
            .kinematic_viscosity = p_.kinematic_viscosity,
            .artificial_viscosity = p_.artificial_viscosity,
            .parameter = "max_speed"};
  }

 private:
  double sound_speed(World& world, const SphFluid<D>& fluid) const {
    const double speed = p_.max_speed.value_or(fluid.expected_speed(world));
    if (speed > 0) return speed / std::sqrt(p_.max_density_error);
    throw Error(ExitCode::bad_input,
                "nothing moves and nothing falls, so the sound speed cannot be derived; give "
                "\"max_speed\"");
  }

  wcsph::Law make_law(const SphFluid<D>& fluid) const {
    const double h = fluid.support / 2, d = fluid.spacing, rho0 = p_.sph.rest_density,
                 c = sound_speed_;
    return {.kernel = fluid.medium.kernel,
            .tait = {Real(rho0 * c * c / 7), Real(1 / rho0)},
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
  WallLimits limits_;
};

}  // namespace

StageType wcsph_type() {
  return stage_type(
      "wcsph", "Weakly compressible SPH for free surfaces: Tait pressure, fixed steps.",
      "Becker & Teschner, \"Weakly compressible SPH for free surface flows\", SCA 2007; "
      "walls after Akinci et al., \"Versatile Rigid-Fluid Coupling for Incompressible SPH\", "
      "SIGGRAPH 2012",
      "Sound limits the step: dt / substeps <= 0.4 h / c. Compresses by up to max_density_error. "
      "No surface tension of its own. "
      "At the default support shear along a lattice feels 0.66 of the viscosity, in 3D 0.71, and "
      "fluid slips along walls: a channel of 20 spacings flows 1.4 times too fast. "
      "configs/wcsph/poiseuille.json mends both. Vortices in a box without surface lose half of "
      "their energy and more at a Reynolds number of 100; with shifting at a support of 3 speeds "
      "stay within 4 %. "
      "Fluid at rest keeps half a spacing from walls, as its lattice does at the start; from round "
      "bodies 0.04 spacings more, for which a ball of its own density has 0.04 of it out of the "
      "fluid at a radius of four spacings. "
      "Within a step moving walls go straight on at the speed of its end.",
      make_explicit_stage<Wcsph, WcsphParams>);
}

}  // namespace rtsim
