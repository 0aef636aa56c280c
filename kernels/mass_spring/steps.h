#pragma once
#include "base/vec.h"

// Steps of x' = v, v' = a(x, v) of one point. V is a vector or a number, T its scalar.
namespace rtsim::mass_spring {

// An explicit Runge-Kutta method whose every stage needs the one before alone:
//   k_s = a(x + c_s h v_(s-1), v + c_s h k_(s-1)),   x += h sum b_s v_s, v += h sum b_s k_s
struct Tableau {
  int stages;
  double c[4], b[4];
};
inline constexpr Tableau explicit_euler{1, {0}, {1}};
inline constexpr Tableau midpoint{2, {0, 0.5}, {0, 1}};
inline constexpr Tableau heun{2, {0, 1}, {0.5, 0.5}};  // the trapezoidal rule
inline constexpr Tableau rk4{4, {0, 0.5, 0.5, 1}, {1. / 6, 1. / 3, 1. / 3, 1. / 6}};

// A point within such a step: where the present stage has it, and h sum b v, h sum b k so far.
template <class V>
struct Staged {
  V x, v, sum_x, sum_v;
};
template <class V>
RTSIM_HD Staged<V> first_stage(const V& x, const V& v) {
  return {x, v, V{}, V{}};
}

// Adds a stage with hb = h b_s, and goes on to the next with hc = h c_(s+1).
template <class V, class T>
RTSIM_HD Staged<V> next_stage(const V& x, const V& v, const V& a, T hb, T hc, const Staged<V>& s) {
  return {x + hc * s.v, v + hc * a, s.sum_x + hb * s.v, s.sum_v + hb * a};
}

// Symplectic Euler: v += h a, x += h v.
template <class V, class T>
RTSIM_HD void symplectic_euler(V& x, V& v, const V& a, T h) {
  v = v + h * a;
  x = x + h * v;
}

// Störmer-Verlet in positions: x_(n+1) = x_n + (x_n - x_(n-1)) + h^2 a_n. With the displacement
// h v_(n-1/2) in place of the former position it is symplectic_euler from half a step earlier:
//   v_(-1/2) = v_0 - h a_0 / 2
// (x_(-1) = x_0 - h v_0, as in Jakobsen 2001, makes it first order.)
template <class V, class T>
RTSIM_HD V verlet_start(const V& v, const V& a, T h) {
  return v + (T(-0.5) * h) * a;
}

// Velocity Verlet: v += h a(x, v) / 2, x += h v, v += h a(x, v*) / 2, where v* = v + h a / 2
// predicts the velocity that forces of speed need, so that these are of second order too.
template <class V, class T>
RTSIM_HD void half_kick_and_drift(V& x, V& v, V& predicted, const V& a, T h) {
  v = v + (T(0.5) * h) * a;
  x = x + h * v;
  predicted = v + (T(0.5) * h) * a;
}
template <class V, class T>
RTSIM_HD void half_kick(V& v, const V& a, T h) {
  v = v + (T(0.5) * h) * a;
}

// The implicit midpoint rule is implicit Euler over half a step, w = v at the middle, then
// x += h w, v' = 2 w - v.
template <class V>
RTSIM_HD V beyond_middle(const V& v, const V& middle) {
  return middle + (middle - v);
}

}  // namespace rtsim::mass_spring
