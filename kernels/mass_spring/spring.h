#pragma once
#include "base/vec.h"

// A damped spring between points i and j, d = x_j - x_i, l = |d|, n = d / l:
//   f_i = (k (l - l0) + c n . (v_j - v_i)) n = -f_j,   E = k (l - l0)^2 / 2
// Müller et al., "Real Time Physics", SIGGRAPH 2008 course notes, eqs. 3.1 to 3.5.
// k stiffness [N/m], c damping [N s/m], l0 rest length [m]. Both forces of a spring are the same
// bits with opposite signs.
namespace rtsim::mass_spring {

template <class T>
struct Reach {
  VecT<T, 3> along;  // n, zero where the ends meet: the spring has no direction there
  T length;          // l [m]
};

template <class T>
RTSIM_HD Reach<T> reach(const VecT<T, 3>& d) {
  const T l = norm(d);
  return {(l > 0 ? T(1) / l : T(0)) * d, l};
}

template <class T>
RTSIM_HD VecT<T, 3> spring_force(const Reach<T>& r, const VecT<T, 3>& dv, T k, T c, T rest) {
  return (k * (r.length - rest) + c * dot(r.along, dv)) * r.along;
}

template <class T>
RTSIM_HD T spring_energy(const Reach<T>& r, T k, T rest) {
  return k * (r.length - rest) * (r.length - rest) / 2;
}

// df_i/dx_j = along n n^T + across (I - n n^T),  along = k, across = k (1 - l0 / l)
template <class T>
struct Tangent {
  T along, across;  // [N/m]
};

template <class T>
RTSIM_HD Tangent<T> tangent(const Reach<T>& r, T k, T rest) {
  return {k, r.length > 0 ? k * (1 - rest / r.length) : (rest > 0 ? T(0) : k)};
}

// A compressed spring gives way sideways: without that, the tangent is positive and a system of
// such springs can always be solved.
template <class T>
RTSIM_HD Tangent<T> positive(Tangent<T> t) {
  if (t.across < 0) t.across = 0;
  return t;
}

}  // namespace rtsim::mass_spring
