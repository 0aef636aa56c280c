#include "solvers/dfsph.h"

#include <algorithm>

#include "particles/pressure_solver.h"

namespace rtsim {

void describe(Describe& d, DfsphParams& p) {
  describe(d, p.sph);
  d("kinematic_viscosity", p.kinematic_viscosity, "m^2/s", at_least(0),
    "Viscosity nu, also against walls.");
  d("density_error_mean", p.density_error_mean, "", {1e-7, 0.5, true},
    "Mean error of the density after the step that the density solve may leave.");
  d("density_error_max", p.density_error_max, "", {1e-7, 0.5, true},
    "Greatest compression after the step that the density solve may leave.");
  d("divergence_error_mean", p.divergence_error_mean, "", {1e-7, 0.5, true},
    "Mean compression within a further step that the divergence solve may leave.");
  d("max_iterations", p.max_iterations, "", between(1, 10000), "Of each of the two solves.");
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
  describe(d, p.forces);
}

namespace {

template <int D>
class Dfsph final : public Stage {
 public:
  Dfsph(const DfsphParams& p, World& world)
      : p_(p),
        fluid_(world, p.sph, p.sph.kernel_support(world)),
        forces_(world, fluid_, p.forces),
        solver_(world.exec, fluid_) {
    const char* unit = D == 2 ? "m^4/(kg s^2)" : "m^5/(kg s^2)";
    for (const char* name : {"kappa", "kappa_v"})
      fluid_.table(world).template add<Real>({name, unit});
  }

  // Algorithm 1 of the paper, begun with the second half of its loop: between steps the velocities
  // are free of divergence, and neighbours and factors are those of the positions.
  void advance(World& world, const Step& step) override {
    const double h = step.dt / p_.substeps;
    if (fluid_.stale(world)) find_neighbours(world, step.dt, 0);
    fluid_.pack_motion(world, fluid_.density(world));  // other stages may have pushed
    density_ = {}, divergence_ = {};
    if (fluid_.forces_wanted()) fluid_.begin_forces();
    for (int s = 1; s <= p_.substeps; ++s) {
      const double ahead = h * (p_.substeps - s);
      fluid_.aim_walls(world, h, ahead);
      forces_.apply(world, fluid_, h);
      solver_.predict(world, fluid_, column(world, "kappa"), p_.kinematic_viscosity, h);
      density_.keep_worse(solver_.solve(
          world, fluid_, pressure::Goal::density, column(world, "kappa"), solver_.predicted(),
          {p_.density_error_mean, p_.density_error_max, p_.max_iterations}, h));
      if (fluid_.forces_wanted()) {
        solver_.push_on_walls(world, fluid_, column(world, "kappa"));
        solver_.predict_on_walls(world, fluid_, p_.kinematic_viscosity, h);
      }
      fluid_.move(world, h, solver_.predicted());
      find_neighbours(world, ahead, h);
      divergence_.keep_worse(solver_.solve(world, fluid_, pressure::Goal::divergence,
                                           column(world, "kappa_v"), fluid_.motion_rows(),
                                           {p_.divergence_error_mean, 1e9, p_.max_iterations}, h));
      sph::unpack_velocity<D>(world.exec, fluid_.motion_rows(), fluid_.velocity(world));
      if (fluid_.forces_wanted()) solver_.push_on_walls(world, fluid_, column(world, "kappa_v"));
    }
    if (fluid_.forces_wanted()) fluid_.end_forces(world, p_.substeps);
    finish(world, step.dt);
  }

  void refresh(World& world, double) override {
    find_neighbours(world, 0, 0);
    finish(world, 0);
  }

  double stable_dt(World&) const override {
    return p_.substeps * std::min(fluid_.courant_dt(), fluid_.viscous_dt(p_.kinematic_viscosity));
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    fluid_.measure(world, out);
    forces_.measure(p_.sph.fluid.name, out);
    const auto add = [&](const char* quantity, double value) {
      out.push_back({p_.sph.fluid.name + "." + quantity, value, ""});
    };
    add("density_iterations", density_.iterations);
    add("divergence_iterations", divergence_.iterations);
    add("predicted_error_mean", density_.mean);
    add("predicted_error_max", density_.max);
  }

  std::string warning(World&) const override {
    const std::string own = density_.warning("density", p_.max_iterations);
    return own.empty() ? divergence_.warning("divergence", p_.max_iterations) : own;
  }

  std::vector<ColumnUse> uses() const override {
    const std::string& f = p_.sph.fluid.name;
    return {{f, "position", Access::write}, {f, "velocity", Access::write}};
  }

 private:
  Span<Real> column(World& w, const char* name) {
    return fluid_.table(w).template column<Real>(name);
  }

  void find_neighbours(World& world, double ahead, double h) {
    fluid_.find_neighbours(world, fluid_.medium.kernel, ahead);
    solver_.start(world, fluid_, column(world, "kappa_v"), h);
  }

  void finish(World& world, double dt) {
    fluid_.watch_courant(world, dt, p_.substeps);
    fluid_.pressure_from(world, column(world, "kappa"), column(world, "kappa_v"));
  }

  DfsphParams p_;
  SphFluid<D> fluid_;
  SphForces<D> forces_;
  PressureSolver<D> solver_;
  PressureResult density_, divergence_;
};

std::unique_ptr<Stage> make_dfsph(const DfsphParams& p, World& world) {
  if (world.dim == 2) return std::make_unique<Dfsph<2>>(p, world);
  return std::make_unique<Dfsph<3>>(p, world);
}

}  // namespace

StageType dfsph_type() {
  return stage_type(
      "dfsph", "Incompressible SPH by two solves: constant density and no divergence.",
      "Bender & Koschier, \"Divergence-Free SPH for Incompressible and Viscous Fluids\", TVCG "
      "23(3), 2017; walls after Akinci et al., \"Versatile Rigid-Fluid Coupling for "
      "Incompressible SPH\", SIGGRAPH 2012",
      "The step is limited by speed alone: dt / substeps <= 0.4 h / v. Compression is kept "
      "within the tolerances, tension is not resisted: no surface tension of its own. First "
      "order in time. Does not conserve angular momentum where walls or viscosity act. Fluid at"
      " rest keeps half a spacing from walls. Rows at walls carry up to 1.4 times their "
      "pressure, and jets that hit corners more: walls answer with no pressure of their own. "
      "Forces on walls are right, and so are "
      "probes of wall_pressure, but for two spacings from a corner, where they read up to a "
      "quarter too much.",
      make_dfsph);
}

}  // namespace rtsim
