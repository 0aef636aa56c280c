#include "solvers/sph_clavet/sph_clavet.h"

#include <algorithm>
#include <cmath>

#include "relaxation/relaxation.h"
#include "solvers/sph_clavet/sph_clavet_law.h"
#include "sph_clavet/sph_clavet.h"

namespace rtsim {

void describe(Describe& d, SphClavetParams& p) {
  static constexpr Option kernels[] = {
      {"normal", int(sph::DoubleDensityKernels::normal), "(1 - q)^2 and (1 - q)^3, as the paper."},
      {"hybrid", int(sph::DoubleDensityKernels::hybrid),
       "(1 - q^2)^2 and (1 - q^2)^3, pulling as normal ones with 1 - q^2 for 1 - q."},
      {"squared", int(sph::DoubleDensityKernels::squared),
       "(1 - q^2)^2 and (1 - q^2)^3, pulling by their slopes: less where particles meet."}};
  describe(d, p.sph);
  d.choice("kernels", p.kernels, kernels, "Shapes of the two kernels, with q = r / radius:");
  d("rest_number", p.rest_number, "", above(0),
    "The paper's rho0: sum of the first kernel over neighbours, itself left out and without the "
    "kernel's constant, that causes no pressure. Default: such that the closest packing of rest "
    "density neither pushes nor pulls.");
  d("k", p.k, "", at_least(0), "Stiffness of the pressure k (n - n0), in acceleration_unit.");
  d("k_near", p.k_near, "", at_least(0),
    "Stiffness of the near pressure k_near n', in acceleration_unit.");
  d("tension", p.tension, "", between(0, 1),
    "Part of the paper's pressures that pull where n < n0, and push by all of n': at 1 they are "
    "the "
    "paper's, and surfaces draw together, the more the stiffer the fluid. 0: fluid only pushes, by "
    "what n and n' are above those of the closest packing of rest density.");
  d("acceleration_unit", p.acceleration_unit, "m/s^2", above(0),
    "What k and k_near are measured in. The paper shifts by k (n - n0) K in its own units of "
    "length and time, where gravity is about 0.001: a unit of 9820 m/s^2 makes that 9.82 m/s^2. "
    "Default: such that sound is five times as fast as a fall from the fluid's top to the lowest "
    "wall or particle, so that still fluid is at most 2 % denser at its bottom; 9820 "
    "where nothing moves and nothing falls.");
  d("passes", p.passes, "", between(1, 1000),
    "Into how many equal parts the shifts of a substep are cut, each from where the last left the "
    "particles: near what the paper does, which shifts one particle after the other.");
  d("linear_viscosity", p.linear_viscosity, "1/s", at_least(0),
    "Sigma of the impulses dt (1 - q) (sigma u + beta u^2) of pairs that approach at u.");
  d("quadratic_viscosity", p.quadratic_viscosity, "1/m", at_least(0), "Beta of those impulses.");
  d.nested("springs", p.springs,
           "Springs between near particles: elasticity that gives way. Default: none.");
  d("wall_friction", p.wall_friction, "", between(0, 1),
    "The paper's mu: part of their velocity along a wall that particles less than a spacing from "
    "it lose in a substep.");
  d("stickiness", p.stickiness, "1/s^2", at_least(0),
    "k_stick of the pull k_stick s (1 - s / stick_distance) to walls, at a distance s.");
  d("stick_distance", p.stick_distance, "m", above(0),
    "How far that pull reaches, at most a kernel radius less half a spacing. Default: half a "
    "kernel radius.");
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
  describe(d, p.forces);
}

namespace {

template <int D>
class SphClavet final : public Stage {
 public:
  SphClavet(const SphClavetParams& p, World& world)
      : p_(p),
        fluid_(world, p.sph, p.sph.support * world.object(p.sph.fluid.name).spacing),
        forces_(world, fluid_, p.forces),
        law_(clavet_law(p, D, fluid_.spacing, fluid_.medium, fluid_.expected_speed(world))),
        sound_speed_(clavet_sound_speed(law_, D, fluid_.spacing)),
        push_(world.exec),
        near_push_(world.exec),
        next_(world.exec),
        given_(world.exec) {
    fluid_.let_meshes_yield(world, p.substeps);
    if (p.springs) springs_.emplace(world, *p.springs, p.sph.fluid.name, fluid_.support);
  }

  // Algorithm 1 of the paper, begun with neighbours of the positions.
  void advance(World& world, const Step& step) override {
    const Exec& ex = world.exec;
    const double h = step.dt / p_.substeps;
    if (fluid_.forces_wanted()) fluid_.begin_forces(world, step.dt, p_.substeps);
    if (fluid_.stale(world)) find_numbers(world, step.dt);
    for (int s = 1; s <= p_.substeps; ++s) {
      const double ahead = h * (p_.substeps - s);
      forces_.apply_to_column(world, fluid_, h);
      slow(world, h);
      relaxation::predict<D>(ex, Real(h), world.gravity_vector<D>(), fluid_.velocity(world),
                             fluid_.position(world));
      find_neighbours(world, ahead);
      if (springs_) springs_->advance(world, fluid_.rows().cells, h, shifts());
      relax(world, h);
      hold(world, h);
      relaxation::settle<D>(ex, Real(h), next_.span(), fluid_.velocity(world),
                            fluid_.position(world));
      find_numbers(world, ahead);
    }
    if (fluid_.forces_wanted()) fluid_.end_forces(world);
    watch(world, step.dt);
  }

  void refresh(World& world, double) override {
    find_numbers(world, 0);
    watch(world, 0);
  }

  bool stale(World& world) const override { return fluid_.stale(world); }

  double stable_dt(World&) const override { return stable_dt_; }

  void measure(World& world, std::vector<Measurement>& out) const override {
    fluid_.measure(world, out);
    fluid_.measure_walls(world, out);
    forces_.measure(p_.sph.fluid.name, out);
    if (springs_) out.push_back({p_.sph.fluid.name + ".springs", springs_->count(world), ""});
  }

  Feed feed(World& world) const override {
    Feed feed = fluid_.feed(world);
    forces_.add_to(feed, world, fluid_);
    return feed;
  }

  std::vector<ColumnUse> uses() const override { return fluid_.uses(); }

 private:
  sph_clavet::Pairs pairs() const { return {law_, fluid_.rows(), fluid_.walls(), fluid_.lists()}; }
  // What particles have moved since their neighbours were found; far dummies left out.
  Span<Row4> shifts() {
    Span<Row4> rows = fluid_.motion_rows();
    rows.size -= lane_count;
    return rows;
  }

  // Neighbours of the present positions, which have no shifts yet.
  void find_neighbours(World& world, double ahead) {
    fluid_.find_neighbours(world, fluid_.medium.kernel, ahead);
    const std::size_t n = std::size_t(fluid_.table(world).rows());
    push_.resize(n), near_push_.resize(n), next_.resize(n);
    world.exec.zero(fluid_.motion_rows().data, (n + lane_count) * sizeof(Row4));
  }
  void find_numbers(World& world, double ahead) {
    find_neighbours(world, ahead);
    sum(world);
  }
  void sum(World& world) {
    sph_clavet::numbers(world.exec, pairs(), push_.span(), near_push_.span(), fluid_.density(world),
                        fluid_.pressure(world));
  }

  void slow(World& world, double h) {
    if (p_.linear_viscosity == 0 && p_.quadratic_viscosity == 0) return;
    fluid_.pack_motion(world, {});
    sph_clavet::slow<D>(world.exec, pairs(),
                        {Real(h), Real(p_.linear_viscosity), Real(p_.quadratic_viscosity)},
                        fluid_.velocity(world));
  }

  void relax(World& world, double h) {
    const Exec& ex = world.exec;
    for (int pass = 0; pass < p_.passes; ++pass) {
      if (pass > 0) ex.copy(shifts().data, next_.data(), next_.size() * sizeof(Row4));
      sum(world);
      relaxation::load_w(ex, push_.span(), fluid_.position_rows());
      relaxation::load_w(ex, near_push_.span(), shifts());
      const Real part = Real(h / std::sqrt(p_.passes));
      sph_clavet::relax(ex, pairs(), part, next_.span());
      if (fluid_.forces_wanted())
        sph_clavet::relax_on_walls(ex, pairs(), part, force_scale(h), fluid_.wall_forces());
    }
  }

  // What walls do besides counting as neighbours.
  void hold(World& world, double h) {
    const Exec& ex = world.exec;
    const double d = fluid_.spacing;
    if (p_.wall_friction > 0 || p_.stickiness > 0) {
      const sph_clavet::WallGrip grip{
          .dt = Real(h),
          .friction = Real(p_.wall_friction),
          .stickiness = Real(p_.stickiness),
          .stick_distance = Real(p_.stick_distance.value_or(fluid_.support / 2)),
          .touch = Real(d),
          .depth = Real(0.5 * d)};
      given_.resize(next_.size());
      sph_clavet::grip<D>(ex, pairs(), grip, fluid_.velocity(world), next_.span(), given_.span());
      if (fluid_.forces_wanted())
        sph_clavet::grip_on_walls(ex, pairs(), next_.span(), given_.span(), force_scale(h),
                                  fluid_.wall_forces());
    }
    fluid_.keep_shifts(world, h, next_.span());
  }
  // Of a shift within h: what it takes to give a row that [kg/s^2].
  Real force_scale(double h) const { return Real(double(fluid_.medium.mass) / (h * h)); }

  void watch(World& world, double dt) {
    fluid_.watch_courant(world, dt, p_.substeps);
    stable_dt_ = p_.substeps * stable_substep(world);
  }

  // Speed; what pressure shifts in a step, against the kernel; impulses that overshoot.
  double stable_substep(World& world) const {
    double dt = std::min(fluid_.courant_dt(), forces_.stable_dt(fluid_));
    const double push =
        double(sph_clavet::greatest_push(world.exec, push_.span(), near_push_.span()));
    if (push > 0) dt = std::min(dt, std::sqrt(0.25 * p_.passes * fluid_.support / push));
    if (sound_speed_ > 0)
      dt = std::min(dt, 0.2 * std::sqrt(2.0 * p_.passes) * fluid_.support / sound_speed_);
    const double speed = std::sqrt(double(fluid_.extremes().speed2));
    const double rate = p_.linear_viscosity + 2 * p_.quadratic_viscosity * speed;
    return rate > 0 ? std::min(dt, 0.5 / rate) : dt;
  }

  SphClavetParams p_;
  SphFluid<D> fluid_;
  SphForces<D> forces_;
  sph_clavet::Law law_;
  double sound_speed_;  // [m/s]
  Buffer<Real> push_, near_push_;
  Buffer<Row4> next_, given_;
  std::optional<ParticleSprings> springs_;
  double stable_dt_ = 0;
};

std::unique_ptr<Stage> make_sph_clavet(const SphClavetParams& p, World& world) {
  refuse_volume_maps(p.sph, "sph_clavet");
  if (world.dim == 2) return std::make_unique<SphClavet<2>>(p, world);
  return std::make_unique<SphClavet<3>>(p, world);
}

}  // namespace

StageType sph_clavet_type() {
  return stage_type(
      "sph_clavet", "Viscoelastic fluids by double density relaxation of predicted positions.",
      "Clavet, Beaudoin & Poulin, \"Particle-based Viscoelastic Fluid Simulation\", SCA 2005; "
      "kernels also after \"Computational Fluid Dynamics in 2D Game Environments\", Umeå 2011; "
      "walls after Akinci et al., \"Versatile Rigid-Fluid Coupling for Incompressible SPH\", "
      "SIGGRAPH 2012",
      {"Compressible: density grows with depth, by stiffness.",
       "First order in time; the step must be shorter where the fluid is pressed hard.",
       "All shifts of a step are summed, then applied; the paper applies them one by one."},
      "docs/particle_fluids.md", make_sph_clavet);
}

}  // namespace rtsim
