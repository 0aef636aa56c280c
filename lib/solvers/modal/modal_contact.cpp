#include "solvers/modal/modal_contact.h"

#include <algorithm>
#include <cmath>

namespace rtsim {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr int most_sweeps = 500, most_linearised = 6;

// T(w) d and Q(w) d of kernels/modal/motion.h.
Vector3d turned_on_the_way(const Vector3d& w, const Vector3d& d) {
  const double s = w.squaredNorm(), angle = std::sqrt(s);
  const bool small = s < 1e-4;
  const double a = small ? 0.5 - s / 24 : (1 - std::cos(angle)) / s;
  const double g = small ? 1. / 6 - s / 120 : (1 - std::sin(angle) / angle) / s;
  const Vector3d wd = w.cross(d);
  return d + a * wd + g * w.cross(wd);
}
Matrix3d warped_rotation(const Vector3d& w) {
  const double angle = w.norm();
  if (angle == 0) return Matrix3d::Identity();
  return Eigen::AngleAxisd(angle, w / angle).toRotationMatrix();
}

using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;

// How momenta, or forces of a step, move modes, frame, and bodies that are pushed.
struct Mobility {
  VectorXd modes;
  double frame, mass;
  Matrix3d inverse_inertia;
  double bodies;
  const std::vector<ModalCarrier>& carriers;
};

// A contact along the axes n and two tangents.
struct Row {
  Vector3d arm;    // from the frame's place [m]
  Matrix3d axes;   // its columns
  MatrixXd modes;  // 3 x modes: how the point follows them, along the axes
  Index carrier;
  Eigen::Matrix<double, 6, 3> on_carrier;  // force and moment of forces of 1 along the axes
  double normal, tangent;                  // what moves the point itself by a force of 1
  Vector3d force = Vector3d::Zero();       // along the axes
};

// What all forces together move; bodies, by the reaction, the other way.
struct Moved {
  VectorXd modes;
  Matrix6X bodies;
  Vector3d shift = Vector3d::Zero(), turn = Vector3d::Zero();

  void add(const Row& r, const Vector3d& force, const Mobility& by) {
    push_back(r, force, by);
    modes += by.modes.cwiseProduct(r.modes.transpose() * force);
    if (by.frame == 0) return;
    const Vector3d world = r.axes * force;
    shift += by.frame / by.mass * world;
    turn += by.frame * (by.inverse_inertia * r.arm.cross(world));
  }
  void push_back(const Row& r, const Vector3d& force, const Mobility& by) {
    if (r.carrier < 0) return;
    const Eigen::Matrix<double, 6, 1> wrench = r.on_carrier * force;
    bodies.col(r.carrier) += by.bodies * (by.carriers[std::size_t(r.carrier)].mobility * wrench);
  }
  // Of the point, less that of the surface.
  Vector3d of(const Row& r) const {
    Vector3d sum = r.modes * modes + r.axes.transpose() * (shift + turn.cross(r.arm));
    if (r.carrier >= 0) sum += r.on_carrier.transpose() * bodies.col(r.carrier);
    return sum;
  }
};

Moved nothing_moved(const Mobility& by) {
  return {VectorXd::Zero(by.modes.size()), Matrix6X::Zero(6, Eigen::Index(by.carriers.size()))};
}

std::vector<Row> rows_of(const ModalPoints& points, const ModalState& s, const Mobility& by,
                         const std::vector<ModalContact>& contacts) {
  std::vector<Row> rows;
  for (const ModalContact& c : contacts) {
    Row r;
    r.arm = points.place(s, c.point) - s.place;
    const Vector3d t = c.normal.unitOrthogonal();
    r.axes << c.normal, t, c.normal.cross(t);
    r.modes = r.axes.transpose() * points.jacobian(s, c.point);
    r.carrier = c.carrier;
    if (c.carrier >= 0) {
      const Vector3d arm = points.place(s, c.point) - by.carriers[std::size_t(c.carrier)].centre;
      for (int a = 0; a < 3; ++a)
        r.on_carrier.col(a) << r.axes.col(a), arm.cross(Vector3d(r.axes.col(a)));
    }
    const auto own = [&](int a) {
      Moved alone = nothing_moved(by);
      alone.add(r, Vector3d::Unit(a), by);
      return alone.of(r)[a];
    };
    r.normal = own(0), r.tangent = own(1) + own(2);
    rows.push_back(std::move(r));
  }
  return rows;
}

// Gauss & Seidel: each force in turn so that its own point ends at `left` + what forces move = 0,
// within what `allowed` allows. Returns the greatest change of a place in the first sweep.
template <class Allowed>
double relax(std::vector<Row>& rows, const std::vector<Vector3d>& left, const Mobility& by,
             double accuracy, const Allowed& allowed) {
  Moved moved = nothing_moved(by);
  double first = 0;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double change = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      Row& r = rows[k];
      if (!(r.normal > 0 && r.tangent > 0)) continue;
      const Vector3d off = left[k] + moved.of(r);
      const Vector3d wanted(r.force[0] - off[0] / r.normal, r.force[1] - off[1] / r.tangent,
                            r.force[2] - off[2] / r.tangent);
      const Vector3d next = allowed(k, wanted), more = next - r.force;
      if (more.isZero(0)) continue;
      r.force = next;
      moved.add(r, more, by);
      change = std::max(
          {change, std::abs(more[0]) * r.normal, std::hypot(more[1], more[2]) * r.tangent});
    }
    if (sweep == 0) first = change;
    if (change <= accuracy) break;
  }
  return first;
}

ModalForces with_contacts(ModalForces f, const std::vector<Row>& rows) {
  for (const Row& r : rows) {
    const Vector3d world = r.axes * r.force;
    f.modes += r.modes.transpose() * r.force;
    f.force += world, f.torque += r.arm.cross(world);
  }
  return f;
}

Vector3d within_friction(const Vector3d& f, double friction) {
  const double n = std::max(0., f[0]), most = friction * n, t = std::hypot(f[1], f[2]);
  const double part = t > most ? most / t : 1;
  return {n, part * f[1], part * f[2]};
}
bool sticks(const Vector3d& f, double friction) {
  return std::hypot(f[1], f[2]) < (1 - 1e-9) * friction * f[0];
}

}  // namespace

ModalPoints::ModalPoints(const RestMesh& m, const Vector3d& centre, const MatrixXd& phi,
                         const MatrixXd& turns)
    : phi_(phi), turns_(turns) {
  for (const Vec3d& x : m.place) rest_.push_back(Vector3d(x[0], x[1], x[2]) - centre);
}

Vector3d ModalPoints::place(const ModalState& s, Index point) const {
  Vector3d u = phi_.middleRows<3>(3 * point) * s.q;
  if (turns_.cols() > 0) u = turned_on_the_way(turns_.middleRows<3>(3 * point) * s.q, u);
  return s.place + s.orientation * (rest_[std::size_t(point)] + u);
}

MatrixXd ModalPoints::jacobian(const ModalState& s, Index point) const {
  Matrix3d R = s.orientation.toRotationMatrix();
  if (turns_.cols() > 0) R = R * warped_rotation(turns_.middleRows<3>(3 * point) * s.q);
  return R * phi_.middleRows<3>(3 * point);
}

ModalContacts::ModalContacts(double friction, double recovery, double accuracy)
    : friction_(friction), recovery_(recovery), accuracy_(accuracy) {}

ModalState ModalContacts::solve(ModalMotion& motion, const ModalPoints& points,
                                const ModalState& start, const ModalForces& forces, double dt,
                                const std::vector<ModalCarrier>& carriers,
                                std::vector<ModalContact>& contacts) {
  const Mobility ways{motion.ways(dt), motion.free() ? dt * dt / 2 : 0,
                      motion.mass(),   motion.inverse_inertia(start),
                      dt * dt,         carriers};
  std::vector<Row> rows = rows_of(points, start, ways, contacts);
  ModalState end;
  converged_ = false;
  for (int round = 0; round <= most_linearised && !converged_; ++round) {
    end = start;
    motion.advance(end, with_contacts(forces, rows), dt);
    for (std::size_t k = 0; k < rows.size(); ++k) contacts[k].force = rows[k].axes * rows[k].force;
    if (round == most_linearised) break;
    // What is left of each gap, and how far each point slides, along the axes.
    Moved pushed = nothing_moved(ways);
    for (const Row& r : rows) pushed.push_back(r, r.force, ways);
    std::vector<Vector3d> left;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const ModalContact& c = contacts[k];
      const double gap = std::max(c.gap, -dt * recovery_);
      const Vector3d way = points.place(end, c.point) - points.place(start, c.point) -
                           dt * c.surface_velocity + gap * c.normal;
      left.push_back(rows[k].axes.transpose() * way + pushed.of(rows[k]));
    }
    const double change = relax(rows, left, ways, accuracy_, [&](std::size_t, const Vector3d& f) {
      return within_friction(f, friction_);
    });
    converged_ = change <= 2 * accuracy_;
  }
  for (ModalContact& c : contacts) c.impulse = dt * c.force;
  take_surface_velocities(motion, points, end, dt, carriers, contacts);
  return end;
}

// Of what touches: the velocity along the normal, and along the surface where it sticks.
void ModalContacts::take_surface_velocities(ModalMotion& motion, const ModalPoints& points,
                                            ModalState& s, double dt,
                                            const std::vector<ModalCarrier>& carriers,
                                            std::vector<ModalContact>& all) const {
  std::vector<ModalContact> touching;
  for (const ModalContact& c : all)
    if (c.normal.dot(c.force) > 0) touching.push_back(c);
  if (touching.empty()) return;
  const Mobility mobility{VectorXd::Ones(motion.modes()),
                          motion.free() ? 1. : 0.,
                          motion.mass(),
                          motion.inverse_inertia(s),
                          1,
                          carriers};
  std::vector<Row> rows = rows_of(points, s, mobility, touching);
  Moved now = nothing_moved(mobility);
  now.modes = motion.rates(s);
  now.shift = motion.velocity(s), now.turn = s.orientation * motion.spin(s);
  for (std::size_t k = 0; k < rows.size(); ++k)
    now.push_back(rows[k], dt * (rows[k].axes.transpose() * touching[k].force), mobility);
  std::vector<Vector3d> left;
  double fastest = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    left.push_back(now.of(rows[k]) - rows[k].axes.transpose() * touching[k].surface_velocity);
    fastest = std::max(fastest, left.back().norm());
  }
  relax(rows, left, mobility, 1e-6 * fastest, [&](std::size_t k, const Vector3d& f) -> Vector3d {
    const Vector3d force = rows[k].axes.transpose() * touching[k].force;
    return sticks(force, friction_) ? f : Vector3d(f[0], 0, 0);
  });
  s = motion.kicked(std::move(s), with_contacts(motion.no_forces(), rows));
  auto row = rows.begin();
  for (ModalContact& c : all)
    if (c.normal.dot(c.force) > 0) c.impulse += row->axes * row->force, ++row;
}

}  // namespace rtsim
