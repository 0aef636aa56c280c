#include "solvers/mass_spring/mass_spring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "deformables/halving.h"
#include "deformables/mesh_series.h"
#include "deformables/steady_pushes.h"
#include "deformables/tearing.h"
#include "finite/finite.h"
#include "solvers/mass_spring/mass_spring_network.h"
#include "solvers/mass_spring/mass_spring_steps.h"

namespace rtsim {

namespace {

class MassSpring final : public Stage {
 public:
  MassSpring(const MassSpringParams& p, World& world, const std::string& name)
      : p_(p),
        rest_(table(world).download<Vec<3>>("position")),
        springs_(p, world, rest_),
        contact_(p.contact, world, p.mesh.name),
        reactions_(world, p.mesh.name),
        steady_(world, p.mesh.name),
        before_(world.exec) {
    table(world).add<Real>({"strain", "", Role::derived});
    if (is_implicit(p.integrator))
      implicit_.emplace(world.exec, p);
    else
      explicit_.emplace(world.exec, p.integrator);
    if (p.tear_strain) tearing_.emplace(world, p.mesh.name, *p.tear_strain);
    world.responses[p.mesh.name] = [this](World& w, const ImpulseResponse& r) { respond(w, r); };
    if (implicit_ && (contact_.any() || p.integrator == SpringIntegrator::implicit_euler))
      halving_.emplace(world, name);
    if (halving_ && contact_.any()) contact_.count_work();
  }

  void advance(World& world, const Step& step) override {
    const mass_spring::Points points = this->points(world);
    const auto target = table(world).column<const Vec<3>>("target");
    mass_spring::aim(world.exec, points, target, Real(step.dt));
    const int parts = contact_.parts(world, step, p_.substeps, points.position, points.velocity,
                                     points.inverse_mass);
    const int substeps = p_.substeps * parts;
    if (halving_)
      halving_->advance(world, substeps, {points.position, points.velocity}, [&](int n, bool last) {
        halving_->begin(contact_.unseen_energy(world));
        take_substeps(world, step, n, last);
        return halving_->made_energy() ? Halving::Came::to_too_much : Halving::Came::to_little;
      });
    else
      take_substeps(world, step, substeps, true);
    mass_spring::arrive(world.exec, points, target);
    reactions_.end(world);
    watch(world, step.dt);
    if (tearing_ && tearing_->tear(world)) springs_ = SpringBuffers(p_, world, rest_);
  }

  void before_frame(World& world) override {
    mass_spring::strain(world.exec, springs_.network(), points(world).position,
                        table(world).column<Real>("strain"));
  }
  void refresh(World& world, double) override {
    if (tearing_) {
      tearing_->refresh(world);
      springs_ = SpringBuffers(p_, world, rest_);
    }
    before_frame(world);
  }

  double stable_dt(World& world) const override {
    if (implicit_) return std::numeric_limits<double>::infinity();
    return p_.substeps * explicit_->stable_substep(rates(world));
  }

  std::string warning(World&) const override {
    if (explicit_ && explicit_->gains_energy() && p_.damping == 0 && p_.drag == 0)
      return fmt::format(
          "undamped springs on '{}' gain energy with this \"integrator\" at any step; give "
          "\"damping\", or take \"symplectic_euler\"",
          p_.mesh.name);
    const std::string unsolved = solve_.warning(p_.mesh.name, p_.solve);
    if (!unsolved.empty()) return unsolved;
    if (halving_ && halving_->made_energy()) return Halving::warning(p_.mesh.name, substeps_);
    return contact_.warning();
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    const mass_spring::Totals t = mass_spring::totals(world.exec, springs_.network(), points(world),
                                                      world.gravity_vector<3>());
    const auto add = [&](const char* name, double value, const char* unit) {
      out.push_back({p_.mesh.name + "." + name, value, unit});
    };
    add("kinetic_energy", t.kinetic, "J");
    const double bent =
        springs_.plates().energy(world.exec, table(world).column<const Vec<3>>("position"));
    if (p_.bending_stiffness > 0) add("bending_energy", bent, "J");
    add("elastic_energy", t.elastic + bent, "J");
    add("potential_energy", t.potential, "J");
    add("mass", t.mass, "kg");
    constexpr const char* axes[] = {"momentum.x", "momentum.y", "momentum.z"};
    for (int a = 0; a < 3; ++a) add(axes[a], t.momentum[a], "kg m/s");
    constexpr const char* turns[] = {"angular_momentum.x", "angular_momentum.y",
                                     "angular_momentum.z"};
    for (int a = 0; a < 3; ++a) add(turns[a], t.angular_momentum[a], "kg m^2/s");
    add("strain_mean", t.strain / std::max(1, 2 * springs_.springs()), "");
    add("strain_max", t.greatest_strain, "");
    if (implicit_) {
      add("iterations", solve_.iterations, "");
      add("residual", solve_.residual, "");
      if (halving_) add("substeps", substeps_, "");
    }
    if (tearing_) tearing_->measure(world, out);
    contact_.measure(world, p_.mesh.name, out);
  }

  Feed feed(World&) const override { return contact_.feed(); }

  std::vector<ColumnUse> uses() const override { return uses_of_mesh(p_.mesh.name); }

 private:
  void take_substeps(World& world, const Step& step, int substeps, bool last) {
    const mass_spring::Points points = this->points(world);
    solve_ = {}, substeps_ = substeps;
    reactions_.begin();
    contact_.begin(world, step, substeps);
    const double h = step.dt / substeps;
    for (int k = 0; k < substeps && (last || !halving_ || !halving_->made_energy()); ++k) {
      steady_.act(world, h);
      const EnergySum before = halving_ ? energy(world) : EnergySum{};
      if (contact_.any()) keep(world.exec, points.position);
      const SpringStep s{world.exec, springs_.network(), points, field(world),
                         springs_,   reactions_,         h,      step.index == 0 && k == 0};
      if (implicit_)
        implicit_->advance(s, solve_);
      else
        explicit_->advance(s);
      if (contact_.any())
        contact_.resolve(world, k, before_.span(), points.position, points.velocity,
                         points.inverse_mass, Real(h));
      if (halving_)
        halving_->look(before, energy(world), reactions_.work() + contact_.work_of_boundaries());
    }
  }
  // Over a step springs give way as in an implicit one, however it is integrated.
  void respond(World& world, const ImpulseResponse& r) {
    if (r.change.size == 0) return;
    if (!implicit_ && !response_) response_.emplace(world.exec, p_);
    (implicit_ ? implicit_ : response_)
        ->respond({world.exec, springs_.network(), points(world), field(world), springs_,
                   reactions_, r.h, false},
                  r);
  }

  EnergySum energy(World& world) {
    const mass_spring::Totals t = mass_spring::totals(world.exec, springs_.network(), points(world),
                                                      world.gravity_vector<3>());
    const double bent =
        springs_.plates().energy(world.exec, table(world).column<const Vec<3>>("position"));
    return {t.kinetic + contact_.kinetic_energy_of_bodies(), t.elastic + bent, t.potential};
  }

  Table& table(World& w) const { return w.table(p_.mesh.name); }
  mass_spring::Points points(World& w) const {
    Table& t = table(w);
    return {t.column<const Real>("mass"), t.column<const Real>("inverse_mass"),
            t.column<Vec<3>>("position"), t.column<Vec<3>>("velocity")};
  }
  mass_spring::Field field(World& w) const { return {w.gravity_vector<3>(), Real(p_.drag)}; }
  mass_spring::Rates rates(World& w) const {
    return mass_spring::rates(w.exec, springs_.network(), Real(p_.drag), points(w).inverse_mass,
                              springs_.bending_bounds());
  }

  void keep(const Exec& ex, Span<const Vec<3>> position) {
    before_.resize(std::size_t(position.size));
    ex.copy(before_.data(), position.data, before_.size() * sizeof(Vec<3>));
  }

  void watch(World& world, double dt) const {
    const auto x = table(world).column<const Vec<3>>("position");
    const Index at = finite::first_not_finite(
        world.exec, Span<const Real>(reinterpret_cast<const Real*>(x.data), 3 * x.size));
    if (at < 0) return;
    std::string remedy = "look at masses, stiffness and velocities of the last frame";
    const double allowed = stable_dt(world);
    if (allowed < dt)
      remedy = fmt::format(
          "dt {:.3g} s, the springs allow {:.3g} s: try \"substeps\": {:.0f}, or "
          "\"integrator\": \"implicit_euler\"",
          dt, allowed, std::ceil(1.1 * p_.substeps * dt / allowed));
    throw Diverged(
        fmt::format("position of row {} of '{}' is not finite; {}", at / 3, p_.mesh.name, remedy));
  }

  MassSpringParams p_;
  std::vector<Vec<3>> rest_;  // where points are at the start [m]
  SpringBuffers springs_;
  std::optional<ExplicitSteps> explicit_;
  std::optional<ImplicitSteps> implicit_, response_;
  std::optional<Tearing> tearing_;
  Contact contact_;
  std::optional<Halving> halving_;
  Reactions reactions_;
  SteadyPushes steady_;
  Buffer<Vec<3>> before_;
  ImplicitSolve solve_;
  int substeps_ = 1;  // of the last step
};

std::unique_ptr<Stage> make_mass_spring(const MassSpringParams& p, World& world,
                                        const std::string& name) {
  return std::make_unique<MassSpring>(p, world, name);
}

}  // namespace

StageType mass_spring_type() {
  return stage_type(
      "mass_spring", "Springs between the points of a mesh: ropes, nets, cloth, soft bodies.",
      "Müller et al., \"Real Time Physics\", SIGGRAPH 2008 course notes, chapter 3; implicit steps "
      "after Baraff & Witkin, \"Large Steps in Cloth Simulation\", SIGGRAPH 1998",
      {"Springs know neither volume nor the bending of a plate (\"bending_stiffness\" does).",
       "Absolute stiffness means another material with every refinement of the mesh.",
       "Explicit steps need dt / substeps < 2 / omega; implicit Euler loses energy."},
      "docs/cloth_and_soft_bodies.md", make_mass_spring);
}

}  // namespace rtsim
