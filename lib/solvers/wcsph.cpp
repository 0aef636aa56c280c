#include "solvers/wcsph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "wcsph/wcsph.h"

namespace rtsim {

void describe(Describe& d, WcsphParams& p) {
  describe(d, p.sph);
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
}

namespace {

template <int D>
class Wcsph final : public Stage {
 public:
  Wcsph(const WcsphParams& p, World& world)
      : p_(p),
        fluid_(world, p.sph, p.sph.kernel_support(world)),
        forces_(world, fluid_, p.forces),
        sound_speed_(sound_speed(world)),
        law_(make_law()) {
    fluid_.table(world).template add<Vec<D>>({"acceleration", "m/s^2", Role::derived});
  }

  // Algorithm 1 of the state-equation solvers, turned so that the derived columns belong to the
  // positions of the same frame: move with the forces of the last state, then find the new ones.
  void advance(World& world, const Step& step) override {
    const double h = step.dt / p_.substeps;
    if (fluid_.stale(world)) evaluate(world, step.dt);
    if (fluid_.forces_wanted()) fluid_.begin_forces();
    for (int s = 1; s <= p_.substeps; ++s) {
      forces_.apply_to_column(world, fluid_, h);
      if (fluid_.forces_wanted())
        wcsph::force_on_walls(world.exec, law_, fluid_.rows(), fluid_.walls(),
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
    const auto rho = fluid_.table(world).template column<const Real>("density");
    out.push_back({p_.sph.fluid.name + ".internal_energy",
                   double(law_.mass) * wcsph::internal_energy(world.exec, law_, rho), "J"});
  }

  std::vector<ColumnUse> uses() const override {
    const std::string& f = p_.sph.fluid.name;
    return {{f, "position", Access::write}, {f, "velocity", Access::write}};
  }

 private:
  Span<Vec<D>> acceleration(World& w) const {
    return fluid_.table(w).template column<Vec<D>>("acceleration");
  }

  double sound_speed(World& world) const {
    const double speed = p_.max_speed.value_or(fluid_.expected_speed(world));
    if (speed > 0) return speed / std::sqrt(p_.max_density_error);
    throw Error(ExitCode::bad_input,
                "nothing moves and nothing falls, so the sound speed cannot be derived; give "
                "\"max_speed\"");
  }

  wcsph::Law make_law() const {
    const double h = fluid_.support / 2, d = fluid_.spacing, rho0 = p_.sph.rest_density,
                 c = sound_speed_;
    return {.kernel = fluid_.medium.kernel,
            .tait = {Real(rho0 * c * c / 7), Real(1 / rho0)},
            .mass = fluid_.medium.mass,
            .rest_density = Real(rho0),
            .viscosity = Real(4 * (D + 2) * p_.kinematic_viscosity),
            .artificial = Real(2 * p_.artificial_viscosity * c * h),
            .softening = Real(0.01 * h * h),
            .contact = {Real(0.5 * c * c / d), Real(1 / d), fluid_.medium.least_r2}};
  }

  // Neighbours, density, pressure, force of the present positions; `ahead` of the walls' time.
  void evaluate(World& world, double ahead) {
    const Exec& ex = world.exec;
    fluid_.find_neighbours(world, law_.kernel, ahead);
    fluid_.pack_motion(world, fluid_.density(world));
    wcsph::pressure(ex, law_, fluid_.density(world), fluid_.pressure(world),
                    fluid_.position_rows());
    wcsph::force<D>(ex, law_, fluid_.rows(), fluid_.walls(), fluid_.lists(),
                    world.gravity_vector<D>(), acceleration(world));
  }

  // Above ten times the sound speed nothing is a fluid any more, even while it is still finite.
  void watch(World& world, double dt) {
    fluid_.watch(world, 10 * sound_speed_, acceleration(world), remedy(dt));
    stable_dt_ = p_.substeps * stable_substep();
  }

  std::string remedy(double dt) const {
    if (!(stable_dt_ > 0) || !std::isfinite(dt / stable_dt_))
      return "in the state the run begins with: check velocity, gravity and \"max_speed\"";
    const double enough = std::ceil(p_.substeps * dt / stable_dt_);
    return fmt::format(
        "dt {:.3g} s, the last good state allowed {:.3g} s: try \"substeps\": {:.0f}", dt,
        stable_dt_, std::max(enough, p_.substeps + 1.0));
  }

  // Courant, force and viscous limits, Monaghan, "Smoothed particle hydrodynamics", Rep. Prog.
  // Phys. 68, 2005, sec. 8.5, with h = support / 2.
  double stable_substep() const {
    const double h = fluid_.support / 2, c = sound_speed_;
    const double speed = std::sqrt(double(fluid_.extremes().speed2)),
                 a = std::sqrt(double(fluid_.extremes().acceleration2));
    double dt = 0.4 * h / ((c + speed) * (1 + 0.6 * p_.artificial_viscosity));
    if (a > 0) dt = std::min(dt, 0.25 * std::sqrt(h / a));
    if (p_.kinematic_viscosity > 0) dt = std::min(dt, 0.125 * h * h / p_.kinematic_viscosity);
    return dt;
  }

  WcsphParams p_;
  SphFluid<D> fluid_;
  SphForces<D> forces_;
  double sound_speed_;
  wcsph::Law law_;
  double stable_dt_ = 0;
};

std::unique_ptr<Stage> make_wcsph(const WcsphParams& p, World& world) {
  if (world.dim == 2) return std::make_unique<Wcsph<2>>(p, world);
  return std::make_unique<Wcsph<3>>(p, world);
}

}  // namespace

StageType wcsph_type() {
  return stage_type(
      "wcsph", "Weakly compressible SPH for free surfaces: Tait pressure, fixed steps.",
      "Becker & Teschner, \"Weakly compressible SPH for free surface flows\", SCA 2007; "
      "walls after Akinci et al., \"Versatile Rigid-Fluid Coupling for Incompressible SPH\", "
      "SIGGRAPH 2012",
      "Sound limits the step: dt / substeps <= 0.4 h / c. Compresses by up to max_density_error. "
      "No surface tension. Does not conserve angular momentum where walls or viscosity act. "
      "Fluid at rest keeps half a spacing from walls, as its lattice does at the start. "
      "Within a step moving walls go straight on at the speed of its end.",
      make_wcsph);
}

}  // namespace rtsim
