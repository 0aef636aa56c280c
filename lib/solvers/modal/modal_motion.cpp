#include "solvers/modal/modal_motion.h"

#include <cmath>

namespace rtsim {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr int most_rounds = 50;
constexpr double converged = 1e-15;  // of a change, over what changes

Quaterniond rotation_by(const Vector3d& w) {
  const double angle = w.norm();
  if (angle == 0) return Quaterniond::Identity();
  return Quaterniond(Eigen::AngleAxisd(angle, w / angle));
}

}  // namespace

ModalMotion::ModalMotion(const RestMesh& m, const ModeShapes& shapes,
                         std::vector<double> damping_ratio)
    : free_(m.free()),
      flat_(m.elements.flat),
      omega_(Eigen::Map<const VectorXd>(shapes.omega.data(), Eigen::Index(shapes.omega.size()))),
      damping_ratio_(std::move(damping_ratio)),
      centre_(Vector3d::Zero()),
      rest_sum_(Matrix3d::Zero()) {
  const MatrixXd& phi = shapes.phi;
  const Eigen::Index r = phi.cols();
  weights_ = MatrixXd::Zero(3, r);
  for (std::size_t k = 0; k < m.place.size(); ++k) {
    const auto row = 3 * Eigen::Index(k);
    mass_ += m.mass[k];
    for (int a = 0; a < 3; ++a) centre_[a] += m.mass[k] * m.place[k][a];
    weights_ += m.mass[k] * phi.middleRows(row, 3);
  }
  centre_ /= mass_;
  if (!free_) return;
  first_sum_.assign(std::size_t(r), Matrix3d::Zero());
  MatrixXd of_axis[3], scaled[3];
  for (int a = 0; a < 3; ++a) of_axis[a] = scaled[a] = MatrixXd(Eigen::Index(m.place.size()), r);
  for (std::size_t k = 0; k < m.place.size(); ++k) {
    const Vector3d x = Vector3d(m.place[k][0], m.place[k][1], m.place[k][2]) - centre_;
    const auto row = Eigen::Index(k);
    rest_sum_ += m.mass[k] * x * x.transpose();
    for (int a = 0; a < 3; ++a) {
      of_axis[a].row(row) = phi.row(3 * row + a);
      scaled[a].row(row) = m.mass[k] * phi.row(3 * row + a);
    }
    for (Eigen::Index j = 0; j < r; ++j)
      first_sum_[std::size_t(j)] += m.mass[k] * x * phi.block<3, 1>(3 * row, j).transpose();
  }
  for (int b = 0; b < 3; ++b)
    for (int c = 0; c < 3; ++c) second_sum_[b][c] = of_axis[b].transpose() * scaled[c];
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    gyration_[a] = second_sum_[b][c] - second_sum_[c][b];
  }
}

ModalState ModalMotion::at_rest() const {
  const Vector3d none = Vector3d::Zero();
  const VectorXd zero = VectorXd::Zero(omega_.size());
  return {zero, zero, centre_, none, Quaterniond::Identity(), none};
}
ModalForces ModalMotion::no_forces() const {
  return {VectorXd::Zero(omega_.size()), Vector3d::Zero(), Vector3d::Zero()};
}

void ModalMotion::prepare(double dt) {
  if (prepared_ == dt) return;
  prepared_ = dt, whole_.clear(), half_.clear();
  for (Eigen::Index j = 0; j < omega_.size(); ++j) {
    const double zeta = damping_ratio_[std::size_t(j)];
    whole_.push_back(modal::propagator(omega_[j], zeta, dt));
    half_.push_back(modal::propagator(omega_[j], zeta, dt / (2 * parts_)));
  }
}

void ModalMotion::advance(ModalState& s, const ModalForces& f, double dt) {
  prepare(dt);
  if (!free_) return swing(s, f, dt, whole_);
  for (int k = 0; k < parts_; ++k) advance_part(s, f, dt / parts_);
}

double ModalMotion::advance_and_feed(ModalState& s, const ModalForces& f, double dt) {
  prepare(dt);
  double fed = 0;
  for (int k = 0; k < parts_; ++k) {
    const ModalState from = s;
    advance_part(s, f, dt / parts_);
    fed += inner_work(f, from, s, dt / parts_);
  }
  return fed;
}

void ModalMotion::advance_part(ModalState& s, const ModalForces& f, double h) const {
  swing(s, f, h / 2, half_);
  turn(s, h);
  swing(s, f, h / 2, half_);
}

void ModalMotion::take_parts(int parts) {
  if (parts != parts_) parts_ = parts, prepared_ = 0;
}

// Of the modes and the frame's place, under constant forces: exact.
void ModalMotion::swing(ModalState& s, const ModalForces& f, double h,
                        const std::vector<modal::Propagator>& by) const {
  for (Eigen::Index j = 0; j < omega_.size(); ++j) {
    const modal::Propagator& m = by[std::size_t(j)];
    const double q = s.q[j], p = s.p[j];
    s.q[j] = m.a * q + m.b * p + m.lag * f.modes[j];
    s.p[j] = m.c * q + m.d * p + m.b * f.modes[j];
  }
  // A base goes its own way, whatever pushes the mesh.
  if (!free_) {
    s.place += h * velocity(s);
    return;
  }
  s.place += h / mass_ * (s.momentum + h / 2 * f.force);
  s.momentum += h * f.force, s.angular_momentum += h * f.torque;
}

// The implicit midpoint rule, by iteration.
void ModalMotion::turn(ModalState& s, double h) const {
  if (s.angular_momentum.isZero(0) && s.q.isZero(0)) return;
  VectorXd q = s.q, p = s.p, flow_q, flow_p;
  Vector3d w = spin(s);
  for (int round = 0; round < most_rounds; ++round) {
    const Quaterniond middle = s.orientation * rotation_by(h / 2 * w);
    const Vector3d next = spin_of(middle.conjugate() * s.angular_momentum, q, p);
    const Vector3d before = w;
    w = next;
    VectorXd on[3][3], pull = VectorXd::Zero(q.size());
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 3; ++c) {
        on[b][c].noalias() = second_sum_[b][c] * q;
        pull -= w[b] * w[c] * on[b][c];
      }
    flow_q = VectorXd::Zero(q.size());
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      flow_q += w[a] * (on[b][c] - on[c][b]);
    }
    const double w2 = w.squaredNorm();
    for (Eigen::Index j = 0; j < q.size(); ++j) {
      const Matrix3d& m = first_sum_[std::size_t(j)];
      pull[j] += w2 * (m.trace() + q[j]) - w.dot(m * w);
    }
    flow_p = pull;
    const VectorXd rate = p + flow_q;
    for (int a = 0; a < 3; ++a) flow_p.noalias() += w[a] * (gyration_[a] * rate);
    const VectorXd next_q = s.q + h / 2 * flow_q, next_p = s.p + h / 2 * flow_p;
    const double change = (w - before).norm() * h + (next_q - q).norm() / (q.norm() + 1e-300) +
                          (next_p - p).norm() / (p.norm() + 1e-300);
    q = next_q, p = next_p;
    if (change <= converged) break;
  }
  s.q += h * flow_q, s.p += h * flow_p;
  s.orientation = (s.orientation * rotation_by(h * w)).normalized();
}

Matrix3d ModalMotion::inertia(const VectorXd& q) const {
  Matrix3d sum = rest_sum_;
  for (Eigen::Index j = 0; j < q.size(); ++j) {
    const Matrix3d& m = first_sum_[std::size_t(j)];
    sum += q[j] * (m + m.transpose());
  }
  for (int b = 0; b < 3; ++b)
    for (int c = 0; c < 3; ++c) sum(b, c) += q.dot(second_sum_[b][c] * q);
  return sum.trace() * Matrix3d::Identity() - sum;
}

MatrixXd ModalMotion::coupling(const VectorXd& q) const {
  MatrixXd B(3, q.size());
  for (int a = 0; a < 3; ++a) B.row(a) = -(gyration_[a] * q).transpose();
  return B;
}

// In the plane nothing turns but about z.
Matrix3d ModalMotion::inverse(const Matrix3d& J) const {
  if (!flat_) return J.inverse();
  Matrix3d i = Matrix3d::Zero();
  i(2, 2) = 1 / J(2, 2);
  return i;
}

Vector3d ModalMotion::spin_of(const Vector3d& pi, const VectorXd& q, const VectorXd& p) const {
  const MatrixXd B = coupling(q);
  return inverse(inertia(q) - B * B.transpose()) * (pi - B * p);
}

Vector3d ModalMotion::spin(const ModalState& s) const {
  if (!free_) return Vector3d::Zero();
  return spin_of(s.orientation.conjugate() * s.angular_momentum, s.q, s.p);
}

VectorXd ModalMotion::rates(const ModalState& s) const {
  if (!free_) return s.p;
  return s.p - coupling(s.q).transpose() * spin(s);
}

double ModalMotion::spin_energy(const ModalState& s) const {
  const MatrixXd B = coupling(s.q);
  const Vector3d rest = s.orientation.conjugate() * s.angular_momentum - B * s.p;
  return rest.dot(inverse(inertia(s.q) - B * B.transpose()) * rest) / 2;
}

double ModalMotion::kinetic_energy(const ModalState& s) const {
  double e = (s.p.squaredNorm() + s.momentum.squaredNorm() / mass_) / 2;
  if (!free_) return e + velocity(s).dot(weights_ * s.p);
  return e + spin_energy(s);
}

double ModalMotion::inner_energy(const ModalState& s) const {
  return s.p.squaredNorm() / 2 + elastic_energy(s) + spin_energy(s);
}

// A torque stays where it is while the mesh turns.
double ModalMotion::inner_work(const ModalForces& f, const ModalState& from, const ModalState& to,
                               double h) const {
  double work = f.modes.dot(to.q - from.q);
  if (f.torque.isZero(0)) return work;
  const Vector3d turn = h / 2 * (from.orientation * spin(from) + to.orientation * spin(to));
  return work + f.torque.dot(turn);
}

double ModalMotion::elastic_energy(const ModalState& s) const {
  return omega_.cwiseProduct(s.q).squaredNorm() / 2;
}

ModalState ModalMotion::kicked(ModalState s, const ModalForces& by) const {
  s.p += by.modes;
  if (free_) s.momentum += by.force, s.angular_momentum += by.torque;
  return s;
}

VectorXd ModalMotion::end_rates(const VectorXd& impulses, double dt) const {
  VectorXd rates(impulses.size());
  for (Eigen::Index j = 0; j < rates.size(); ++j) {
    const double wh = omega_[j] * dt;
    rates[j] = impulses[j] / (1 + wh * (2 * damping_ratio_[std::size_t(j)] + wh));
  }
  return rates;
}

ModalState ModalMotion::moved(const ModalState& s, const ModalForces& changes, double dt) const {
  ModalState to = kicked(s, changes);
  const VectorXd faster = rates(to) - rates(s);
  const Vector3d turn = dt * (spin(to) - spin(s));
  to.q += dt * faster;
  if (!free_) return to;
  to.place += dt / mass_ * changes.force;
  to.orientation = (to.orientation * rotation_by(turn)).normalized();
  return to;
}

VectorXd ModalMotion::ways(double dt) {
  prepare(dt);
  VectorXd to(omega_.size());
  for (Eigen::Index j = 0; j < to.size(); ++j) to[j] = whole_[std::size_t(j)].lag;
  return to;
}

Matrix3d ModalMotion::inverse_inertia(const ModalState& s) const {
  if (!free_) return Matrix3d::Zero();
  const Matrix3d R = s.orientation.toRotationMatrix();
  return R * inverse(inertia(s.q)) * R.transpose();
}

}  // namespace rtsim
