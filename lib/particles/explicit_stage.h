#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "particles/sph_forces.h"
#include "stage/stage.h"

namespace rtsim {

// The limits of the step (CFL) of a fluid whose pressure follows from its density.
struct SoundLimits {
  double sound_speed;          // c [m/s]
  double courant, force;       // numbers: of h / (c + v), and of sqrt(h / a)
  double kinematic_viscosity;  // nu [m^2/s]
  double artificial_viscosity = 0;
  const char* parameter;  // that sets c

  // h is half the kernel's radius [m]. Courant, force and viscous limits of Monaghan, "Smoothed
  // particle hydrodynamics", Rep. Prog. Phys. 68, 2005, sec. 8.5.
  double stable_dt(double h, const sph::Extremes&) const;  // [s]
  // What would help a state that is lost, after one that allowed `stable` seconds in all.
  std::string remedy(double dt, double stable, int substeps) const;
};

// A step of a fluid whose forces follow from its state: symplectic Euler, turned so that the
// derived columns belong to the positions of the same frame: move with the forces of the last
// state, then find the new ones.
//
// Method has Params with .sph, .forces, .substeps and kernel_support(world), and
//   Method(const Params&, World&, const SphFluid<D>&)
//   evaluate(World&, SphFluid<D>&, ahead, dt, Span<Vec<D>> acceleration)  of the present positions,
//                                                         that were reached in a time of dt
//   push_on_walls(World&, SphFluid<D>&)                               the same forces, on walls
//   limits(), measure(World&, const SphFluid<D>&, out)
//   add_to(Feed&, World&, const SphFluid<D>&)                         if it feeds
template <int D, class Method>
class ExplicitStage final : public Stage {
 public:
  using Params = typename Method::Params;

  ExplicitStage(const Params& p, World& world)
      : name_(p.sph.fluid.name),
        substeps_(p.substeps),
        fluid_(world, p.sph, p.kernel_support(world)),
        forces_(world, fluid_, p.forces),
        shifting_(world.exec, p.forces.shifting),
        method_(p, world, fluid_) {
    fluid_.table(world).template add<Vec<D>>({"acceleration", "m/s^2", Role::derived});
    fluid_.let_meshes_yield(world, substeps_);
  }

  void advance(World& world, const Step& step) override {
    const double h = step.dt / substeps_;
    fluid_.take_phases(world);
    // Before rows that came or went are looked at: it puts meshes where they will be.
    if (fluid_.forces_wanted()) fluid_.begin_forces(world, step.dt, substeps_);
    if (fluid_.stale(world)) evaluate(world, step.dt, 0);
    for (int s = 1; s <= substeps_; ++s) {
      forces_.apply_to_column(world, fluid_, h);
      if (fluid_.forces_wanted()) method_.push_on_walls(world, fluid_);
      sph::kick<D>(world.exec, Real(h), fluid_.velocity(world), acceleration(world),
                   fluid_.motion_rows());
      shifting_.find(world, fluid_, fluid_.motion_rows(), h);
      fluid_.move(world, h, fluid_.motion_rows());
      shifting_.apply(world, fluid_);
      evaluate(world, h * (substeps_ - s), h);
    }
    if (fluid_.forces_wanted()) fluid_.end_forces(world);
    watch(world, step.dt);
    fluid_.give_phases(world);
  }

  void refresh(World& world, double) override {
    fluid_.take_phases_afresh(world);
    evaluate(world, 0, 0);
    watch(world, 0);
    fluid_.give_phases(world);
  }

  bool stale(World& world) const override { return fluid_.stale(world); }

  double stable_dt(World&) const override { return stable_dt_; }

  void measure(World& world, std::vector<Measurement>& out) const override {
    fluid_.measure(world, out);
    fluid_.measure_walls(world, out);
    forces_.measure(name_, out);
    method_.measure(world, fluid_, out);
  }

  Feed feed(World& world) const override {
    Feed feed = fluid_.feed(world);
    forces_.add_to(feed, world, fluid_);
    if constexpr (requires { method_.add_to(feed, world, fluid_); })
      method_.add_to(feed, world, fluid_);
    return feed;
  }

  std::vector<ColumnUse> uses() const override { return fluid_.uses(); }

 private:
  Span<Vec<D>> acceleration(World& w) const {
    return fluid_.table(w).template column<Vec<D>>("acceleration");
  }

  void evaluate(World& world, double ahead, double dt) {
    method_.evaluate(world, fluid_, ahead, dt, acceleration(world));
  }

  // Above ten times the sound speed nothing is a fluid any more, even while it is still finite.
  void watch(World& world, double dt) {
    const SoundLimits limits = method_.limits();
    fluid_.watch(world, 10 * limits.sound_speed, acceleration(world),
                 limits.remedy(dt, stable_dt_, substeps_));
    stable_dt_ = substeps_ * std::min(limits.stable_dt(fluid_.support / 2, fluid_.extremes()),
                                      forces_.stable_dt(fluid_));
  }

  std::string name_;
  int substeps_;
  SphFluid<D> fluid_;
  SphForces<D> forces_;
  ParticleShifting<D> shifting_;
  Method method_;
  double stable_dt_ = 0;
};

template <template <int> class Method, class Params>
std::unique_ptr<Stage> make_explicit_stage(const Params& p, World& world) {
  if (world.dim == 2) return std::make_unique<ExplicitStage<2, Method<2>>>(p, world);
  return std::make_unique<ExplicitStage<3, Method<3>>>(p, world);
}

}  // namespace rtsim
