#include "deformables/contacts/contact_bodies.h"

#include <algorithm>
#include <cmath>

#include "base/quaternion.h"
#include "bodies/six_unknowns.h"
#include "deformables/body_parts.h"
#include "rigid/body.h"

namespace rtsim {

namespace {

using Quaternion = rigid::Orientation<3>;

constexpr double never_turns = 1e30;  // [kg m^2] of axes without a moment

Vector6 six(const Twist& t) {
  Vector6 v;
  for (int a = 0; a < 3; ++a) v[a] = t.linear[a], v[3 + a] = t.angular[a];
  return v;
}
Twist twist(const Vector6& v) {
  Twist t;
  for (int a = 0; a < 3; ++a) t.linear[a] = v[a], t.angular[a] = v[3 + a];
  return t;
}
Twist operator+(const Twist& a, const Twist& b) {
  return {a.linear + b.linear, a.angular + b.angular};
}
Twist operator-(const Twist& a, const Twist& b) {
  return {a.linear - b.linear, a.angular - b.angular};
}

VecT<double, 4> normalised(const VecT<double, 4>& q) { return 1 / norm(q) * q; }

// Of a small turn from one place to another [rad].
Vec3d turn_between(const VecT<double, 4>& from, const VecT<double, 4>& to) {
  const VecT<double, 4> q = product(to, back(from));
  const Vec3d u{{q[0], q[1], q[2]}};
  const double sine = norm(u), sign = q[3] < 0 ? -1 : 1;
  return sine > 0 ? sign * 2 * std::atan2(sine, std::abs(q[3])) / sine * u : Vec3d{};
}

Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>> matrix(
    const contact::RigidMatrix& m) {
  return Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(&m.m[0][0]);
}

}  // namespace

ContactBodies::ContactBodies(World& world, const std::string& bodies, const std::string& mesh)
    : bodies_(bodies), seen_(bodies + ".seen@" + mesh), forces_(force_table(bodies, mesh)) {
  Table& t = world.table(bodies);
  const BodySet& set = *world.object(bodies).bodies;
  shape_ = t.download<std::int32_t>("shape");
  for (const BodyShape& shape : set.shapes) {
    std::deque<TriangleTree> trees;
    solids_.emplace_back(world, parts_of(shape, trees));
  }
  for (const Real m : t.download<Real>("mass")) mass_.push_back(m < Real(1e30) ? double(m) : 0.);
  for (const Vec<3>& i : t.download<Vec<3>>("inertia")) {
    moments_.push_back(widen(i));
    for (double& of_axis : moments_.back().c)
      if (!(of_axis > 0)) of_axis = never_turns;
  }
  Table& seen = world.add_table(seen_, t.rows());
  seen.add<Vec<3>>({"position", "m"}, t.download<Vec<3>>("position"));
  seen.add<Quaternion>({"orientation", ""}, t.download<Quaternion>("orientation"));
  Table& forces = world.add_table(forces_, t.rows());
  forces.add<Vec3d>({"force", "N"});
  forces.add<Vec3d>({"kick", "m/s"}), forces.add<Vec3d>({"spin_kick", "rad/s"});
  forces.add<Vec3d>({"steady_force", "N"}), forces.add<Vec3d>({"steady_torque", "N m"});
}

std::vector<ContactBodies::Place> ContactBodies::read(Table& t) {
  const auto x = t.download<Vec<3>>("position");
  const auto q = t.download<Quaternion>("orientation");
  std::vector<Place> places;
  for (std::size_t b = 0; b < x.size(); ++b) {
    Place p{widen(x[b]), {}};
    for (int a = 0; a < 4; ++a) p.turning[a] = q[b][a];
    p.turning = normalised(p.turning);
    places.push_back(p);
  }
  return places;
}

// x + h v, q + h/2 w q.
ContactBodies::Place ContactBodies::moved(const Place& p, const Twist& velocity, double h) {
  const Vec3d half = 0.5 * h * velocity.angular;
  const VecT<double, 4> w{{half[0], half[1], half[2], 0}};
  return {p.position + h * velocity.linear, normalised(p.turning + product(w, p.turning))};
}

Pose ContactBodies::pose(const Place& place) {
  Pose p;
  for (int a = 0; a < 3; ++a) {
    Vec3d e;
    e[a] = 1;
    const Vec3d column = rtsim::turned(place.turning, e);
    for (int r = 0; r < 3; ++r) p.row[r][a] = column[r];
  }
  p.translation = place.position;
  return p;
}

Pose ContactBodies::place(World& world, Index row) const {
  return pose(read(world.table(bodies_))[std::size_t(row)]);
}
Pose ContactBodies::end(Index row) const { return pose(end_of(now_[std::size_t(row)])); }

Pose ContactBodies::free_end(Index row) const {
  const Motion& m = now_[std::size_t(row)];
  return pose(moved(m.place, m.entered, h_));
}

// From where the bodies were last seen to where the bodies' own stage has brought them, and on with
// their velocities: other contacts may have stopped them there. A solver that repeats its step must
// see the bodies where it saw them before.
void ContactBodies::begin(World& world, const Step& step) {
  if (step.index != step_) {
    Table& t = world.table(bodies_);
    from_ = read(world.table(seen_)), true_ = read(t);
    const auto v = t.download<Vec<3>>("velocity"), w = t.download<Vec<3>>("angular_velocity");
    approach_.clear();
    for (std::size_t b = 0; b < v.size(); ++b)
      approach_.push_back(
          {widen(v[b]) + 1 / step.dt * (true_[b].position - from_[b].position),
           widen(w[b]) + 1 / step.dt * turn_between(from_[b].turning, true_[b].turning)});
  }
  step_ = step.index, dt_ = step.dt, substep_ = 0;
  now_.clear();
  for (std::size_t b = 0; b < from_.size(); ++b)
    now_.push_back({from_[b], approach_[b], approach_[b], {}, {}, approach_[b], {}});
}

void ContactBodies::enter(int substep, double h) {
  for (std::size_t b = 0; substep != substep_ && b < now_.size(); ++b) {
    Motion& m = now_[b];
    m.turned = m.turned + h_ * (m.tried.angular - approach_[b].angular);
    m.place = moved(m.place, m.tried, h_);
    m.tried = m.entered = m.velocity;
    m.impulse_before = m.total_impulse;
  }
  substep_ = substep, h_ = h;
}

void ContactBodies::restore_substep() {
  for (Motion& m : now_) m.velocity = m.tried = m.entered, m.total_impulse = m.impulse_before;
}

Vec3d ContactBodies::spin(std::size_t b, const VecT<double, 4>& q, const Vec3d& w) const {
  Vec3d own = rtsim::turned(back(q), w);
  for (int a = 0; a < 3; ++a) own[a] *= moments_[b][a];
  return rtsim::turned(q, own);
}

contact::RigidMatrix ContactBodies::inertia(Index row) const {
  const std::size_t b = std::size_t(row);
  contact::RigidMatrix own;
  for (int a = 0; a < 3; ++a) {
    Vec3d e;
    e[a] = 1, own.m[a][a] = mass_[b];
    const Vec3d column = spin(b, now_[b].place.turning, e);
    for (int r = 0; r < 3; ++r) own.m[3 + r][3 + a] = column[r];
  }
  return own;
}

double ContactBodies::kinetic_energy() const {
  double sum = 0;
  for (std::size_t b = 0; b < now_.size(); ++b)
    if (mass_[b] > 0) {
      const auto& [v, w] = now_[b].velocity;
      sum += 0.5 * mass_[b] * dot(v, v) + 0.5 * dot(w, spin(b, now_[b].place.turning, w));
    }
  return sum;
}

Twist ContactBodies::about(const Vec3d& centre, const contact::ImpulseSum& p) {
  return {p.impulse, p.moment - cross(centre, p.impulse)};
}

// V - J / M.
Twist ContactBodies::after_impulse(std::size_t b, const Twist& velocity,
                                   const Twist& impulse) const {
  if (!(mass_[b] > 0)) return velocity;
  const VecT<double, 4>& q = now_[b].place.turning;
  Vec3d own = rtsim::turned(back(q), impulse.angular);
  for (int a = 0; a < 3; ++a) own[a] /= moments_[b][a];
  return velocity - Twist{1 / mass_[b] * impulse.linear, rtsim::turned(q, own)};
}

void ContactBodies::apply_impulse(std::size_t b, const Twist& impulse) {
  Motion& m = now_[b];
  m.total_impulse = m.total_impulse + impulse;
  m.velocity = m.tried = after_impulse(b, m.velocity, impulse);
}
void ContactBodies::apply_impulse(Index row, const contact::ImpulseSum& sum) {
  apply_impulse(std::size_t(row), about(centre(row), sum));
}

// A step of Newton's method towards M (V' - V) + J(V') = 0. J is the gradient of the convex energy
// that inelastic impacts dissipate; with all pushed points stuck to the body, its Hessian is at
// most that of their masses, so that a step never goes beyond the solution.
bool ContactBodies::newton_step(Index row, const contact::ImpulseSum& on,
                                const contact::PushedMass& pushed, double slack) {
  const std::size_t b = std::size_t(row);
  Motion& m = now_[b];
  const contact::RigidMatrix own = inertia(row), all = own + pushed.resists;
  const Vector6 impulse = six(about(end_centre(row), on));
  const Vector6 left = matrix(own) * six(m.tried - m.velocity) + impulse;
  const Vector6 step = solve_symmetric(matrix(all), -left);
  const Vector6 off = solve_symmetric(matrix(own), -left);  // to what it would have afterwards
  const double energy = 0.5 * std::abs(off.dot(impulse));
  if (energy <= 0.01 * pushed.energy && h_ * off.head<3>().norm() <= slack) return true;
  m.tried = m.tried + twist(step);
  return false;
}

bool ContactBodies::back_off(Index row, double slack) {
  Motion& m = now_[std::size_t(row)];
  const Twist back{0.5 * (m.velocity.linear - m.tried.linear),
                   0.5 * (m.velocity.angular - m.tried.angular)};
  if (back.linear == Vec3d{} && back.angular == Vec3d{}) return true;
  m.tried = m.tried + back;
  return h_ * norm(back.linear) <= slack;
}

// With a share s of the impulse J the energy of body and points changes by
//   s (work - V J) + s^2 (energy + J M^-1 J / 2),
// which is least halfway to where it is as at the start.
double ContactBodies::inelastic_share(Index row, const contact::ImpulseSum& on,
                                      const contact::PushedMass& pushed) const {
  const std::size_t b = std::size_t(row);
  if (!(mass_[b] > 0)) return 1;
  const Motion& m = now_[b];
  const Twist impulse = about(end_centre(row), on);
  const Twist change = m.velocity - after_impulse(b, m.velocity, impulse);
  const double first = pushed.work - six(m.velocity).dot(six(impulse));
  const double second = pushed.energy + 0.5 * six(change).dot(six(impulse));
  return -first < 2 * second ? std::max(0., -0.5 * first / second) : 1;
}
double ContactBodies::energy_safe_share(Index row, const contact::ImpulseSum& on,
                                        const contact::PushedMass& pushed) const {
  return std::min(1., 2 * inelastic_share(row, on, pushed));
}

void ContactBodies::accept_impulse(Index row, const contact::ImpulseSum& on, double share) {
  const Twist all = about(end_centre(row), on);
  apply_impulse(std::size_t(row), Twist{share * all.linear, share * all.angular});
}

void ContactBodies::stop_short(Index row, const contact::ImpulseSum& on, double share) {
  Motion& m = now_[std::size_t(row)];
  const Twist way = m.tried;
  accept_impulse(row, on, share);
  m.tried = way;
}

// A kick K and the steady force F that have the impulse J = M K + F dt and take the body by
// D = dt K + dt^2 F / (2 M) give it both what the substeps did:
//   K = 2 D / dt - J / M.
void ContactBodies::write(World& world) const {
  std::vector<Vec3d> force, kick, spin_kick, steady_force, steady_torque;
  std::vector<Vec<3>> x;
  std::vector<Quaternion> q;
  for (std::size_t b = 0; b < now_.size(); ++b) {
    const Motion& m = now_[b];
    const Place end = moved(m.place, m.tried, h_);
    const Twist change = m.velocity - approach_[b];
    const Vec3d way = end.position - from_[b].position - dt_ * approach_[b].linear;
    const Vec3d turn = m.turned + h_ * (m.tried.angular - approach_[b].angular);
    const bool moves = mass_[b] > 0;
    const Twist k{moves ? 2 / dt_ * way - change.linear : Vec3d{},
                  moves ? 2 / dt_ * turn - change.angular : Vec3d{}};
    kick.push_back(k.linear), spin_kick.push_back(k.angular);
    force.push_back(-1 / dt_ * m.total_impulse.linear);
    steady_force.push_back(-1 / dt_ * (m.total_impulse.linear + mass_[b] * k.linear));
    steady_torque.push_back(-1 / dt_ *
                            (m.total_impulse.angular + spin(b, true_[b].turning, k.angular)));
    x.push_back(narrow<3>(end.position)), q.push_back({});
    for (int a = 0; a < 4; ++a) q.back()[a] = Real(end.turning[a]);
  }
  const auto upload = [&](const std::string& table, const char* column, const auto& values) {
    using T = std::decay_t<decltype(values[0])>;
    world.exec.upload(world.table(table).column<T>(column).data, values.data(),
                      values.size() * sizeof(T));
  };
  upload(forces_, "force", force);
  upload(forces_, "kick", kick), upload(forces_, "spin_kick", spin_kick);
  upload(forces_, "steady_force", steady_force), upload(forces_, "steady_torque", steady_torque);
  upload(seen_, "position", x), upload(seen_, "orientation", q);
}

}  // namespace rtsim
