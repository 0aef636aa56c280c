#pragma once
#include "base/quaternion.h"
#include "rigid/joints/joint.h"
#include "rigid/joints/joint_blocks.h"
#include "rigid/joints/joint_drive.h"
#include "rigid/motion/free_rotation.h"

// The equations of joints on velocities: Baraff, "Linear-time dynamics using Lagrange multipliers",
// SIGGRAPH 1996, section 3. An impulse acts on both bodies at one point p, also where the anchors
// are a little apart, so that it keeps their angular momentum.
namespace rtsim::rigid {

RTSIM_HD inline Place<2> origin(Place<2>*) { return {{}, {{1, 0}}}; }
RTSIM_HD inline Place<3> origin(Place<3>*) { return {{}, {{0, 0, 0, 1}}}; }

// A joint's anchors and axes in the world.
template <int D>
struct JointPose {
  VecT<double, D> xa, xb;  // centres of mass [m]
  VecT<double, D> pa, pb;
  Turn<D> qa, qb;

  RTSIM_HD JointPose(const Joint<D>& j, const Place<D>& a, const Place<D>& b)
      : xa(a.x),
        xb(b.x),
        pa(a.x + turned(a.q, j.anchor_a)),
        pb(b.x + turned(b.q, j.anchor_b)),
        qa(product(a.q, j.frame_a)),
        qb(product(b.q, j.frame_b)) {}
};

template <int D>
struct JointRows {
  JointRow<D> row[freedoms<D>];
  JointArms<D> arms;

  RTSIM_HD JointRows() {
    for (JointRow<D>& r : row) r = {{}, {}, {}, 0, 0, JointRow<D>::absent, -1};
  }
  RTSIM_HD void push(int k, const JointPose<D>& p, const VecT<double, D>& at,
                     const VecT<double, D>& n, double value) {
    arms = {at - p.xa, at - p.xb};
    row[k] = {n, moment(arms.a, n), moment(arms.b, n), value, 0, JointRow<D>::stiff, -1};
  }
  RTSIM_HD void angular_row(int k, const Spin<D>& about, double value) {
    row[k] = {{}, about, about, value, 0, JointRow<D>::stiff, -1};
  }
  RTSIM_HD void leave_turns() {
    for (int a = 0; a < spins<D>; ++a) {
      Spin<D> e;
      e[a] = 1;
      angular_row(D + a, e, 0), row[D + a].mode = JointRow<D>::absent;
    }
  }
  RTSIM_HD void drive(int k, int drive) { row[k].mode = JointRow<D>::driven, row[k].drive = drive; }
};

// The angle nearest to the one before: turns are counted.
RTSIM_HD inline double nearest_turn(double angle, double before) {
  constexpr double whole = 6.28318530717958647692;
  return angle + whole * std::floor((before - angle) / whole + 0.5);
}

template <int D>
RTSIM_HD VecT<double, D> unit_axis(int k) {
  VecT<double, D> e;
  e[k] = 1;
  return e;
}

template <int D>
RTSIM_HD void hold_points(const JointPose<D>& p, JointRows<D>& rows) {
  const VecT<double, D> middle = 0.5 * (p.pa + p.pb), apart = p.pb - p.pa;
  for (int k = 0; k < D; ++k) rows.push(k, p, middle, unit_axis<D>(k), apart[k]);
}

template <int D>
RTSIM_HD void hold_distance(const Joint<D>& j, const JointPose<D>& p, JointRows<D>& rows) {
  const VecT<double, D> apart = p.pb - p.pa;
  const double size = norm(apart);
  const VecT<double, D> n = size > 1e-12 * j.length ? (1 / size) * apart : unit_axis<D>(0);
  rows.push(0, p, 0.5 * (p.pa + p.pb), n, size);
  rows.arms = {p.pa - p.xa, p.pb - p.xb};  // of the same moments; a bar's ends turn with its bodies
  rows.leave_turns();
  if (j.stays)
    rows.row[0].value -= j.length;
  else
    rows.drive(0, 0);
}

// Across the axis stiff, along it free, at b's anchor.
template <int D>
RTSIM_HD void hold_line(const JointPose<D>& p, int axis, JointRows<D>& rows) {
  int next = 0;
  for (int k = 0; k < D; ++k) {
    const VecT<double, D> n = turned(p.qa, unit_axis<D>(k));
    const int slot = k == axis ? D - 1 : next++;
    rows.push(slot, p, p.pb, n, dot(n, p.pb - p.pa));
  }
  rows.drive(D - 1, 0);
}

RTSIM_HD inline void hold_turn(const JointPose<2>& p, double before, JointRows<2>& rows) {
  const Turn<2> r = product(back(p.qa), p.qb);
  rows.angular_row(2, {{1}}, nearest_turn(std::atan2(r[1], r[0]), before));
}

RTSIM_HD inline Vec3d rotation_vector(Turn<3> r) {
  if (r[3] < 0) r = -r;
  const double s = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  const double per = s > 1e-150 ? 2 * std::atan2(s, r[3]) / s : 2;
  return {{per * r[0], per * r[1], per * r[2]}};
}
// By the rotation vector from a's axes to b's.
RTSIM_HD inline void hold_turn(const JointPose<3>& p, double, JointRows<3>& rows) {
  const Vec3d turn = rotation_vector(product(back(p.qa), p.qb));
  for (int k = 0; k < 3; ++k) rows.angular_row(3 + k, turned(p.qa, unit_axis<3>(k)), turn[k]);
}

RTSIM_HD inline double twist_of(const JointPose<3>& p, double before) {
  const Turn<3> r = product(back(p.qa), p.qb);
  return nearest_turn(2 * std::atan2(r[2], r[3]), before);
}

// Across the axis by a x b, which is the small turn from a's to b's.
RTSIM_HD inline void hold_axis(const JointPose<3>& p, double before, JointRows<3>& rows) {
  const Vec3d a = turned(p.qa, unit_axis<3>(2)), b = turned(p.qb, unit_axis<3>(2));
  const Vec3d off = cross(a, b);
  for (int k = 0; k < 2; ++k) {
    const Vec3d u = turned(p.qa, unit_axis<3>(k));
    rows.angular_row(3 + k, u, dot(u, off));
  }
  rows.angular_row(5, a, twist_of(p, before));
  rows.drive(5, 0);
}

// Twist about the axes, swing of b's axis away from a's, and the direction across both. The twist
// of the swing-twist decomposition changes at (a + b) w / (1 + a b).
RTSIM_HD inline void swing_and_twist(const JointPose<3>& p, JointRows<3>& rows) {
  const Vec3d a = turned(p.qa, unit_axis<3>(2)), b = turned(p.qb, unit_axis<3>(2));
  const Vec3d off = cross(a, b);
  const double s = norm(off), c = dot(a, b);
  const Vec3d u = s > 1e-9 ? (1 / s) * off : turned(p.qa, unit_axis<3>(0));
  rows.angular_row(3, 1 + c > 1e-3 ? (1 / (1 + c)) * (a + b) : a, twist_of(p, 0));
  rows.angular_row(4, u, std::atan2(s, c));
  rows.angular_row(5, cross(a, u), 0);
  for (int k = 0; k < 3; ++k) rows.drive(3 + k, k);
}

// `before`: the joint's first coordinate until now.
[[gnu::flatten]] RTSIM_HD inline void fill_rows(const Joint<3>& j, const JointPose<3>& p,
                                                double before, JointRows<3>& rows) {
  if (j.kind == JointKind::distance) return hold_distance(j, p, rows);
  if (j.kind == JointKind::slider)
    hold_line(p, 2, rows);
  else
    hold_points(p, rows);
  if (j.kind == JointKind::ball) swing_and_twist(p, rows);
  if (j.kind == JointKind::hinge) hold_axis(p, before, rows);
  if (j.kind == JointKind::slider || j.kind == JointKind::fixed) hold_turn(p, before, rows);
}
RTSIM_HD inline void fill_rows(const Joint<2>& j, const JointPose<2>& p, double before,
                               JointRows<2>& rows) {
  if (j.kind == JointKind::distance) return hold_distance(j, p, rows);
  if (j.kind == JointKind::slider)
    hold_line(p, 0, rows);
  else
    hold_points(p, rows);
  hold_turn(p, j.kind == JointKind::hinge ? before : 0, rows);
  if (j.kind == JointKind::hinge) rows.drive(2, 0);
}

// Bodies and equations in the doubles that joints are solved in.

template <int N>
RTSIM_HD VecT<double, N> wide(const VecT<Real, N>& v) {
  VecT<double, N> r;
  for (int k = 0; k < N; ++k) r[k] = double(v[k]);
  return r;
}

template <int D>
RTSIM_HD Place<D> place_of(const Bodies<D>& bodies, const Span<const Vec<D>>& rest,
                           const Row4* solver_bodies, Index i) {
  if (i < 0) return origin(static_cast<Place<D>*>(nullptr));
  Place<D> p{wide(bodies.position[i]) + wide(rest[i]), wide(bodies.orientation[i])};
  if (!solver_bodies) return p;
  SolverBody<D, Real> m;
  const Index first = solver_body_rows<D> * i;
  load_solver_body(solver_bodies, &first, m);
  p.x = p.x + wide(m.moved);
  return p;
}

// A free turn.
RTSIM_HD inline void fly_round(double h, const Spin<2>&, Turn<2>& q, Spin<2>& w) {
  const double t = h * w[0];
  q = product(Turn<2>{{std::cos(t), std::sin(t)}}, q);
  q = (1 / norm(q)) * q;
}
[[gnu::flatten]] RTSIM_HD inline void fly_round(double h, const Spin<3>& moments, Turn<3>& q,
                                                Spin<3>& w) {
  FreeTop top{FreeTop::unit(q), {}, moments};
  top.w = turned(back(top.q), w);
  top.fly(h, Real(std::abs(h) * norm(w)));
  q = top.q, w = turned(q, top.w);
}

// Its body's axes in the world's, as columns.
RTSIM_HD inline Block<1> axes_of(const Turn<2>&) { return {{{1}}}; }
RTSIM_HD inline Block<3> axes_of(const Turn<3>& q) {
  Block<3> r;
  for (int k = 0; k < 3; ++k) {
    const Vec3d e = turned(q, unit_axis<3>(k));
    for (int i = 0; i < 3; ++i) r.at[i][k] = e[i];
  }
  return r;
}
// R d R^T.
template <int N>
RTSIM_HD Block<N> turned_diagonal(const Block<N>& r, const VecT<double, N>& d) {
  Block<N> t;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j <= i; ++j) {
      double s = 0;
      for (int k = 0; k < N; ++k) s += d[k] * r.at[i][k] * r.at[j][k];
      t.at[i][j] = t.at[j][i] = s;
    }
  return t;
}
template <int N>
RTSIM_HD VecT<double, N> product(const Block<N>& a, const VecT<double, N>& x) {
  VecT<double, N> y;
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < N; ++k) y[i] += a.at[i][k] * x[k];
  return y;
}

// Mass and inertia of a body in the world's axes; the world has neither.
template <int D>
RTSIM_HD Weight<D> weight_of(const Bodies<D>& bodies, Index i, const Turn<D>& q) {
  Weight<D> w{double(bodies.mass[i]), 0, 0, 0, wide(bodies.inertia[i]), {}, {}};
  const Block<spins<D>> axes = axes_of(q);
  Spin<D> inverse;
  w.least_moment = w.moments[0];
  for (int k = 0; k < spins<D>; ++k) {
    w.least_moment = w.moments[k] < w.least_moment ? w.moments[k] : w.least_moment;
    inverse[k] = w.mass > 0 ? 1 / w.moments[k] : 0;
  }
  if (w.mass > 0) w.inverse_mass = 1 / w.mass;
  w.least_radius = std::sqrt(w.least_moment * w.inverse_mass);
  w.inertia = turned_diagonal(axes, w.moments), w.inverse_inertia = turned_diagonal(axes, inverse);
  return w;
}
// [J]
template <int D>
RTSIM_HD double kinetic(const Weight<D>& m, const BlockColumn<freedoms<D>>& v) {
  double sum = 0;
  Spin<D> w;
  for (int k = 0; k < D; ++k) sum += m.mass * v.at[k] * v.at[k];
  for (int k = 0; k < spins<D>; ++k) w[k] = v.at[D + k];
  return 0.5 * (sum + dot(w, product(m.inertia, w)));
}
template <int D>
RTSIM_HD void fill(const Weight<D>& m, Block<freedoms<D>>& b) {
  clear(b);
  for (int k = 0; k < D; ++k) b.at[k][k] = m.mass;
  for (int i = 0; i < spins<D>; ++i)
    for (int j = 0; j < spins<D>; ++j) b.at[D + i][D + j] = m.inertia.at[i][j];
}

// The row's entries for a, or for b.
template <int D>
RTSIM_HD double entry_of(const JointRow<D>& r, bool b, int k) {
  if (k < D) return b ? r.along[k] : -r.along[k];
  return b ? r.about_b[k - D] : -r.about_a[k - D];
}

template <int D>
RTSIM_HD double times(const JointRow<D>& r, bool b, const BlockColumn<freedoms<D>>& v) {
  double s = 0;
  for (int k = 0; k < freedoms<D>; ++k) s += entry_of(r, b, k) * v.at[k];
  return s;
}

// Of a stiff row.
template <int D>
RTSIM_HD double compliance_of(const JointRow<D>& r, const Weight<D>* a, const Weight<D>& b) {
  const double along = dot(r.along, r.along);
  double k = along * b.inverse_mass + dot(r.about_b, product(b.inverse_inertia, r.about_b));
  if (a) k += along * a->inverse_mass + dot(r.about_a, product(a->inverse_inertia, r.about_a));
  return stiff_compliance * k;
}

}  // namespace rtsim::rigid
