#include "solvers/fem/fem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "deformables/contacts/implicit_contact.h"
#include "deformables/impulse_response.h"
#include "deformables/mesh_series.h"
#include "deformables/reactions.h"
#include "mass_spring/mass_spring.h"
#include "pbd/measures.h"
#include "solvers/fem/fem_loads.h"
#include "solvers/fem/fem_steps.h"
#include "stage/fed.h"

namespace rtsim {

namespace {

constexpr double nearly_locked = 0.45;
class Fem final : public Stage {
 public:
  Fem(const FemParams& p, World& world, const std::string& name)
      : p_(p),
        points_(name + ".points"),
        steps_(world, p),
        pressures_(p, world),
        contacts_(p.contact, world, p.mesh.name),
        reactions_(world, p.mesh.name) {
    if (pressures_.any()) fed_.emplace(world, name);
    if (p.plastic.yield_strain)
      plastic_.emplace(p.plastic, world, p.mesh.name, std::size_t(steps_.mesh().points()));
    if (contact_.has_bodies() && (!p.implicit() || p.solve.newton_iterations > 1))
      throw Error(ExitCode::bad_input,
                  "bodies in the \"boundary\" are solved for along with a system that is "
                  "linearised once: take \"newton_iterations\": 1 with an implicit "
                  "\"integrator\", and more \"substeps\"");
    if (contact_.has_bodies() && p.plastic.yield_strain)
      throw Error(
          ExitCode::bad_input,
          "bodies in the \"boundary\" with \"plastic\" flow: their steps are taken again by "
          "halves, which would flow twice; tie or hold the mesh, or leave one of them away");
    if (contact_.has_bodies() && p.integrator == FemIntegrator::newmark)
      throw Error(ExitCode::bad_input,
                  "bodies in the \"boundary\" with \"newmark\", which pushes them with half of "
                  "what they push: take \"backward_euler\"");
    if (p.integrator == FemIntegrator::backward_euler &&
        (contact_.any() || p.solve.newton_iterations == 1))
      halving_.emplace(world, name);
    if (newmark()) halving_.emplace(world, name, Halving::Energy::swings);
    if (p.implicit())
      world.responses[p.mesh.name] = [this](World& w, const ImpulseResponse& r) { respond(w, r); };
    Table& t = table(world);
    Table& own = world.add_table(points_, t.rows());
    own.add<Vec<3>>({"remainder", "m"});
    if (p.implicit()) own.add<Vec<3>>({"velocity_after", "m/s"});
    if (p.integrator == FemIntegrator::bdf2) {
      own.add<Vec<3>>({"position_before", "m"});
      own.add<Vec<3>>({"remainder_before", "m"});
      own.add<Vec<3>>({"velocity_before", "m/s"});
    }
    t.add<Real>({"von_mises", "Pa", Role::derived});
    t.add<Real>({"energy_density", "J/m^3", Role::derived});
    t.add<Real>({"volume_ratio", "", Role::derived});
  }

  void advance(World& world, const Step& step) override {
    look_at_plastic(world);
    const fem::Points points = this->points(world);
    const auto target = table(world).column<const Vec<3>>("target");
    mass_spring::aim(world.exec, points, target, Real(step.dt));
    const int parts = contact_.parts(world, step, p_.substeps, points.position, points.velocity,
                                     points.inverse_mass);
    const int substeps = p_.substeps * parts;
    if (halving_ && plastic_) plastic_->keep(world);
    if (halving_)
      halving_->advance(world, substeps, state(world), [&](int n, bool last) {
        halving_->begin(contact_.unseen_energy(world), steps_.mesh().rounding_energy());
        if (plastic_) plastic_->bring_back(world);
        take_substeps(world, step, n, last);
        return halving_->made_energy() ? Halving::Came::to_too_much : Halving::Came::to_little;
      });
    else
      take_substeps(world, step, substeps, true);
    if (fed_) fed_->add(world, pushed_);
    reactions_.end(world);
    mass_spring::arrive(world.exec, points, target);
    watch_velocities(world, p_.mesh.name, remedy(step.dt));
  }

  void before_frame(World& world) override { fill_columns(world); }
  void refresh(World& world, double) override {
    look_at_plastic(world);
    fill_columns(world);
  }

  // Of small strains: omega h < 2 of the fastest mode, less by damping.
  double stable_dt(World&) const override {
    if (p_.implicit()) return std::numeric_limits<double>::infinity();
    return p_.substeps * 2 / (std::sqrt(steps_.mesh().stiffest()) + p_.rayleigh_mass);
  }

  std::string warning(World&) const override {
    const std::string unsolved = solve_.warning(p_.mesh.name, p_.solve);
    if (!unsolved.empty()) return unsolved;
    if (halving_ && halving_->made_energy()) return Halving::warning(p_.mesh.name, substeps_);
    if (!steps_.mesh().second_order() && greatest_poissons_ratio(p_) > nearly_locked)
      return fmt::format(
          "linear elements lock where \"poissons_ratio\" nears 0.5: with {} '{}' bends less than "
          "it should; take less than {}, or \"order\": 2 of the mesh",
          greatest_poissons_ratio(p_), p_.mesh.name, nearly_locked);
    return contact_.warning();
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    const std::string& m = p_.mesh.name;
    measure_motion(world, m, out);
    const fem::CompensatedPlaces at = places(world);
    const fem::Extremes e =
        fem::extremes(world.exec, steps_.mesh().view(), steps_.places(world.exec, at));
    const auto add = [&](const char* quantity, double value, const char* unit) {
      out.push_back({m + "." + quantity, value, unit});
    };
    add("elastic_energy", steps_.elastic_energy(world.exec, at), "J");
    add("volume_ratio_min", e.least_ratio, "");
    add("von_mises_max", e.greatest_stress, "Pa");
    if (p_.implicit()) {
      add("iterations", solve_.iterations, "");
      add("residual", solve_.residual, "");
    }
    if (halving_) add("substeps", substeps_, "");
    if (plastic_) add("plastic_strain_max", plastic_->greatest(), "");
    if (fed_) fed_->measure(world, m, out);
    contact_.measure(world, m, out);
  }

  Feed feed(World&) const override {
    Feed feed = contact_.feed();
    feed.hidden += steps_.mesh().rounding_energy();
    return feed;
  }

  std::vector<ColumnUse> uses() const override { return uses_of_mesh(p_.mesh.name); }

 private:
  void take_substeps(World& world, const Step& step, int substeps, bool last) {
    solve_ = {}, substeps_ = substeps, pushed_ = 0;
    reactions_.begin();
    contact_.begin(world, step, substeps);
    const double h = step.dt / substeps;
    for (int k = 0; k < substeps && (last || !halving_ || !halving_->made_energy()); ++k)
      substep(world, step, k, h);
  }

  void substep(World& world, const Step& step, int k, double h) {
    const fem::Points p = points(world);
    const bool watched = halving_ && knows_work(world.exec, p);
    const EnergySum before = watched ? energy(world) : EnergySum{};
    pressures_.find(world.exec, p, step.time + (k + 0.5) * h);
    ImplicitContact::Solver solver{[&](auto constraints, CarryingBodies& bodies) {
                                     solve(world, h, constraints, bodies, step.index > 0 || k > 0);
                                   },
                                   [&] { return steps_.impulses(); }};
    if (p_.implicit())
      solver.answer = [&](auto impulse, double length, auto change, bool again) {
        respond(world, {impulse, length, change, again});
      };
    contacts_.substep(world, k, h, p, p_.implicit(), solver);
    reactions_.add_kept({p.mass, p.inverse_mass, p.velocity},
                        {Real(h), world.gravity_vector<3>(), pressures_.force()});
    const double pushed = pressures_.work(world.exec, p);
    pushed_ += pushed;
    if (plastic_)
      plastic_->flow(world, steps_.mesh().view(), steps_.places(world.exec, places(world)), h);
    if (watched)
      halving_->look(before, energy(world),
                     reactions_.work() + contacts_.fed(world.exec, steps_.impulses()) + pushed);
  }

  void respond(World& world, const ImpulseResponse& r) {
    if (r.change.size == 0) return;
    look_at_plastic(world);
    CarryingBodies none;
    const FemStep s{world.exec, points(world), places(world), {}, r.h, {}, 0, none};
    if (!r.again) steps_.begin_response(s);
    steps_.respond(s, r.impulse, r.change);
  }

  void look_at_plastic(World& world) {
    if (plastic_) steps_.set_plastic(plastic_->strain(world));
  }

  EnergySum energy(World& world) {
    Table& t = table(world);
    const auto x = t.column<const Vec<3>>("position");
    const pbd::Sums s =
        pbd::sums(world.exec, world.gravity_vector<3>(), t.column<const Real>("mass"), x,
                  t.column<const Vec<3>>("velocity"));
    return {s.kinetic + contact_.kinetic_energy_of_bodies(),
            steps_.elastic_energy(world.exec, places(world)), s.potential};
  }

  void solve(World& world, double h, Span<cloth::ContactConstraint> constraints,
             CarryingBodies& bodies, bool later) {
    FemStep s{world.exec, points(world), places(world),       world.gravity_vector<3>(),
              h,          constraints,   contact_.friction(), bodies};
    s.force = pressures_.force(), s.reacts = reactions_.wanted();
    s.begun = later;
    if (p_.implicit()) s.before.v_after = own(world, "velocity_after");
    if (p_.integrator == FemIntegrator::bdf2) {
      s.before.places = {own(world, "position_before"), own(world, "remainder_before")};
      s.before.v = own(world, "velocity_before");
    }
    steps_.advance(s, solve_);
    reactions_.keep(steps_.push_on_held(), steps_.push_scale(h));
  }

  void fill_columns(World& world) {
    Table& t = table(world);
    steps_.fill_columns(world.exec, places(world),
                        {t.column<Real>("von_mises"), t.column<Real>("energy_density"),
                         t.column<Real>("volume_ratio")});
  }

  std::string remedy(double dt) const {
    if (p_.implicit())
      return "look at stiffness, masses and velocities of the last frame; more \"substeps\" may "
             "help";
    const double allowed =
        2 * p_.substeps / (std::sqrt(steps_.mesh().stiffest()) + p_.rayleigh_mass);
    return fmt::format(
        "dt {:.3g} s, elements allow {:.3g} s: try \"substeps\": {:.0f}, or \"integrator\": "
        "\"backward_euler\"",
        dt, allowed, std::ceil(1.1 * p_.substeps * dt / allowed));
  }

  // What boundaries do is known of a system that is linearised once, and what holders do but where
  // contact pushes along what hangs on them.
  bool knows_work(const Exec& ex, const fem::Points& p) const {
    if (contact_.meets_itself()) return !contacts_.driven(ex, p);
    return (p_.solve.newton_iterations == 1 && !newmark()) || !contact_.boundaries_move();
  }
  bool newmark() const { return p_.integrator == FemIntegrator::newmark; }
  Table& table(World& w) const { return w.table(p_.mesh.name); }
  Span<Vec<3>> own(World& w, const char* column) const {
    return w.table(points_).column<Vec<3>>(column);
  }
  fem::Points points(World& w) const {
    Table& t = table(w);
    return {t.column<const Real>("mass"), t.column<const Real>("inverse_mass"),
            t.column<Vec<3>>("position"), t.column<Vec<3>>("velocity")};
  }

  // What a substep changes of points.
  std::vector<Span<Vec<3>>> state(World& w) const {
    const fem::Points p = points(w);
    return {p.position, own(w, "remainder"), p.velocity, own(w, "velocity_after")};
  }
  fem::CompensatedPlaces places(World& w) const {
    return {table(w).column<Vec<3>>("position"), own(w, "remainder")};
  }

  FemParams p_;
  std::string points_;      // the table of what frames do not show
  mutable FemSteps steps_;  // its scratch measures as well
  FemPressures pressures_;
  std::optional<Fed> fed_;  // by pressure
  std::optional<FemPlastic> plastic_;
  ImplicitContact contacts_;
  Reactions reactions_;
  Contact& contact_ = contacts_.contact();
  std::optional<Halving> halving_;
  ImplicitSolve solve_;
  int substeps_ = 1;   // of the last step
  double pushed_ = 0;  // [J] by pressure in it
};

std::unique_ptr<Stage> make_fem(const FemParams& p, World& world, const std::string& name) {
  return std::make_unique<Fem>(p, world, name);
}

}  // namespace

StageType fem_type() {
  return stage_type(
      "fem", "Elastic solids in units: tetrahedra, or triangles as plane strain.",
      "Müller & Gross, \"Interactive Virtual Materials\", Graphics Interface 2004; Smith, de Goes "
      "& Kim, \"Stable Neo-Hookean Flesh Simulation\", TOG 2018; second slopes after Smith, de "
      "Goes & Kim, \"Analytic Eigensystems for Isotropic Distortion Energies\", TOG 2019",
      {"Linear elements bend too little (67, 89, 97 % with 2, 4, 8 cells); take \"order\": 2.",
       "Materials are alike in all directions and do not break; pressure acts at a substep's "
       "start.",
       "Points of the surface alone touch boundaries."},
      "docs/cloth_and_soft_bodies.md", make_fem);
}

}  // namespace rtsim
