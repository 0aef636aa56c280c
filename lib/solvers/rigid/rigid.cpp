#include "solvers/rigid/rigid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bodies/contacts/collision.h"
#include "bodies/contacts/rigid_contacts.h"
#include "bodies/contacts/sleep.h"
#include "bodies/joints/rigid_joints.h"
#include "bodies/material.h"
#include "bodies/named_bodies.h"
#include "exec/team.h"
#include "rigid/contacts/contacts.h"
#include "rigid/contacts/held_contacts.h"
#include "rigid/motion/measures.h"
#include "rigid/motion/motion.h"
#include "rigid/motion/slender.h"

namespace rtsim {

namespace {

// [m] half the width of the thinnest body across, as a box of its moments has: of principal moments
// I_k, I_j + I_l - I_k = 2 m h_k^2 / 3. In the plane of a square: I = 2 m h^2 / 3.
template <int D>
double half_width(World& world, const std::string& bodies) {
  Table& t = world.table(bodies);
  const auto mass = t.download<Real>("mass");
  const auto inertia = t.download<rigid::Angular<D>>("inertia");
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < mass.size(); ++k) {
    if (!(mass[k] > 0)) continue;
    double sum = 0, most = 0;
    for (int a = 0; a < (D == 2 ? 1 : 3); ++a)
      sum += double(inertia[k][a]), most = std::max(most, double(inertia[k][a]));
    const double across = D == 2 ? sum : sum - 2 * most;
    least = std::min(least, std::sqrt(1.5 * std::max(across, 0.0) / double(mass[k])));
  }
  return least;
}

template <int D>
class Rigid final : public Stage {
 public:
  Rigid(const RigidParams& p, World& world, const std::string& name)
      : p_(p),
        rests_(name + ".turn_rests"),
        collision_(world, p.bodies.name, p.boundary.names),
        materials_(materials_of<D>(world, p.bodies.name, p.boundary.names, common())),
        most_restitution_(most(&rigid::Material<D>::restitution)),
        most_rolling_(most(&rigid::Material<D>::rolling)),
        contacts_(world, name, moving(world), most_rolling_ > 0),
        passes_(world, name),
        joints_(world, name, p.bodies.name),
        solver_bodies_(world.exec,
                       std::size_t(rigid::solver_body_rows<D> *
                                   (table(world).rows() + Index(p.boundary.names.size()) +
                                    rigid::padding_bodies))),
        pushes_(world.exec, std::size_t(table(world).rows())),
        any_slender_(std::ranges::any_of(
            table(world).template download<rigid::Angular<D>>("inertia"),
            [](const rigid::Angular<D>& i) { return rigid::slender_axis(i) >= 0; })) {
    for (const Real m : table(world).template download<Real>("mass")) mass_ += double(m);
    half_width_ = half_width<D>(world, p.bodies.name);
    solver_bodies_.zero();
    if constexpr (D == 3) {
      Table& t = world.add_table(rests_, table(world).rows());
      t.add<rigid::Orientation<D>>({"orientation", ""});
      t.add<rigid::Angular<D>>({"angular_velocity", "rad/s"});
    }
    contacts_.touch_with(materials_);
    contacts_.roll_on(collision_.round());
    add_contact_table<D>(world, p.bodies.name);
    if (p.sleep_after)
      sleep_.emplace(world, name, p.bodies.name, SleepParams{*p.sleep_after, p.sleep_speed},
                     joints_.pairs(), Index(p.boundary.names.size()));
    contacts_.exclude_from_clusters(excluded(world));
    if (joints_.none()) return;
    collision_.ignore(joints_.apart());
    contacts_.hold(joints_.held(table(world).rows()));
  }

  void refresh(World& world, double) override {
    joints_.place(world, 0);
    if (sleep_) sleep_->refresh(world);
  }

  void advance(World& world, const Step& step) override {
    constexpr Index few = 200;  // that are done before others would be awake
    if (table(world).rows() < few) return advance_bodies(world, step);
    with_resident_threads(world.exec, [&] { advance_bodies(world, step); });
  }

  void show(std::string_view table) override {
    if (table == contact_table(p_.bodies.name)) shows_contacts_ = true;
    if (table == joint_table(p_.bodies.name)) joints_.show();
  }
  void before_frame(World& world) override {
    joints_.before_frame(world);
    if (!shows_contacts_) return;
    fill_contact_table<D>(world, p_.bodies.name, dt_, body_states<D>(table(world)),
                          contacts_.count(), contacts_.blocks(), contacts_.given(),
                          solver_bodies_.span());
  }

  void measure(World& world, std::vector<Measurement>& out) const override {
    const std::string& b = p_.bodies.name;
    const rigid::MotionSums s =
        rigid::sums<D>(world.exec, world.gravity_vector<D>(), body_states<D>(table(world)));
    out.push_back({b + ".kinetic_energy", s.kinetic, "J"});
    out.push_back({b + ".potential_energy", s.potential, "J"});
    out.push_back({b + ".mass", s.mass, "kg"});
    static constexpr const char* axes[] = {".x", ".y", ".z"};
    for (int a = 0; a < D; ++a) out.push_back({b + ".momentum" + axes[a], s.momentum[a], "kg m/s"});
    for (int a = D == 2 ? 2 : 0; a < 3; ++a)
      out.push_back({b + ".angular_momentum" + axes[a], s.angular_momentum[a], "kg m^2/s"});
    const rigid::ContactFigures f =
        rigid::contact_figures<D>(world.exec, contacts_.blocks(), solver_bodies_.span());
    out.push_back({b + ".contacts", f.points, ""});
    out.push_back({b + ".penetration", f.penetration, "m"});
    out.push_back({b + ".residual", f.residual, "m/s"});
    if (sleep_) out.push_back({b + ".asleep", double(sleep_->asleep()), ""});
    joints_.measure(world, out);
  }

  // Bodies that overlap part at `push_speed`.
  Feed feed(World&) const override {
    Feed feed;
    feed.hidden = 0.5 * mass_ * p_.push_speed * p_.push_speed;
    feed.power = joints_.motor_power();
    return feed;
  }

  std::vector<ColumnUse> uses() const override {
    const std::string& b = p_.bodies.name;
    return {{b, "position", Access::write}, {b, "orientation", Access::write},
            {b, "velocity", Access::write}, {b, "angular_velocity", Access::write},
            {b, "force", Access::write},    {b, "torque", Access::write},
            {b, "mass", Access::read},      {b, "inertia", Access::read}};
  }

 private:
  void advance_bodies(World& world, const Step& step) {
    const Exec& ex = world.exec;
    const rigid::Bodies<D> bodies = view(world);
    const rigid::Loads<D> loads = loads_of(world);
    const rigid::Kick k = kick_of(world, step.dt);
    dt_ = step.dt;
    find(world, step);
    const Index count = table(world).rows();
    const rigid::Rows rows = rows_of(count), all = rows_of(count + Index(p_.boundary.names.size()));
    const rigid::BodyStates<D> states = body_states<D>(table(world));
    anchors_move_ = any_slender_ ||
                    (D == 3 && double(greatest_spin<D>(ex, rows, states)) * dt_ > rigid::far_turn);
    begin_motion(ex, rows, bodies, islands(world), solver_bodies_.span(), pushes_.span());
    begin_contacts(world, step, k.h);
    if (any_slender_) update_anchors(world, bodies, true);
    joints_.place(world, k.h);
    for (int s = 0; s < p_.substeps; ++s) {
      // Impulses of the last step act by their contacts, later ones by what they did to bodies.
      kick(ex, rows, k, bodies, loads, islands(world), most_restitution_ == 0, pushes_.span(),
           solver_bodies_.span());
      if (most_restitution_ > 0) bounce(world, rows, k.h);
      if (s == 0) contacts_.warm_start(ex, solver_bodies_.span());
      joints_.warm_start(world, pushes_.span(), solver_bodies_.span());
      solve_contacts(world, k.h, s == 0 ? passes_.first() : passes_.each(), false,
                     s + 1 == p_.substeps);
      joints_.solve(world, k, loads, pushes_.span(), solver_bodies_.span());
      settle_held(world, k.h, false);
      drift(ex, all, k, bodies, loads, contacts_.touched(), joints_.carried(), islands(world),
            rests(world), pushes_.span(), solver_bodies_.span());
      update_anchors(world, bodies, true);
      solve_contacts(world, k.h, 1, true);
      joints_.relax(world, k.h, pushes_.span(), solver_bodies_.span());
      settle_held(world, k.h, true);
      contacts_.add_reported(ex);
      joints_.add_loads(world, step.dt, s == 0);
    }
    if (any_slender_) update_anchors(world, bodies, false);
    end_motion<D>(ex, rows, bodies, loads, joints_.rests(world), solver_bodies_.span());
    joints_.place(world, k.h);
    contacts_.keep(world);
    watch(world, rows);
    if (sleep_) sleep_->settle(world, step.dt, collision_.boundaries_rest());
  }

  rigid::Material<D> common() const {
    return {Real(p_.friction),
            Real(p_.static_friction.value_or(p_.friction)),
            1,
            {},
            Real(p_.restitution),
            Real(p_.rolling_resistance)};
  }
  // The greatest of all.
  Real most(Real rigid::Material<D>::*of) const {
    Real m = common().*of;
    for (const rigid::Material<D>& own : materials_) m = std::max(m, own.*of);
    return m;
  }
  Table& table(World& world) const { return world.table(p_.bodies.name); }
  std::vector<bool> moving(World& world) const {
    std::vector<bool> moves;
    for (const Real m : table(world).template download<Real>("mass"))
      moves.push_back(rigid::inverse_or_zero(m) > 0);
    moves.resize(moves.size() + p_.boundary.names.size(), false);
    return moves;
  }
  // What joints hold gives way to them, and the arms of needles turn while impulses are found.
  std::vector<std::uint8_t> excluded(World& world) const {
    std::vector<std::uint8_t> bodies = joints_.held(table(world).rows());
    bodies.resize(std::size_t(table(world).rows()));
    const auto inertia = table(world).template download<rigid::Angular<D>>("inertia");
    for (std::size_t k = 0; k < bodies.size(); ++k)
      if (rigid::slender_axis(inertia[k]) >= 0) bodies[k] = 1;
    return bodies;
  }
  rigid::Bodies<D> view(World& world) const {
    Table& t = table(world);
    return {t.column<Vec<D>>("position"), t.column<rigid::Orientation<D>>("orientation"),
            t.column<Vec<D>>("velocity"), t.column<rigid::Angular<D>>("angular_velocity"),
            t.column<const Real>("mass"), t.column<const rigid::Angular<D>>("inertia")};
  }
  rigid::Loads<D> loads_of(World& world) const {
    return {table(world).template column<Vec<D>>("force"),
            table(world).template column<rigid::Angular<D>>("torque")};
  }
  rigid::TurnRests<D> rests(World& world) const {
    if constexpr (D == 2) return {};
    Table& t = world.table(rests_);
    return {t.column<rigid::Orientation<D>>("orientation"),
            t.column<rigid::Angular<D>>("angular_velocity")};
  }
  // [m] What lies behind a thin body is out of its reach, but not what gravity brings to it within
  // the step, which velocities at its start do not tell.
  double margin(const World& world, const Step& step) const {
    const Vec<D> g = world.gravity_vector<D>();
    const double fall = double(norm(g)) * step.dt * step.dt;
    return p_.margin.value_or(std::min(0.01, std::max(half_width_, fall)));
  }
  void find(World& world, const Step& step) {
    if (sleep_) return sleep_->find(world, step, margin(world, step), collision_);
    collision_.find(world, step, margin(world, step));
  }
  // Of [0, n) those that may move.
  rigid::Rows rows_of(Index n) const { return sleep_ ? sleep_->rows(n) : rigid::Rows{n}; }
  Span<const std::int32_t> islands(World& world) const {
    if (!sleep_) return {};
    return table(world).template column<const std::int32_t>("island");
  }
  void begin_contacts(World& world, const Step& step, Real h) {
    place_boundaries(world);
    const rigid::Stiffness k = stiffness(h);
    contacts_.begin(world, collision_.manifolds(), collision_.poses(), solver_bodies_.span(), k);
    passes_.begin(world, step.dt, k, contacts_.all_new(), contacts_.count(), contacts_.load());
    contacts_.mix(world.exec, collision_.poses());
    contacts_.watch(step.framed && shows_contacts_);
  }
  // All of them so many times, and what is stiffened as often as it takes each.
  void solve_contacts(World& world, Real h, int passes, bool relaxes, bool weighs = false) {
    const Exec& ex = world.exec;
    contacts_.solve_clusters(ex, law(world, h, relaxes), weighs, solver_bodies_.span());
    for (int pass = 0; pass < std::max(passes, contacts_.passes()); ++pass) {
      rigid::ContactLaw of_pass = law(world, h, relaxes);
      of_pass.again = pass >= passes, of_pass.beyond = Real(pass) / stiffness(h).passes;
      contacts_.solve(ex, of_pass, solver_bodies_.span());
    }
  }
  // Contacts of bodies that joints hold, and joints, in turns: until contacts have a fifth left
  // to answer, or no more than gravity gives them anyway.
  void settle_held(World& world, Real h, bool relaxes) {
    if (joints_.none()) return;
    constexpr Real part = Real(0.2);
    const rigid::ContactLaw law = this->law(world, h, relaxes);
    Real little = law.creep_speed;
    contacts_.begin_turns();
    int turn = 0;
    for (; turn < rigid::most_turns; ++turn) {
      const Real left = contacts_.answer_more(world.exec, law, little, solver_bodies_.span());
      if (!(left > little)) break;
      little = std::max(little, part * left);
      joints_.solve_again(world, h, relaxes, pushes_.span(), solver_bodies_.span());
    }
    if (turn > 0 && !relaxes) joints_.find_places(world, h, pushes_.span(), solver_bodies_.span());
  }
  void update_anchors(World& world, const rigid::Bodies<D>& bodies, bool turned) {
    if (!anchors_move_) return;
    contacts_.update_anchors(world.exec, bodies, collision_.manifolds(), solver_bodies_.span(),
                             any_slender_, turned);
  }
  void bounce(World& world, const rigid::Rows& rows, Real h) {
    const Exec& ex = world.exec;
    contacts_.bounce(ex, impact_law(world, h), p_.impact_passes, solver_bodies_.span());
    push(ex, rows, pushes_.span(), solver_bodies_.span());
  }
  rigid::Kick kick_of(World& world, double dt) const {
    const double h = dt / p_.substeps;
    return {Real(h),
            {{world.gravity[0], world.gravity[1], world.gravity[2]}},
            std::exp(-p_.linear_damping * h),
            std::exp(-p_.angular_damping * h)};
  }
  rigid::Stiffness stiffness(double h) const {
    constexpr double sag = 0.0274, most_passes = 16, fade = 0.25;  // [s]
    const double hertz = p_.contact_hertz.value_or(std::min(35.0, 1 / (7 * h)));
    return rigid::stiffness(h, 2 * 3.14159265358979323846 * hertz, p_.contact_damping, sag,
                            most_passes, std::exp(-dt_ / fade), p_.push_speed);
  }
  rigid::ContactLaw law(World& world, Real h, bool relaxes) const {
    return {relaxes,
            false,
            0,
            1 / h,
            Real(p_.push_speed),
            most_restitution_ > 0 ? Real(p_.restitution_threshold) : Real(1e30),
            Real(p_.static_friction.value_or(p_.friction)),
            Real(p_.friction),
            Real(2 * h) * norm(world.gravity_vector<3>()),
            most_rolling_};
  }
  rigid::ImpactLaw impact_law(World& world, Real h) const {
    const auto& g = world.gravity;
    return {h,
            Real(p_.restitution),
            Real(p_.restitution_threshold),
            Real(p_.friction),
            {{g[0], g[1], g[2]}}};
  }
  void place_boundaries(World& world) {
    std::vector<Row4> rows;
    for (const BoundaryStep<D>& b : collision_.boundaries()) {
      rigid::SolverBody<D, Real> m{};
      m.twist = {b.velocity, b.angular_velocity};
      m.turned[D == 2 ? 0 : 3] = 1;
      rows.resize(rows.size() + rigid::solver_body_rows<D>);
      store_solver_body(rows.data() + rows.size() - rigid::solver_body_rows<D>, m);
    }
    world.exec.upload(solver_bodies_.data() + rigid::solver_body_rows<D> * table(world).rows(),
                      rows.data(), rows.size() * sizeof(Row4));
  }
  void watch(World& world, const rigid::Rows& rows) {
    const Index row = rigid::first_astray<D>(world.exec, rows, body_states<D>(table(world)));
    if (row >= 0)
      throw Diverged(
          fmt::format("position or velocity of body {} of '{}' is not finite; forces on it are too "
                      "large: use shorter steps",
                      row, p_.bodies.name));
  }

  RigidParams p_;
  double mass_ = 0;        // [kg] of all bodies
  double half_width_ = 0;  // [m] of the thinnest
  bool shows_contacts_ = false;
  std::string rests_;  // table of what orientations and spins round
  Collision<D> collision_;
  std::vector<rigid::Material<D>> materials_;  // of bodies, then of boundaries; or none
  Real most_restitution_, most_rolling_;
  RigidContacts<D> contacts_;
  ContactPasses passes_;
  RigidJoints<D> joints_;
  std::optional<Sleep<D>> sleep_;
  Buffer<Row4> solver_bodies_;  // bodies, boundaries, spare ones
  Buffer<rigid::Push<D>> pushes_;
  bool any_slender_, anchors_move_ = false;  // anchors_move_: of contacts, in this step
  double dt_ = 1;                            // [s] of the last step
};

std::unique_ptr<Stage> make_rigid(const RigidParams& p, World& world, const std::string& name) {
  if (world.dim == 2) return std::make_unique<Rigid<2>>(p, world, name);
  return std::make_unique<Rigid<3>>(p, world, name);
}

}  // namespace

StageType rigid_type() {
  return stage_type(
      "rigid", "Rigid bodies with contact and friction, in small substeps.",
      "Catto, \"Solver2D\", box2d.org 2024; Guendelman et al., \"Nonconvex rigid bodies with "
      "stacking\", SIGGRAPH 2003; friction of a patch: Howe & Cutkosky, \"Practical force-motion "
      "models for sliding manipulation\", IJRR 15, 1996",
      {"Contacts are found once a step, and their normals stay through its substeps.",
       "Large piles give under load: a cube of 1 m sinks by 0.42 mm under each one above it.",
       "Jointed bodies sink into what they hit where one bears more than 50 times its mass."},
      "docs/rigid.md", make_rigid);
}

}  // namespace rtsim
