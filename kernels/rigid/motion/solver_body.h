#pragma once
#include "lanes/lanes.h"
#include "lanes/store_rows.h"
#include "rigid/motion/inverse_inertia.h"

// Solver bodies: rows of four numbers, loaded in eights by transposes.
//
// 3D:  vx vy vz 1/m | wx wy wz Ixx | Iyy Izz Ixy Ixz | Iyz tx ty tz | dx dy dz tw
// 2D:  vx vy w 1/m | dx dy cos sin | I 0 0 0
//
// with I the inverse inertia in the world's axes, d the displacement since the step began and t
// the turn since then. Boundaries follow the bodies, and behind them come rows that never move, for
// lanes without a contact.
namespace rtsim::rigid {

template <int D>
constexpr Index solver_body_rows = D == 2 ? 3 : 5;
// What is written to where it does not matter.
constexpr Index padding_bodies = lane_count;

template <int D, class T>
struct Twist {
  VecT<T, D> velocity;
  VecT<T, D == 2 ? 1 : 3> angular;
};

template <int D, class T>
struct SolverBody {
  Twist<D, T> twist;
  T inverse_mass;
  InverseInertia<D, T> inertia;
  VecT<T, D> moved;  // [m]
  VecT<T, D == 2 ? 2 : 4> turned;

  // An impulse p [N s] at an arm, or against it.
  RTSIM_HD void push(const VecT<T, D>& arm, const VecT<T, D>& p) {
    twist.velocity = fused_add(inverse_mass, p, twist.velocity);
    twist.angular = twist.angular + inertia(moment(arm, p));
  }
  RTSIM_HD void pull(const VecT<T, D>& arm, const VecT<T, D>& p) { push(arm, -p); }
  RTSIM_HD VecT<T, D> velocity_at(const VecT<T, D>& arm) const {
    return twist.velocity + turning(twist.angular, arm);
  }
};

// (R - 1)^T n of the turn since the step began: its product with an arm is how far the turn moved
// that arm's end along n.
template <class T>
RTSIM_HD VecT<T, 2> turn_along(const VecT<T, 2>& turned, const VecT<T, 2>& n) {
  const T c = turned[0] - T(1), s = turned[1];
  return {{c * n[0] + s * n[1], c * n[1] - s * n[0]}};
}
template <class T>
RTSIM_HD VecT<T, 3> turn_along(const VecT<T, 4>& turned, const VecT<T, 3>& n) {
  const VecT<T, 3> u{{turned[0], turned[1], turned[2]}};
  const VecT<T, 3> un = cross(u, n);
  return T(2) * (cross(u, un) - turned[3] * un);
}

// Its product with an arm is how fast the spin w moves that arm's end along n: n . (w x r).
template <class T>
RTSIM_HD VecT<T, 2> spin_along(const VecT<T, 1>& w, const VecT<T, 2>& n) {
  return {{w[0] * n[1], -(w[0] * n[0])}};
}
template <class T>
RTSIM_HD VecT<T, 3> spin_along(const VecT<T, 3>& w, const VecT<T, 3>& n) {
  return cross(n, w);
}

// One solver body, or those of eight lanes; `at` holds the first row of each.
template <class T>
struct Four {
  T x, y, z, w;
};
RTSIM_HD inline Four<Real> load_four(const Row4* rows, const Index* at, Real*) {
  const Row4& r = rows[*at];
  return {r.x, r.y, r.z, r.w};
}
[[gnu::always_inline]] inline Four<Lanes<Real>> load_four(const Row4* rows, const Index* at,
                                                          Lanes<Real>*) {
  const Lanes4<Real> r = load_rows(rows, at);
  return {r.x, r.y, r.z, r.w};
}
RTSIM_HD inline void store_four(Row4* rows, const Index* at, Real x, Real y, Real z, Real w) {
  rows[*at] = {x, y, z, w};
}
inline void store_four(Row4* rows, const Index* at, Lanes<Real> x, Lanes<Real> y, Lanes<Real> z,
                       Lanes<Real> w) {
  store_rows(rows, at, x, y, z, w);
}

template <class T>
[[gnu::always_inline]] RTSIM_HD inline void load_solver_body(const Row4* rows, const Index* at,
                                                             SolverBody<3, T>& m) {
  T* const kind = nullptr;
  const Four<T> a = load_four(rows, at, kind), b = load_four(rows + 1, at, kind),
                c = load_four(rows + 2, at, kind), d = load_four(rows + 3, at, kind),
                e = load_four(rows + 4, at, kind);
  m.twist = {{{a.x, a.y, a.z}}, {{b.x, b.y, b.z}}};
  m.inverse_mass = a.w;
  m.inertia = {b.w, c.x, c.y, c.z, c.w, d.x};
  m.moved = {{e.x, e.y, e.z}};
  m.turned = {{d.y, d.z, d.w, e.w}};
}
// But for the inertia, which stays in the plane.
template <class T>
[[gnu::always_inline]] RTSIM_HD inline void load_motion(const Row4* rows, const Index* at,
                                                        SolverBody<2, T>& m) {
  T* const kind = nullptr;
  const Four<T> a = load_four(rows, at, kind), b = load_four(rows + 1, at, kind);
  m.twist = {{{a.x, a.y}}, {{a.z}}};
  m.inverse_mass = a.w;
  m.moved = {{b.x, b.y}};
  m.turned = {{b.z, b.w}};
}
template <class T>
[[gnu::always_inline]] RTSIM_HD inline void load_solver_body(const Row4* rows, const Index* at,
                                                             SolverBody<2, T>& m) {
  load_motion(rows, at, m);
  m.inertia = {load_four(rows + 2, at, static_cast<T*>(nullptr)).x};
}

template <class T>
RTSIM_HD void store_twist(Row4* rows, const Index* at, const SolverBody<3, T>& m) {
  const auto& v = m.twist.velocity;
  const auto& w = m.twist.angular;
  store_four(rows, at, v[0], v[1], v[2], m.inverse_mass);
  store_four(rows + 1, at, w[0], w[1], w[2], m.inertia.xx);
}
template <class T>
RTSIM_HD void store_twist(Row4* rows, const Index* at, const SolverBody<2, T>& m) {
  const auto& v = m.twist.velocity;
  store_four(rows, at, v[0], v[1], m.twist.angular[0], m.inverse_mass);
}

// All of one solver body, or of eight.
template <class T>
RTSIM_HD void store_solver_body(Row4* rows, const Index* at, const SolverBody<3, T>& m) {
  const InverseInertia<3, T>& i = m.inertia;
  store_twist(rows, at, m);
  store_four(rows + 2, at, i.yy, i.zz, i.xy, i.xz);
  store_four(rows + 3, at, i.yz, m.turned[0], m.turned[1], m.turned[2]);
  store_four(rows + 4, at, m.moved[0], m.moved[1], m.moved[2], m.turned[3]);
}
template <class T>
RTSIM_HD void store_solver_body(Row4* rows, const Index* at, const SolverBody<2, T>& m) {
  const T none(Real(0));
  store_twist(rows, at, m);
  store_four(rows + 1, at, m.moved[0], m.moved[1], m.turned[0], m.turned[1]);
  store_four(rows + 2, at, m.inertia.zz, none, none, none);
}
template <int D>
RTSIM_HD void store_solver_body(Row4* row, const SolverBody<D, Real>& m) {
  const Index first = 0;
  store_solver_body(row, &first, m);
}

}  // namespace rtsim::rigid
