#include "solvers/cloth_implicit/cloth_implicit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "deformables/contacts/implicit_contact.h"
#include "deformables/mesh_series.h"
#include "deformables/reactions.h"
#include "deformables/steady_pushes.h"
#include "mass_spring/mass_spring.h"
#include "pbd/measures.h"
#include "solvers/cloth_implicit/cloth_implicit_steps.h"

namespace rtsim {

namespace {

class ClothImplicit final : public Stage {
 public:
  ClothImplicit(const ClothImplicitParams& p, World& world, const std::string& name)
      : p_(p),
        steps_(world, p),
        contacts_(p.contact, world, p.mesh.name),
        reactions_(world, p.mesh.name),
        steady_(world, p.mesh.name) {
    if (contact_.has_bodies() && p.solve.newton_iterations > 1)
      throw Error(
          ExitCode::bad_input,
          "\"newton_iterations\" lose what bodies in the \"boundary\" are pushed by; take 1, "
          "and more \"substeps\"");
    if (p.stretch_change || contact_.any()) halving_.emplace(world, name);
    world.responses[p.mesh.name] = [this](World& w, const ImpulseResponse& r) { respond(w, r); };
  }

  void advance(World& world, const Step& step) override {
    const cloth::Points points = this->points(world);
    const auto target = table(world).column<const Vec<3>>("target");
    mass_spring::aim(world.exec, points, target, Real(step.dt));
    const int parts = contact_.parts(world, step, p_.substeps, points.position, points.velocity,
                                     points.inverse_mass);
    const int substeps = p_.substeps * parts;
    if (halving_)
      halving_->advance(world, substeps, {points.position, points.velocity}, [&](int n, bool last) {
        halving_->begin(contact_.unseen_energy(world));
        take_substeps(world, step, n, last);
        return came();
      });
    else
      take_substeps(world, step, substeps, true);
    mass_spring::arrive(world.exec, points, target);
    reactions_.end(world);
    watch_velocities(world, p_.mesh.name,
                     "look at stiffness, masses and velocities of the last frame; more "
                     "\"substeps\" or \"stretch_change\": 0.1 may help");
  }

  std::string warning(World&) const override {
    const std::string unsolved = solve_.warning(p_.mesh.name, p_.solve);
    if (!unsolved.empty()) return unsolved;
    if (halving_ && halving_->made_energy()) return Halving::warning(p_.mesh.name, substeps_);
    return contact_.warning();
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    const std::string& m = p_.mesh.name;
    measure_motion(world, m, out);
    const auto x = table(world).column<const Vec<3>>("position");
    const cloth::Mesh mesh = steps_.mesh().view();
    const cloth::Fabric<Real> k = steps_.mesh().fabric(1);
    const cloth::Energies e = cloth::energies(world.exec, mesh, k, x);
    const double bending = steps_.plates().energy(world.exec, x);
    const cloth::Strain s = cloth::strain(world.exec, mesh, k, x);
    const auto add = [&](const char* quantity, double value, const char* unit) {
      out.push_back({m + "." + quantity, value, unit});
    };
    add("stretch_energy", e.stretch, "J");
    add("shear_energy", e.shear, "J");
    add("bending_energy", bending, "J");
    add("elastic_energy", e.stretch + e.shear + bending, "J");
    add("strain_mean", s.sum / s.area, "");
    add("strain_max", s.greatest, "");
    add("iterations", solve_.iterations, "");
    add("residual", solve_.residual, "");
    if (halving_) add("substeps", substeps_, "");
    contact_.measure(world, m, out);
  }

  Feed feed(World&) const override { return contact_.feed(); }

  std::vector<ColumnUse> uses() const override { return uses_of_mesh(p_.mesh.name); }

 private:
  void take_substeps(World& world, const Step& step, int substeps, bool last) {
    solve_ = {}, substeps_ = substeps;
    reactions_.begin();
    contact_.begin(world, step, substeps);
    const double h = step.dt / substeps;
    for (int k = 0; k < substeps && (last || came() != Halving::Came::to_too_much); ++k)
      substep(world, k, h);
  }
  // Triangles that change too much (Baraff & Witkin 1998, section 6), or energy that was made.
  Halving::Came came() const {
    using enum Halving::Came;
    const double most = p_.stretch_change.value_or(std::numeric_limits<double>::infinity());
    if (halving_ && (halving_->made_energy() || solve_.change > most)) return to_too_much;
    return solve_.change < 0.25 * most ? to_little : to_enough;
  }

  void substep(World& world, int k, double h) {
    const cloth::Points p = points(world);
    steady_.act(world, h);
    const bool watched =
        contact_.any() && (p_.solve.newton_iterations == 1 || !contact_.boundaries_move());
    const EnergySum before = watched ? energy(world) : EnergySum{};
    contacts_.substep(
        world, k, h, p, true,
        {[&](auto constraints, CarryingBodies& bodies) { solve(world, h, constraints, bodies); },
         [&] { return steps_.impulses(); }});
    reactions_.add({p.mass, p.inverse_mass, p.velocity}, steps_.push_on_held());
    if (watched)
      halving_->look(before, energy(world),
                     reactions_.work() + contacts_.fed(world.exec, steps_.impulses()));
  }

  EnergySum energy(World& world) {
    Table& t = table(world);
    const auto x = t.column<const Vec<3>>("position");
    const pbd::Sums s =
        pbd::sums(world.exec, world.gravity_vector<3>(), t.column<const Real>("mass"), x,
                  t.column<const Vec<3>>("velocity"));
    const cloth::Energies e =
        cloth::energies(world.exec, steps_.mesh().view(), steps_.mesh().fabric(1), x);
    return {s.kinetic + contact_.kinetic_energy_of_bodies(),
            e.stretch + e.shear + steps_.plates().energy(world.exec, x), s.potential};
  }

  void solve(World& world, double h, Span<cloth::ContactConstraint> constraints,
             CarryingBodies& bodies) {
    steps_.advance(cloth_step(world, h, constraints, bodies), solve_);
  }
  void respond(World& world, const ImpulseResponse& r) {
    if (r.change.size == 0) return;
    CarryingBodies none;
    steps_.respond(cloth_step(world, r.h, {}, none), r);
  }
  ClothStep cloth_step(World& world, double h, Span<cloth::ContactConstraint> constraints,
                       CarryingBodies& bodies) {
    return {world.exec, points(world), {world.gravity_vector<3>(), Real(p_.drag)},
            h,          constraints,   contact_.friction(),
            bodies};
  }

  Table& table(World& w) const { return w.table(p_.mesh.name); }
  cloth::Points points(World& w) const {
    Table& t = table(w);
    return {t.column<const Real>("mass"), t.column<const Real>("inverse_mass"),
            t.column<Vec<3>>("position"), t.column<Vec<3>>("velocity")};
  }

  ClothImplicitParams p_;
  ClothSteps steps_;
  ImplicitContact contacts_;
  Reactions reactions_;
  SteadyPushes steady_;
  Contact& contact_ = contacts_.contact();
  std::optional<Halving> halving_;
  ClothSolve solve_;
  int substeps_ = 1;  // of the last step
};

std::unique_ptr<Stage> make_cloth_implicit(const ClothImplicitParams& p, World& world,
                                           const std::string& name) {
  return std::make_unique<ClothImplicit>(p, world, name);
}

}  // namespace

StageType cloth_implicit_type() {
  return stage_type(
      "cloth_implicit", "Woven cloth that stretches, shears and bends, by large implicit steps.",
      "Baraff & Witkin, \"Large Steps in Cloth Simulation\", SIGGRAPH 1998; tangents made positive "
      "after Choi & Ko, \"Stable but Responsive Cloth\", SIGGRAPH 2002; bending after Bergou et "
      "al., "
      "\"A Quadratic Bending Model for Inextensible Surfaces\", SGP 2006",
      {"Implicit Euler loses energy and spin, more at larger steps.",
       "Warp and weft stretch independently: there is no Poisson ratio.",
       "Points do not rebound from boundaries; iterations grow with the points along a side."},
      "docs/cloth_and_soft_bodies.md", make_cloth_implicit);
}

}  // namespace rtsim
