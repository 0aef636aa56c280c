#pragma once
#include <cmath>
#include <concepts>

#include "block_cg/mat3.h"

// Matrices of deformation. T is Real, double, or Lanes<Real> for eight elements at once.
namespace rtsim::fem {

// The scalar forms of what Lanes has, in any precision.
template <std::floating_point T>
RTSIM_HD T root(T a) {
  return std::sqrt(a);
}
template <std::floating_point T>
RTSIM_HD T max(T a, T b) {
  return a > b ? a : b;
}
template <std::floating_point T>
RTSIM_HD T select_less(T x, T y, T a, T b) {
  return x < y ? a : b;
}
template <std::floating_point T>
RTSIM_HD T fma(T a, T b, T c) {
  return std::fma(a, b, c);
}
// x - log(1 + x) >= 0 for x > -1, about x^2 / 2: by its series where the difference would round.
template <class T>
struct LogGap;
template <std::floating_point T>
struct LogGap<T> {
  RTSIM_HD static T of(T x) {
    if (std::abs(x) > T(0.01)) return x - std::log1p(x);
    return x * x * (T(1) / 2 - x * (T(1) / 3 - x * (T(1) / 4 - x * (T(1) / 5 - x / 6))));
  }
};

template <class T>
RTSIM_HD T absolute(T a) {
  return max(a, T(0) - a);
}

// a b + c
template <class T>
RTSIM_HD VecT<T, 3> fma(T a, const VecT<T, 3>& b, const VecT<T, 3>& c) {
  return {{fma(a, b[0], c[0]), fma(a, b[1], c[1]), fma(a, b[2], c[2])}};
}
template <class T>
RTSIM_HD T inner(const VecT<T, 3>& a, const VecT<T, 3>& b) {
  return fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2]));
}
template <class T>
RTSIM_HD VecT<T, 3> product(const Mat3<T>& m, const VecT<T, 3>& v) {
  return {{inner(m.row[0], v), inner(m.row[1], v), inner(m.row[2], v)}};
}
template <class T>
RTSIM_HD Mat3<T> product(const Mat3<T>& a, const Mat3<T>& b) {
  Mat3<T> m;
  for (int i = 0; i < 3; ++i)
    m.row[i] = fma(a.row[i][0], b.row[0], fma(a.row[i][1], b.row[1], a.row[i][2] * b.row[2]));
  return m;
}
// a b^T
template <class T>
RTSIM_HD Mat3<T> product_transposed(const Mat3<T>& a, const Mat3<T>& b) {
  Mat3<T> m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m.row[i][j] = inner(a.row[i], b.row[j]);
  return m;
}
// a^T b
template <class T>
RTSIM_HD Mat3<T> transposed_product(const Mat3<T>& a, const Mat3<T>& b) {
  Mat3<T> m;
  for (int i = 0; i < 3; ++i)
    m.row[i] = fma(a.row[0][i], b.row[0], fma(a.row[1][i], b.row[1], a.row[2][i] * b.row[2]));
  return m;
}
template <class T>
RTSIM_HD T trace(const Mat3<T>& m) {
  return m.row[0][0] + m.row[1][1] + m.row[2][2];
}
// a : b
template <class T>
RTSIM_HD T contraction(const Mat3<T>& a, const Mat3<T>& b) {
  return inner(a.row[0], b.row[0]) + inner(a.row[1], b.row[1]) + inner(a.row[2], b.row[2]);
}
// dJ/dF of J = det F
template <class T>
RTSIM_HD Mat3<T> cofactor(const Mat3<T>& m) {
  return {cross(m.row[1], m.row[2]), cross(m.row[2], m.row[0]), cross(m.row[0], m.row[1])};
}
template <class T>
RTSIM_HD T determinant(const Mat3<T>& m) {
  return inner(m.row[0], cross(m.row[1], m.row[2]));
}
// m + s I
template <class T>
RTSIM_HD Mat3<T> shifted(Mat3<T> m, T s) {
  for (int a = 0; a < 3; ++a) m.row[a][a] = m.row[a][a] + s;
  return m;
}
// (m + m^T) / 2
template <class T>
RTSIM_HD Mat3<T> symmetric_part(const Mat3<T>& m) {
  return T(Real(0.5)) * (m + transposed(m));
}

}  // namespace rtsim::fem
