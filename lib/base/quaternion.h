#pragma once
#include "base/vec.h"

// Turns: unit quaternions (x, y, z, w), and in the plane (cos, sin).
namespace rtsim {

// First b, then a.
template <class T>
RTSIM_HD VecT<T, 4> product(const VecT<T, 4>& a, const VecT<T, 4>& b) {
  const VecT<T, 3> u{{a[0], a[1], a[2]}}, v{{b[0], b[1], b[2]}};
  const VecT<T, 3> p = a[3] * v + b[3] * u + cross(u, v);
  return {{p[0], p[1], p[2], a[3] * b[3] - dot(u, v)}};
}
template <class T>
RTSIM_HD VecT<T, 2> product(const VecT<T, 2>& a, const VecT<T, 2>& b) {
  return {{a[0] * b[0] - a[1] * b[1], a[1] * b[0] + a[0] * b[1]}};
}

template <class T>
RTSIM_HD VecT<T, 4> back(const VecT<T, 4>& q) {
  return {{-q[0], -q[1], -q[2], q[3]}};
}
template <class T>
RTSIM_HD VecT<T, 2> back(const VecT<T, 2>& q) {
  return {{q[0], -q[1]}};
}

// v + 2 u x (u x v + w v), of q = (u, w).
template <class T>
RTSIM_HD VecT<T, 3> turned(const VecT<T, 4>& q, const VecT<T, 3>& v) {
  const VecT<T, 3> u{{q[0], q[1], q[2]}}, t = T(2) * cross(u, v);
  return v + q[3] * t + cross(u, t);
}
template <class T>
RTSIM_HD VecT<T, 2> turned(const VecT<T, 2>& q, const VecT<T, 2>& v) {
  return {{q[0] * v[0] - q[1] * v[1], q[1] * v[0] + q[0] * v[1]}};
}

}  // namespace rtsim
