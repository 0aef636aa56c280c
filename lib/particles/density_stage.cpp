#include "particles/density_stage.h"

#include <algorithm>

namespace rtsim {

void describe(Describe& d, DensitySolveParams& p) {
  describe(d, p.sph);
  d("kinematic_viscosity", p.kinematic_viscosity, "m^2/s", at_least(0),
    "Viscosity nu, also against walls.");
  d("density_error_mean", p.density_error_mean, "", {1e-7, 0.5, true},
    "Mean error of the density after the step that the solve may leave.");
  d("density_error_max", p.density_error_max, "", {1e-7, 0.5, true},
    "Greatest compression after the step that the solve may leave.");
  d("max_iterations", p.max_iterations, "", between(1, 10000), "Of the solve.");
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
  describe(d, p.forces);
}

namespace {

template <int D>
class DensityStage final : public Stage {
 public:
  DensityStage(const DensitySolveParams& p, World& world, Prediction prediction)
      : p_(p),
        fluid_(world, p.sph, p.sph.kernel_support(world)),
        forces_(world, fluid_, p.forces),
        solver_(world.exec, fluid_, prediction) {
    const char* unit = D == 2 ? "m^4/(kg s^2)" : "m^5/(kg s^2)";
    fluid_.table(world).template add<Real>({"kappa", unit});
  }

  void advance(World& world, const Step& step) override {
    const double h = step.dt / p_.substeps;
    if (fluid_.stale(world)) find_neighbours(world, step.dt);
    fluid_.pack_motion(world, fluid_.density(world));  // other stages may have pushed
    solved_ = {};
    if (fluid_.forces_wanted()) fluid_.begin_forces();
    for (int s = 1; s <= p_.substeps; ++s) {
      const double ahead = h * (p_.substeps - s);
      fluid_.aim_walls(world, h, ahead);
      forces_.apply(world, fluid_, h);
      solver_.predict(world, fluid_, kappa(world), p_.kinematic_viscosity, h);
      solved_.keep_worse(
          solver_.solve(world, fluid_, pressure::Goal::density, kappa(world), solver_.predicted(),
                        {p_.density_error_mean, p_.density_error_max, p_.max_iterations}, h));
      if (fluid_.forces_wanted()) {
        solver_.push_on_walls(world, fluid_, kappa(world));
        solver_.predict_on_walls(world, fluid_, p_.kinematic_viscosity, h);
      }
      fluid_.move(world, h, solver_.predicted());
      find_neighbours(world, ahead);
    }
    if (fluid_.forces_wanted()) fluid_.end_forces(world, p_.substeps);
    finish(world, step.dt);
  }

  void refresh(World& world, double) override {
    find_neighbours(world, 0);
    finish(world, 0);
  }

  double stable_dt(World&) const override {
    return p_.substeps * std::min(fluid_.courant_dt(), fluid_.viscous_dt(p_.kinematic_viscosity));
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    fluid_.measure(world, out);
    forces_.measure(p_.sph.fluid.name, out);
    const std::string f = p_.sph.fluid.name + ".";
    out.push_back({f + "density_iterations", double(solved_.iterations), ""});
    out.push_back({f + "predicted_error_mean", solved_.mean, ""});
    out.push_back({f + "predicted_error_max", solved_.max, ""});
  }

  std::string warning(World&) const override {
    return solved_.warning("density", p_.max_iterations);
  }

  std::vector<ColumnUse> uses() const override {
    const std::string& f = p_.sph.fluid.name;
    return {{f, "position", Access::write}, {f, "velocity", Access::write}};
  }

 private:
  Span<Real> kappa(World& w) { return fluid_.table(w).template column<Real>("kappa"); }

  void find_neighbours(World& world, double ahead) {
    fluid_.find_neighbours(world, fluid_.medium.kernel, ahead);
    solver_.start(world, fluid_, kappa(world), 0);
  }

  void finish(World& world, double dt) {
    fluid_.watch_courant(world, dt, p_.substeps);
    fluid_.pressure_from(world, kappa(world), {});
  }

  DensitySolveParams p_;
  SphFluid<D> fluid_;
  SphForces<D> forces_;
  PressureSolver<D> solver_;
  PressureResult solved_;
};

}  // namespace

std::unique_ptr<Stage> make_density_stage(const DensitySolveParams& p, World& world,
                                          Prediction prediction) {
  if (world.dim == 2) return std::make_unique<DensityStage<2>>(p, world, prediction);
  return std::make_unique<DensityStage<3>>(p, world, prediction);
}

}  // namespace rtsim
