#pragma once
#include "base/vec.h"
#include "lanes/lanes.h"

// Symmetric matrices of one, two or three rows: xx; xx, xy, yy; xx, xy, yy, xz, yz, zz.
namespace rtsim::rigid {

template <class T>
RTSIM_HD VecT<T, 1> times(const VecT<T, 1>& m, const VecT<T, 1>& v) {
  return {{m[0] * v[0]}};
}
template <class T>
RTSIM_HD VecT<T, 2> times(const VecT<T, 3>& m, const VecT<T, 2>& v) {
  return {{m[0] * v[0] + m[1] * v[1], m[1] * v[0] + m[2] * v[1]}};
}
template <class T>
RTSIM_HD VecT<T, 3> times(const VecT<T, 6>& m, const VecT<T, 3>& v) {
  return {{m[0] * v[0] + m[1] * v[1] + m[3] * v[2], m[1] * v[0] + m[2] * v[1] + m[4] * v[2],
           m[3] * v[0] + m[4] * v[1] + m[5] * v[2]}};
}

template <class T>
RTSIM_HD T inverse_or_none(T a) {
  return select_less(T(Real(0)), a, T(Real(1)) / a, T(Real(0)));
}
// Zero where there is none.
template <class T>
RTSIM_HD VecT<T, 1> inverse_of(const VecT<T, 1>& k) {
  return {{inverse_or_none(k[0])}};
}
template <class T>
RTSIM_HD VecT<T, 3> inverse_of(const VecT<T, 3>& k) {
  const T d = inverse_or_none(k[0] * k[2] - k[1] * k[1]);
  return {{d * k[2], -(d * k[1]), d * k[0]}};
}
template <class T>
RTSIM_HD VecT<T, 6> adjugate(const VecT<T, 6>& k) {
  return {{k[2] * k[5] - k[4] * k[4], k[3] * k[4] - k[1] * k[5], k[0] * k[5] - k[3] * k[3],
           k[1] * k[4] - k[3] * k[2], k[1] * k[3] - k[0] * k[4], k[0] * k[2] - k[1] * k[1]}};
}
template <class T>
RTSIM_HD VecT<T, 6> inverse_of(const VecT<T, 6>& k) {
  const T scale = inverse_or_none(k[0]);  // its cube could be out of a float's range
  const VecT<T, 6> s = scale * k, a = adjugate(s);
  return (scale * inverse_or_none(s[0] * a[0] + s[1] * a[1] + s[3] * a[3])) * a;
}

template <class T>
RTSIM_HD T determinant(const VecT<T, 1>& m) {
  return m[0];
}
template <class T>
RTSIM_HD T determinant(const VecT<T, 3>& m) {
  return m[0] * m[2] - m[1] * m[1];
}
// With one row more, of its own.
template <class T>
RTSIM_HD VecT<T, 6> with(const VecT<T, 3>& m, T zz) {
  const T zero(Real(0));
  return {{m[0], m[1], m[2], zero, zero, zz}};
}

template <class T>
RTSIM_HD T trace(const VecT<T, 1>& m) {
  return m[0];
}
template <class T>
RTSIM_HD T trace(const VecT<T, 3>& m) {
  return m[0] + m[2];
}
template <class T>
RTSIM_HD T trace(const VecT<T, 6>& m) {
  return m[0] + m[2] + m[5];
}

// H M H.
template <class T>
RTSIM_HD VecT<T, 1> seen_through(const VecT<T, 1>& h, const VecT<T, 1>& m) {
  return {{h[0] * m[0] * h[0]}};
}
template <class T>
RTSIM_HD VecT<T, 3> seen_through(const VecT<T, 3>& h, const VecT<T, 3>& m) {
  const VecT<T, 2> x = times(m, VecT<T, 2>{{h[0], h[1]}}), y = times(m, VecT<T, 2>{{h[1], h[2]}});
  return {{h[0] * x[0] + h[1] * x[1], h[0] * y[0] + h[1] * y[1], h[1] * y[0] + h[2] * y[1]}};
}
template <class T>
RTSIM_HD VecT<T, 6> seen_through(const VecT<T, 6>& h, const VecT<T, 6>& m) {
  const VecT<T, 3> x = times(m, VecT<T, 3>{{h[0], h[1], h[3]}}),
                   y = times(m, VecT<T, 3>{{h[1], h[2], h[4]}}),
                   z = times(m, VecT<T, 3>{{h[3], h[4], h[5]}});
  const VecT<T, 3> hx = times(h, x), hy = times(h, y), hz = times(h, z);
  return {{hx[0], hx[1], hy[1], hx[2], hy[2], hz[2]}};
}

}  // namespace rtsim::rigid
