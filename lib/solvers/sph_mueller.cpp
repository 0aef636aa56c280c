#include "solvers/sph_mueller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sph_mueller/sph_mueller.h"

namespace rtsim {

void describe(Describe& d, SphMuellerParams& p) {
  describe(d, p.sph);
  d("self_contribution", p.self_contribution, "", {0.01, 1, true},
    "Part beta of the rest density that a lone particle has, in place of `support`: the kernel's "
    "radius is sqrt(4 m / (pi beta rho0)) in 2D, (315 m / (64 pi beta rho0))^(1/3) in 3D.");
  d("stiffness", p.stiffness, "m^2/s^2", above(0),
    "Gas constant k of p = k (rho - rho0), the square of the speed of sound. Default: ten times "
    "the "
    "square of the greatest speed expected, for a compression near 10 %.");
  d("dynamic_viscosity", p.dynamic_viscosity, "kg/(m^(D-2) s)", at_least(0),
    "Viscosity mu; in 3D in Pa s. Also against walls.");
  d("surface_tension", p.surface_tension, "N/m^(D-2)", at_least(0),
    "Surface tension sigma of the colour field; in 3D in N/m.");
  d("normal_threshold", p.normal_threshold, "1/m", at_least(0),
    "Gradient of the colour field from which on a particle is at the surface. Default: 0.3 / the "
    "kernel's radius.");
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
  describe(d, p.forces);
}

double SphMuellerParams::kernel_support(const World& w) const {
  if (!self_contribution) return sph.kernel_support(w);
  return support_of_self_contribution(w.dim, *self_contribution, sph.mass(w), sph.rest_density);
}

namespace {

template <int D>
class SphMueller final : public Stage {
 public:
  SphMueller(const SphMuellerParams& p, World& world)
      : p_(p),
        fluid_(world, p.sph, p.kernel_support(world)),
        forces_(world, fluid_, p.forces),
        law_(make_law(world)) {
    fluid_.table(world).template add<Vec<D>>({"acceleration", "m/s^2", Role::derived});
  }

  // Symplectic Euler, turned so that the derived columns belong to the positions of the same frame:
  // move with the forces of the last state, then find the new ones.
  void advance(World& world, const Step& step) override {
    const double h = step.dt / p_.substeps;
    if (fluid_.stale(world)) evaluate(world, step.dt);
    if (fluid_.forces_wanted()) fluid_.begin_forces();
    for (int s = 1; s <= p_.substeps; ++s) {
      forces_.apply_to_column(world, fluid_, h);
      if (fluid_.forces_wanted())
        sph_mueller::force_on_walls(world.exec, law_, fluid_.rows(), fluid_.walls(),
                                    fluid_.wall_forces());
      sph::kick<D>(world.exec, Real(h), fluid_.velocity(world), acceleration(world),
                   fluid_.motion_rows());
      fluid_.move(world, h, fluid_.motion_rows());
      evaluate(world, h * (p_.substeps - s));
    }
    if (fluid_.forces_wanted()) fluid_.end_forces(world, p_.substeps);
    watch(world, step.dt);
  }

  void refresh(World& world, double) override {
    evaluate(world, 0);
    watch(world, 0);
  }

  double stable_dt(World&) const override { return stable_dt_; }

  void measure(World& world, std::vector<Measurement>& out) const override {
    fluid_.measure(world, out);
    forces_.measure(p_.sph.fluid.name, out);
  }

  std::vector<ColumnUse> uses() const override {
    const std::string& f = p_.sph.fluid.name;
    return {{f, "position", Access::write}, {f, "velocity", Access::write}};
  }

 private:
  Span<Vec<D>> acceleration(World& w) const {
    return fluid_.table(w).template column<Vec<D>>("acceleration");
  }

  double stiffness(World& world) const {
    const double v = fluid_.expected_speed(world);
    if (p_.stiffness) return *p_.stiffness;
    if (v > 0) return 10 * v * v;
    throw Error(ExitCode::bad_input,
                "nothing moves and nothing falls, so the stiffness cannot be derived; give "
                "\"stiffness\"");
  }

  sph_mueller::Law make_law(World& world) const {
    const double H = fluid_.support, d = fluid_.spacing, k = stiffness(world);
    // A sample that is hit stops K d/3: what falls from the top, where the fluid is too soft to.
    const double v = fluid_.expected_speed(world), contact = std::max(0.5 * k, 1.5 * v * v) / d;
    return {.poly6 = sph::Poly6::of(D, H),
            .spiky = sph::Spiky::of(D, H),
            .viscosity = sph::ViscosityKernel::of(D, H),
            .contact = {Real(contact), Real(1 / d), fluid_.medium.least_r2},
            .mass = fluid_.medium.mass,
            .rest_density = fluid_.medium.rest_density,
            .stiffness = Real(k),
            .dynamic_viscosity = Real(p_.dynamic_viscosity),
            .surface_tension = Real(p_.surface_tension),
            .normal_threshold = Real(p_.normal_threshold.value_or(0.3 / H))};
  }

  void evaluate(World& world, double ahead) {
    const Exec& ex = world.exec;
    fluid_.find_neighbours(world, law_.poly6, ahead);
    fluid_.pack_motion(world, fluid_.density(world));
    sph_mueller::pressure(ex, law_, fluid_.density(world), fluid_.pressure(world),
                          fluid_.position_rows());
    sph_mueller::force<D>(ex, law_, fluid_.rows(), fluid_.walls(), fluid_.lists(),
                          world.gravity_vector<D>(), acceleration(world));
    if (p_.surface_tension > 0)
      sph_mueller::tension<D>(ex, law_, fluid_.rows(), fluid_.lists(), acceleration(world));
  }

  void watch(World& world, double dt) {
    fluid_.watch(world, 10 * sound_speed(), acceleration(world), remedy(dt));
    stable_dt_ = p_.substeps * stable_substep();
  }

  std::string remedy(double dt) const {
    if (!(stable_dt_ > 0) || !(dt > 0))
      return "in the state the run begins with: check velocity, gravity and \"stiffness\"";
    return fmt::format(
        "dt {:.3g} s, the last good state allowed {:.3g} s: try \"substeps\": {:.0f}", dt,
        stable_dt_, std::max(std::ceil(p_.substeps * dt / stable_dt_), p_.substeps + 1.0));
  }

  double sound_speed() const { return std::sqrt(double(law_.stiffness)); }

  // Courant, force and viscous limits, Monaghan, "Smoothed particle hydrodynamics", Rep. Prog.
  // Phys. 68, 2005, sec. 8.5, with h = the radius of the kernel / 2; the linear equation of state
  // is softer than Tait's, and stands twice the Courant number.
  double stable_substep() const {
    const double h = fluid_.support / 2, nu = p_.dynamic_viscosity / p_.sph.rest_density;
    const double speed = std::sqrt(double(fluid_.extremes().speed2)),
                 a = std::sqrt(double(fluid_.extremes().acceleration2));
    double dt = 0.8 * h / (sound_speed() + speed);
    if (a > 0) dt = std::min(dt, 0.5 * std::sqrt(h / a));
    if (nu > 0) dt = std::min(dt, 0.125 * h * h / nu);
    return dt;
  }

  SphMuellerParams p_;
  SphFluid<D> fluid_;
  SphForces<D> forces_;
  sph_mueller::Law law_;
  double stable_dt_ = 0;
};

std::unique_ptr<Stage> make_sph_mueller(const SphMuellerParams& p, World& world) {
  if (world.dim == 2) return std::make_unique<SphMueller<2>>(p, world);
  return std::make_unique<SphMueller<3>>(p, world);
}

}  // namespace

StageType sph_mueller_type() {
  return stage_type(
      "sph_mueller",
      "SPH with a linear equation of state and three kernels, for interactive water.",
      "Mueller, Charypar, Gross, \"Particle-Based Fluid Simulation for Interactive Applications\", "
      "SCA 2003; kernels in the plane and the self-contribution percentage after "
      "\"Computational Fluid Dynamics in 2D Game Environments\", Umea 2011",
      "Compressible: density grows with depth, as it would with half the stiffness: the paper's "
      "mean of "
      "two pressures yields half their gradient, and pressure at rest is twice rho g depth. "
      "Particles attract each other below rest density, "
      "which forms clusters where the kernel is wide. The tension of the colour field does not "
      "conserve momentum. Sound limits the step.",
      make_sph_mueller);
}

}  // namespace rtsim
