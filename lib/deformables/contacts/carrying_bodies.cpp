#include "deformables/contacts/carrying_bodies.h"

#include "bodies/six_unknowns.h"

namespace rtsim {

namespace {

using Six = std::array<double, 6>;
using Rows = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

Six six(const contact::ImpulseSum& p) {
  const Vec3d &j = p.impulse, &m = p.moment;
  return {j[0], j[1], j[2], m[0], m[1], m[2]};
}
Vec3d linear(const Six& s) { return {{s[0], s[1], s[2]}}; }
Vec3d angular(const Six& s) { return {{s[3], s[4], s[5]}}; }

Six times(const contact::RigidMatrix& m, const Six& v) {
  Six out{};
  for (std::size_t a = 0; a < 6; ++a)
    for (std::size_t b = 0; b < 6; ++b) out[a] += m.m[a][b] * v[b];
  return out;
}
double dot(const Six& a, const Six& b) {
  double sum = 0;
  for (std::size_t k = 0; k < 6; ++k) sum += a[k] * b[k];
  return sum;
}
Six add(const Six& a, double s, const Six& b) {
  Six out;
  for (std::size_t k = 0; k < 6; ++k) out[k] = a[k] + s * b[k];
  return out;
}

Six minus(const Six& a) { return add({}, -1, a); }

contact::RigidMatrix inverse(const contact::RigidMatrix& m) {
  contact::RigidMatrix out;
  Eigen::Map<Rows>(&out.m[0][0]) = inverse_of_symmetric(Eigen::Map<const Rows>(&m.m[0][0]));
  return out;
}

}  // namespace

void CarryingBodies::begin(const Exec& ex, const std::vector<Contact::Carrier>& carriers,
                           Span<const contact::PointContact> contacts,
                           Span<const Vec<3>> position) {
  ex_ = ex;
  bodies_.clear();
  for (const Contact::Carrier& c : carriers) {
    bodies_.push_back({});
    bodies_.back().held = {{}, contacts, position, c.solid, c.centre};
    bodies_.back().inertia = c.inertia;
  }
}

void CarryingBodies::hold(Span<cloth::ContactConstraint> constraints,
                          const block_cg::BlockMatrix& A) {
  for (Body& b : bodies_) {
    b.held.constraints = constraints;
    b.inverse = inverse(b.inertia + cloth::carried_blocks(ex_, b.held, A));
    b.inverse_inertia = inverse(b.inertia);
  }
}

void CarryingBodies::move_surfaces(Span<cloth::ContactConstraint> constraints) {
  for (Body& b : bodies_) {
    const Six more = add(b.x, -1, b.applied);
    cloth::carry_surface(ex_, b.held, linear(more), angular(more), constraints);
    b.applied = b.x;
  }
}

void CarryingBodies::find_residual(Span<const Row4>) {
  for (Body& b : bodies_)
    b.r = minus(add(six(cloth::friction_of(ex_, b.held)), 1, times(b.inertia, b.x)));
}

block_cg::Squares CarryingBodies::precondition(Span<const Row4> r, Span<Row4> q) {
  block_cg::Squares all;
  for (Body& b : bodies_) {
    const Six left = add(b.r, 1, six(cloth::held_part(ex_, b.held, r)));
    b.z = times(b.inverse, left);
    cloth::carry(ex_, b.held, linear(b.z), angular(b.z), q);
    all.rz += dot(left, b.z), all.bound += dot(left, times(b.inverse_inertia, left));
  }
  return all;
}

void CarryingBodies::update_direction(double beta) {
  for (Body& b : bodies_) b.p = add(b.z, beta, b.p), b.q = times(b.inertia, b.p);
}
double CarryingBodies::product() const {
  double sum = 0;
  for (const Body& b : bodies_) sum += dot(b.p, b.q);
  return sum;
}
void CarryingBodies::advance(double alpha) {
  for (Body& b : bodies_) b.x = add(b.x, alpha, b.p), b.r = add(b.r, -alpha, b.q);
}

}  // namespace rtsim
