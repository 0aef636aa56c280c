#include "particles/density_stage.h"

#include <algorithm>

#include "neighbours/neighbour_lists.h"
#include "particles/tension.h"
#include "particles/walls/wall_limits.h"

namespace rtsim {

void describe(Describe& d, DensitySolveParams& p) {
  describe(d, p.sph);
  describe_pressure_boundaries(
      d, p.sph,
      "of walls, too: still water stands half a spacing off them, and steps take 5 to 30 % "
      "longer; probes of wall_pressure read too little in corners");
  d("kinematic_viscosity", p.kinematic_viscosity, "m^2/s", at_least(0),
    "Viscosity nu, also against walls.");
  d("density_error_mean", p.density_error_mean, "", {1e-7, 0.5, true},
    "Mean error of the density after the step that the density solve may leave. It aims at less "
    "where nothing goes as far as an eighth of what the step allows: by the square of that part.");
  d("density_error_max", p.density_error_max, "", {1e-7, 0.5, true},
    "Greatest compression after the step that the density solve may leave.");
  d("max_iterations", p.max_iterations, "", between(1, 10000), "Of each solve.");
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
  describe(d, p.forces);
  describe_capillary(d, p.forces);
  describe_shifting(d, p.forces);
  describe_tension(d, p.tension, p.forces.shifting.has_value());
  describe_phases(d, p.sph, p.forces.any() || p.forces.shifting);
}

BoundaryMemory boundary_memory(const DensitySolveParams& p, int dim) {
  BoundaryMemory m = boundary_memory(p.sph, dim);
  // Gradients beside the lists: as many as there are spacings^D within the support, in whole lanes.
  const double s = p.sph.support, ball = dim == 2 ? 3.14159 * s * s : 4.18879 * s * s * s;
  m.row_bytes += (ball + lane_count) * sizeof(neighbours::Kept);
  // Of samples: numbers of a constraint each, and rows with their gradients.
  count_limits(p.sph, dim, 11 * sizeof(Real), sizeof(Row4) + sizeof(Index), m);
  return m;
}

namespace {

template <int D>
class DensityStage final : public Stage {
 public:
  DensityStage(const DensitySolveParams& p, World& world, Prediction prediction,
               std::optional<double> divergence_error_mean)
      : p_(p),
        divergence_error_(divergence_error_mean),
        fluid_(world, p.sph, p.sph.kernel_support(world)),
        forces_(world, fluid_, p.forces),
        shifting_(world.exec, p.forces.shifting),
        bodies_(world, p.sph.fluid.name, p.sph.boundary.names),
        solver_(world, fluid_, p.sph, bodies_, p.kinematic_viscosity, prediction, p.tension) {
    bodies_.offer(world, p.substeps);
    solver_.add_pressure(world, fluid_, kappa);
    if (divergence_error_) solver_.add_pressure(world, fluid_, kappa_v);
  }

  void advance(World& world, const Step& step) override {
    const double h = step.dt / p_.substeps;
    fluid_.take_phases(world);
    bodies_.begin(world, step.dt, fluid_.stale(world));
    if (fluid_.stale(world)) find_neighbours(world, step.dt, 0);
    fluid_.pack_motion(world);  // other stages may have pushed
    density_ = {}, divergence_ = {};
    if (fluid_.forces_wanted()) fluid_.begin_forces(world, step.dt, p_.substeps);
    for (int s = 1; s <= p_.substeps; ++s) {
      const double ahead = h * (p_.substeps - s);
      fluid_.aim_walls(world, h, ahead);
      bodies_.aim(world, fluid_, h);
      forces_.apply(world, fluid_, h);
      keep_density(world, h);
      shifting_.find(world, fluid_, solver_.predicted(), h);
      fluid_.move(world, h, solver_.predicted());
      shifting_.apply(world, fluid_);
      bodies_.move(world, fluid_, h, ahead);
      find_neighbours(world, ahead, h);
      if (divergence_error_) remove_divergence(world, h);
    }
    if (fluid_.forces_wanted()) fluid_.end_forces(world);
    finish(world, step.dt);
  }

  void refresh(World& world, double) override {
    fluid_.take_phases_afresh(world);
    find_neighbours(world, 0, 0);
    finish(world, 0);
  }

  bool stale(World& world) const override { return fluid_.stale(world); }

  double stable_dt(World&) const override {
    return p_.substeps * std::min({fluid_.courant_dt(), fluid_.viscous_dt(viscosity()),
                                   forces_.stable_dt(fluid_)});
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    fluid_.measure(world, out);
    fluid_.measure_walls(world, out);
    forces_.measure(p_.sph.fluid.name, out);
    const auto add = [&](const char* quantity, double value) {
      out.push_back({p_.sph.fluid.name + "." + quantity, value, ""});
    };
    add("density_iterations", density_.iterations);
    if (divergence_error_) add("divergence_iterations", divergence_.iterations);
    add("predicted_error_mean", density_.mean);
    add("predicted_error_max", density_.max);
  }

  std::string warning(World&) const override {
    const std::string own = density_.warning("density");
    return own.empty() ? divergence_.warning("divergence") : own;
  }

  Feed feed(World& world) const override {
    Feed feed = fluid_.feed(world);
    forces_.add_to(feed, world, fluid_);
    return feed;
  }

  std::vector<ColumnUse> uses() const override { return fluid_.uses(); }

 private:
  // Columns of the pressure that keeps the density, and of what keeps velocities free of
  // divergence.
  static constexpr const char *kappa = "kappa", *kappa_v = "kappa_v";

  // With a pressure against divergence the new motion rows start with its push of the last step.
  void find_neighbours(World& world, double ahead, double h) {
    fluid_.find_neighbours(world, fluid_.medium.kernel, ahead);
    if (divergence_error_)
      solver_.start(world, fluid_, kappa_v, h);
    else
      solver_.start(world, fluid_, kappa, 0);
  }

  // What walls get of viscosity and contacts is found before bodies among them give way.
  void keep_density(World& world, double h) {
    if (fluid_.forces_wanted()) solver_.predict_on_walls(world, fluid_, h);
    solver_.predict(world, fluid_, kappa, h);
    const double pace = solver_.pace(world, fluid_, h),
                 leave = p_.density_error_max / 2 * double(fluid_.medium.rest_density);
    density_.keep_worse(
        solver_.solve(world, fluid_, {Real(pace), Real(leave)}, kappa, solver_.predicted(),
                      {p_.density_error_mean, p_.density_error_max, p_.max_iterations, pace}, h));
    if (fluid_.forces_wanted()) solver_.push_on_walls(world, fluid_, kappa);
  }

  void remove_divergence(World& world, double h) {
    divergence_.keep_worse(solver_.solve(world, fluid_, pressure::Mending::none(), kappa_v,
                                         fluid_.motion_rows(),
                                         {*divergence_error_, 1e9, p_.max_iterations}, h));
    sph::unpack_velocity<D>(world.exec, fluid_.motion_rows(), fluid_.velocity(world));
    if (fluid_.forces_wanted()) solver_.push_on_walls(world, fluid_, kappa_v);
  }

  void finish(World& world, double dt) {
    fluid_.watch_courant(world, dt, p_.substeps);
    Table& t = fluid_.table(world);
    fluid_.pressure_from(world, t.template column<Real>(kappa),
                         divergence_error_ ? t.template column<Real>(kappa_v) : Span<Real>{});
    fluid_.give_phases(world);
  }

  double viscosity() const { return greatest_viscosity(p_.sph, p_.kinematic_viscosity); }

  DensitySolveParams p_;
  std::optional<double> divergence_error_;
  SphFluid<D> fluid_;
  SphForces<D> forces_;
  ParticleShifting<D> shifting_;
  BodyResponse<D> bodies_;
  PressureSolver<D> solver_;
  PressureResult density_, divergence_;
};

}  // namespace

std::unique_ptr<Stage> make_density_stage(const DensitySolveParams& p, World& world,
                                          Prediction prediction,
                                          std::optional<double> divergence_error_mean) {
  if (world.dim == 2)
    return std::make_unique<DensityStage<2>>(p, world, prediction, divergence_error_mean);
  return std::make_unique<DensityStage<3>>(p, world, prediction, divergence_error_mean);
}

}  // namespace rtsim
