#pragma once
#include "rigid/motion/solver_body.h"

// Slender bodies within a step. An impulse at an arm r that is off by an angle d has a moment r d
// along a rod's length, and that turns it by (r d)^2 over its least moment, where its contact
// counts on 1 / m + r^2 / I; and a rod that spins about its length at w moves such an arm at w r d.
// So the arms of rods go along with their axes through the substeps, but not with their spin, as
// contacts do.
namespace rtsim::rigid {

// The axis of the least moment of what is thinner than 1:14; else -1.
RTSIM_HD inline int slender_axis(const Angular<2>&) { return -1; }
RTSIM_HD inline int slender_axis(const Angular<3>& moments) {
  int least = 0, most = 0;
  for (int a = 1; a < 3; ++a) {
    if (moments[a] < moments[least]) least = a;
    if (moments[a] > moments[most]) most = a;
  }
  return moments[least] < Real(0.01) * moments[most] ? least : -1;
}

// The inverse tensor must stay definite in rounding: a least moment below this share of the others
// counts as that much.
constexpr Real least_moment_ratio = sizeof(Real) == 4 ? Real(1e-5) : Real(1e-12);
template <class T>
RTSIM_HD VecT<T, 1> regularised_inertia(const VecT<T, 1>& moments) {
  return moments;
}
template <class T>
RTSIM_HD VecT<T, 3> regularised_inertia(const VecT<T, 3>& moments) {
  const T most = max(max(moments[0], moments[1]), moments[2]);
  VecT<T, 3> f = moments;
  for (int a = 0; a < 3; ++a)
    f[a] = select_less(T(Real(0)), f[a], max(f[a], T(least_moment_ratio) * most), f[a]);
  return f;
}

// The smallest turn that brings an axis to where the turn `by` brings it.
RTSIM_HD inline Orientation<2> swing_of(const Orientation<2>& by, const Vec<2>&) { return by; }
RTSIM_HD inline Orientation<3> swing_of(const Orientation<3>& by, const Vec<3>& axis) {
  const Vec<3> to = turned(by, axis), across = cross(axis, to);
  const Orientation<3> q{{across[0], across[1], across[2], 1 + dot(axis, to)}};
  return (1 / std::sqrt(max(dot(q, q), Real(1e-30)))) * q;
}

}  // namespace rtsim::rigid
