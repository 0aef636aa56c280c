#pragma once
#include "base/vec.h"
#include "exec/span.h"
#include "lanes/row4.h"

namespace rtsim::pbd {

// What every constraint C(x) does to its points, of inverse masses w (Müller et al., "Position
// Based Dynamics", VRIPHYS 2006, eq. 9; Macklin, Müller & Chentanez, "XPBD: Position-Based
// Simulation of Compliant Constrained Dynamics", MIG 2016, eq. 18):
//   d_lambda = -(k C + a lambda) / (sum_i w_i |grad_i C|^2 + a),  dx_i = w_i grad_i C d_lambda
// PBD moves by a share k of it, with a = 0; XPBD has k = 1 and a = compliance / h^2. lambda is 0 at
// the beginning of a substep.
struct Softness {
  Real share = 1;  // k
  Real a = 0;      // [1/kg times the square of C's gradient]
};

// What somebody asks of projections beside the places; each may be empty. Rows of all points, to
// which they add.
struct Told {
  Span<Row4> push = {};   // what pushes held points: d_lambda grad C [kg m]
  Span<Row4> moved = {};  // what others are shifted by [m], of which places may hold but few digits
};

// T is Real, or Lanes<Real> for eight constraints at once.
template <class T>
struct Point {
  T x, y, z;  // [m]
  T w;        // [1/kg]
};

template <class T>
struct Arrow {
  T x, y, z;

  friend RTSIM_HD Arrow operator+(const Arrow& a, const Arrow& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend RTSIM_HD Arrow operator-(const Arrow& a, const Arrow& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend RTSIM_HD Arrow operator*(const T& s, const Arrow& a) {
    return {s * a.x, s * a.y, s * a.z};
  }
};

template <class T>
RTSIM_HD Arrow<T> operator-(const Point<T>& p, const Point<T>& q) {
  return {p.x - q.x, p.y - q.y, p.z - q.z};
}
template <class T>
RTSIM_HD T dot(const Arrow<T>& a, const Arrow<T>& b) {
  return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z));
}
template <class T>
RTSIM_HD Arrow<T> cross(const Arrow<T>& a, const Arrow<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Keeps quotients finite where all points are held, or lie in one place: their numerators, or what
// they multiply, are 0 then.
constexpr Real least_divisor = Real(1e-30);

template <class T>
RTSIM_HD T divided(const T& a, const T& b) {
  return a / max(b, T(least_divisor));
}

}  // namespace rtsim::pbd
