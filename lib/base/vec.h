#pragma once
#include <cmath>

#include "base/types.h"

namespace rtsim {

template <class T, int D>
struct VecT {
  T c[D]{};

  RTSIM_HD T& operator[](int i) { return c[i]; }
  RTSIM_HD const T& operator[](int i) const { return c[i]; }

  friend RTSIM_HD VecT operator+(VecT a, const VecT& b) {
    for (int i = 0; i < D; ++i) a.c[i] += b.c[i];
    return a;
  }
  friend RTSIM_HD VecT operator-(VecT a, const VecT& b) {
    for (int i = 0; i < D; ++i) a.c[i] -= b.c[i];
    return a;
  }
  friend RTSIM_HD VecT operator-(VecT a) {
    for (int i = 0; i < D; ++i) a.c[i] = -a.c[i];
    return a;
  }
  friend RTSIM_HD VecT operator*(T s, VecT a) {
    for (int i = 0; i < D; ++i) a.c[i] *= s;
    return a;
  }
  friend RTSIM_HD bool operator==(const VecT& a, const VecT& b) {
    for (int i = 0; i < D; ++i)
      if (a.c[i] != b.c[i]) return false;
    return true;
  }
};

template <int D>
using Vec = VecT<Real, D>;      // state: positions, velocities, forces
using Vec3d = VecT<double, 3>;  // geometry and parameters, on the host

template <class T, int D>
RTSIM_HD T dot(const VecT<T, D>& a, const VecT<T, D>& b) {
  T s = 0;
  for (int i = 0; i < D; ++i) s += a.c[i] * b.c[i];
  return s;
}
template <class T, int D>
RTSIM_HD T norm(const VecT<T, D>& a) {
  return std::sqrt(dot(a, a));
}
template <class T>
RTSIM_HD VecT<T, 3> cross(const VecT<T, 3>& a, const VecT<T, 3>& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

// Drops or pads (with zero) components, and converts the scalar.
template <int D>
RTSIM_HD Vec<D> narrow(const Vec3d& a) {
  Vec<D> r;
  for (int i = 0; i < D; ++i) r[i] = Real(a[i]);
  return r;
}
template <class T, int D>
RTSIM_HD Vec3d widen(const VecT<T, D>& a) {
  Vec3d r;
  for (int i = 0; i < D && i < 3; ++i) r[i] = double(a[i]);
  return r;
}

}  // namespace rtsim
