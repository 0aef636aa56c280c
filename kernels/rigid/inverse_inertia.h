#pragma once
#include "rigid/body.h"

namespace rtsim::rigid {

// The inverse of a tensor of inertia in the world's axes [1/(kg m^2)]. T: a number, or eight.
template <int D, class T>
struct InverseInertia;

template <class T>
struct InverseInertia<2, T> {
  T zz;
  RTSIM_HD VecT<T, 1> operator()(const VecT<T, 1>& l) const { return {{zz * l[0]}}; }
};

template <class T>
struct InverseInertia<3, T> {
  T xx, yy, zz, xy, xz, yz;
  RTSIM_HD VecT<T, 3> operator()(const VecT<T, 3>& l) const {
    return {{xx * l[0] + xy * l[1] + xz * l[2], xy * l[0] + yy * l[1] + yz * l[2],
             xz * l[0] + yz * l[1] + zz * l[2]}};
  }
};

// What has no moment about an axis is not turned about it.
RTSIM_HD inline Real inverse_or_zero(Real a) { return a > 0 && a < Real(1e30) ? 1 / a : Real(0); }

RTSIM_HD inline InverseInertia<2, Real> inverse_inertia(const Orientation<2>&,
                                                        const Angular<2>& moments) {
  return {inverse_or_zero(moments[0])};
}

// R diag(1/I) R^T.
RTSIM_HD inline InverseInertia<3, Real> inverse_inertia(const Orientation<3>& q,
                                                        const Angular<3>& moments) {
  const Vec<3> e[3] = {rotated(q, Vec<3>{{1, 0, 0}}), rotated(q, Vec<3>{{0, 1, 0}}),
                       rotated(q, Vec<3>{{0, 0, 1}})};
  InverseInertia<3, Real> r{};
  for (int a = 0; a < 3; ++a) {
    const Vec<3> s = inverse_or_zero(moments[a]) * e[a];
    r.xx += s[0] * e[a][0], r.yy += s[1] * e[a][1], r.zz += s[2] * e[a][2];
    r.xy += s[0] * e[a][1], r.xz += s[0] * e[a][2], r.yz += s[1] * e[a][2];
  }
  return r;
}

}  // namespace rtsim::rigid
