#pragma once
#include "block_cg/sym3.h"

namespace rtsim {

// A 3 x 3 matrix, by rows.
template <class T>
struct Mat3 {
  VecT<T, 3> row[3];

  friend RTSIM_HD Mat3 operator+(const Mat3& a, const Mat3& b) {
    return {a.row[0] + b.row[0], a.row[1] + b.row[1], a.row[2] + b.row[2]};
  }
  friend RTSIM_HD Mat3 operator*(T s, const Mat3& m) {
    return {s * m.row[0], s * m.row[1], s * m.row[2]};
  }
  friend RTSIM_HD VecT<T, 3> operator*(const Mat3& m, const VecT<T, 3>& v) {
    return {{dot(m.row[0], v), dot(m.row[1], v), dot(m.row[2], v)}};
  }
};

template <class T>
RTSIM_HD Mat3<T> transposed(const Mat3<T>& m) {
  Mat3<T> t;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) t.row[a][b] = m.row[b][a];
  return t;
}

// a b^T
template <class T>
RTSIM_HD Mat3<T> outer(const VecT<T, 3>& a, const VecT<T, 3>& b) {
  return {a[0] * b, a[1] * b, a[2] * b};
}

template <class T>
RTSIM_HD Mat3<T> diagonal(T s) {
  Mat3<T> m{};
  for (int a = 0; a < 3; ++a) m.row[a][a] = s;
  return m;
}

// (m + m^T) / 2
RTSIM_HD inline Sym3 symmetric(const Mat3<Real>& m) {
  return {m.row[0][0],
          m.row[1][1],
          m.row[2][2],
          Real(0.5) * (m.row[0][1] + m.row[1][0]),
          Real(0.5) * (m.row[0][2] + m.row[2][0]),
          Real(0.5) * (m.row[1][2] + m.row[2][1])};
}

}  // namespace rtsim
