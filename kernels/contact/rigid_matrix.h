#pragma once
#include "base/vec.h"

namespace rtsim::contact {

// How something resists changes of a rigid velocity (V, w): the impulse and its moment are
// m (V, w). Symmetric, by rows.
struct RigidMatrix {
  double m[6][6] = {};

  // What resists at an arm r with k along a where the change is along b: W_a k W_b^T, W_a the
  // change (a, r x a) of the six that moves the end of the arm along a.
  RTSIM_HD void add(double k, const Vec3d& r, const Vec3d& a, const Vec3d& b) {
    const Vec3d ra = cross(r, a), rb = cross(r, b);
    for (int p = 0; p < 6; ++p)
      for (int q = 0; q < 6; ++q)
        m[p][q] += k * (p < 3 ? a[p] : ra[p - 3]) * (q < 3 ? b[q] : rb[q - 3]);
  }
  friend RTSIM_HD RigidMatrix operator+(RigidMatrix a, const RigidMatrix& b) {
    for (int p = 0; p < 6; ++p)
      for (int q = 0; q < 6; ++q) a.m[p][q] += b.m[p][q];
    return a;
  }
};

}  // namespace rtsim::contact
