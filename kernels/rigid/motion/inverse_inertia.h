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
    return {{fma(xx, l[0], fma(xy, l[1], xz * l[2])), fma(xy, l[0], fma(yy, l[1], yz * l[2])),
             fma(xz, l[0], fma(yz, l[1], zz * l[2]))}};
  }
};

// What has no moment about an axis is not turned about it.
RTSIM_HD inline Real inverse_or_zero(Real a) { return a > 0 && a < Real(1e30) ? 1 / a : Real(0); }
template <class T>
RTSIM_HD T inverse_or_zero(const T& a) {
  const T zero(Real(0));
  return select_less(zero, a, select_less(a, T(Real(1e30)), T(Real(1)) / a, zero), zero);
}

template <class T>
RTSIM_HD InverseInertia<2, T> inverse_inertia(const VecT<T, 2>&, const VecT<T, 1>& moments) {
  return {inverse_or_zero(moments[0])};
}

// R diag(1/I) R^T.
template <class T>
RTSIM_HD InverseInertia<3, T> inverse_inertia(const VecT<T, 4>& q, const VecT<T, 3>& moments) {
  InverseInertia<3, T> r{T(Real(0)), T(Real(0)), T(Real(0)), T(Real(0)), T(Real(0)), T(Real(0))};
  for (int a = 0; a < 3; ++a) {
    VecT<T, 3> own{{T(Real(0)), T(Real(0)), T(Real(0))}};
    own[a] = T(Real(1));
    const VecT<T, 3> e = turned(q, own), s = inverse_or_zero(moments[a]) * e;
    r.xx += s[0] * e[0], r.yy += s[1] * e[1], r.zz += s[2] * e[2];
    r.xy += s[0] * e[1], r.xz += s[0] * e[2], r.yz += s[1] * e[2];
  }
  return r;
}

}  // namespace rtsim::rigid
