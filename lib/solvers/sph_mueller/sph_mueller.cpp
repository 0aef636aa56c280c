#include "solvers/sph_mueller/sph_mueller.h"

#include <algorithm>
#include <cmath>

#include "particles/explicit_stage.h"
#include "sph/lattice_fit.h"

namespace rtsim {

void describe(Describe& d, SphMuellerParams& p) {
  using sph_mueller::PressureForce;
  static constexpr Option forces[] = {
      {"mean", int(PressureForce::mean),
       "by the mean of two, as in the paper: makes energy, so that still water boils unless it is "
       "viscous"},
      {"energy", int(PressureForce::energy),
       "as the gradient of an energy (Monaghan 2005), densities being sums of the spiky "
       "kernel, fitted to a full lattice: keeps energy; walls pull too, below rest density"}};
  describe(d, p.sph);
  d("self_contribution", p.self_contribution, "", {0.01, 1, true},
    "Part beta of the rest density that a lone particle has, in place of `support`: the kernel's "
    "radius is sqrt(4 m / (pi beta rho0)) in 2D, (315 m / (64 pi beta rho0))^(1/3) in 3D.");
  d("stiffness", p.stiffness, "m^2/s^2", above(0),
    "Gas constant k of p = k (rho - rho0), the square of the speed of sound. Default: ten times "
    "the "
    "square of the greatest speed expected, for a compression near 10 %.");
  if (p.self_contribution) p.pressure_force = PressureForce::mean;  // it is of the paper's kernels
  d.choice("pressure_force", p.pressure_force, forces,
           "How pressure acts; with self_contribution \"mean\" by default:");
  if (p.self_contribution && p.pressure_force == PressureForce::energy)
    d.fault("self_contribution",
            "is for the paper's kernel of density; with \"pressure_force\": \"energy\" give "
            "\"support\"");
  d("dynamic_viscosity", p.dynamic_viscosity, "kg/(m^(D-2) s)", at_least(0),
    "Viscosity mu; in 3D in Pa s. Also against walls.");
  d("surface_tension", p.surface_tension, "N/m^(D-2)", at_least(0),
    "Surface tension sigma of the colour field; in 3D in N/m.");
  d("normal_threshold", p.normal_threshold, "1/m", at_least(0),
    "Gradient of the colour field from which on a particle is at the surface. Default: 0.3 / the "
    "kernel's radius.");
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
  describe(d, p.forces);
  describe_capillary(d, p.forces);
}

double SphMuellerParams::kernel_support(const World& w) const {
  if (!self_contribution) return sph.kernel_support(w);
  return support_of_self_contribution(w.dim, *self_contribution, sph.mass(w), sph.rest_density);
}

namespace {

template <int D>
class SphMueller {
 public:
  using Params = SphMuellerParams;

  SphMueller(const SphMuellerParams& p, World& world, const SphFluid<D>& fluid)
      : p_(p), law_(make_law(fluid, fluid.expected_speed(world))) {}

  void evaluate(World& world, SphFluid<D>& fluid, double ahead, double,
                Span<Vec<D>> acceleration) const {
    const Exec& ex = world.exec;
    if (p_.pressure_force == sph_mueller::PressureForce::energy)
      fluid.find_neighbours(world, law_.spiky, ahead);
    else
      fluid.find_neighbours(world, law_.poly6, ahead);
    sph_mueller::pressure(ex, law_, fluid.density(world), fluid.pressure(world),
                          fluid.position_rows());
    fluid.pack_motion(world, fluid.density(world));
    sph_mueller::force<D>(ex, law_, fluid.rows(), fluid.walls(), fluid.lists(),
                          world.gravity_vector<D>(), acceleration);
    if (p_.surface_tension > 0)
      sph_mueller::tension<D>(ex, law_, fluid.rows(), fluid.lists(), acceleration);
  }

  void push_on_walls(World& world, SphFluid<D>& fluid) const {
    sph_mueller::force_on_walls(world.exec, law_, fluid.rows(), fluid.walls(), fluid.wall_forces());
  }

  void measure(World&, const SphFluid<D>&, std::vector<Measurement>&) const {}

  // As SphForces counts surfaces.
  void add_to(Feed& feed, World& world, const SphFluid<D>& fluid) const {
    feed.hidden += p_.surface_tension * world.table(fluid.name()).rows() * 2 * D *
                   std::pow(fluid.spacing, D - 1);
  }

  // The linear equation of state is softer than Tait's, and stands twice the Courant number.
  SoundLimits limits() const {
    return {.sound_speed = std::sqrt(double(law_.stiffness)),
            .courant = 0.8,
            .force = 0.5,
            .kinematic_viscosity = p_.dynamic_viscosity / p_.sph.rest_density,
            .parameter = "stiffness"};
  }

 private:
  using Fit = sph::LatticeFit<sph::Spiky>;

  double stiffness(double expected_speed) const {
    if (p_.stiffness) return *p_.stiffness;
    if (expected_speed > 0) return 10 * expected_speed * expected_speed;
    throw Error(ExitCode::bad_input,
                "nothing moves and nothing falls, so the stiffness cannot be derived; give "
                "\"stiffness\"");
  }

  sph_mueller::Law make_law(const SphFluid<D>& fluid, double expected_speed) const {
    const double H = fluid.support, d = fluid.spacing, k = stiffness(expected_speed);
    // A sample that is hit stops K d/3: what falls from the top, where the fluid is too soft to.
    const double contact = std::max(0.5 * k, 1.5 * expected_speed * expected_speed) / d;
    const bool energy = p_.pressure_force == sph_mueller::PressureForce::energy;
    const Fit fit = energy ? Fit::of(D, H, d) : Fit{sph::Spiky::of(D, H), 0};
    return {.pressure_force = p_.pressure_force,
            .poly6 = sph::Poly6::of(D, H),
            .spiky = fit.kernel,
            .viscosity = sph::ViscosityKernel::of(D, H),
            .contact = {Real(contact), Real(1 / d), fluid.medium.least_r2},
            .mass = fluid.medium.mass,
            .rest_density = fluid.medium.rest_density,
            .density_shift = Real(fit.shift * double(fluid.medium.mass) / std::pow(d, D)),
            .stiffness = Real(k),
            .dynamic_viscosity = Real(p_.dynamic_viscosity),
            .surface_tension = Real(p_.surface_tension),
            .normal_threshold = Real(p_.normal_threshold.value_or(0.3 / H))};
  }

  SphMuellerParams p_;
  sph_mueller::Law law_;
};

}  // namespace

StageType sph_mueller_type() {
  return stage_type(
      "sph_mueller",
      "SPH with a linear equation of state and three kernels, for interactive water.",
      "Mueller, Charypar, Gross, \"Particle-Based Fluid Simulation for Interactive Applications\", "
      "SCA 2003; kernels in the plane and the self-contribution percentage after "
      "\"Computational Fluid Dynamics in 2D Game Environments\", Umea 2011; force of an energy: "
      "Monaghan, \"Smoothed particle hydrodynamics\", Rep. Prog. Phys. 68, 2005, sec. 3",
      {"Compressible: density grows with depth. Sound limits the step.",
       "With pressure_force \"mean\", the paper's, still water boils; the default mends it.",
       "Below rest density particles attract and cluster; no angular momentum is conserved."},
      "docs/particle_fluids.md", make_explicit_stage<SphMueller, SphMuellerParams>);
}

}  // namespace rtsim
