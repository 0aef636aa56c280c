#pragma once
#include "fem/deformation.h"

// F = U diag(s) V^T with rotations U and V, s1 >= s2 >= |s3|: only the least stretch is negative,
// where F turns an element inside out (Irving, Teran & Fedkiw, "Invertible Finite Elements for
// Robust Simulation of Large Deformation", SCA 2004). By Jacobi's rotations of F^T F, then columns
// of F V made orthogonal (McAdams et al., "Computing the Singular Value Decomposition of 3x3
// matrices with minimal branching", University of Wisconsin 2011). No branch on values: eight
// elements take the same way. Any F, 0 as well, gives rotations.
namespace rtsim::fem {

// Below this, divisors count as nothing: numerators are 0 then.
constexpr Real least = Real(1e-30);

// A rotation of Jacobi's in the plane (p, q) that makes m[p][q] zero, noted in the columns of v.
template <int p, int q, class T>
RTSIM_HD void annihilate(Mat3<T>& m, Mat3<T>& v) {
  constexpr int r = 3 - p - q;
  const T off = m.row[p][q], d = m.row[q][q] - m.row[p][p], twice = off + off;
  const T size = absolute(d) + root(fma(d, d, twice * twice));
  const T t = select_less(d, T(0), T(0) - twice, twice) / max(size, T(least));
  const T c = T(1) / root(fma(t, t, T(1))), s = t * c;
  m.row[p][p] = m.row[p][p] - t * off, m.row[q][q] = m.row[q][q] + t * off;
  m.row[p][q] = m.row[q][p] = T(0);
  const T a = m.row[p][r], b = m.row[q][r];
  m.row[p][r] = m.row[r][p] = c * a - s * b;
  m.row[q][r] = m.row[r][q] = fma(s, a, c * b);
  for (int k = 0; k < 3; ++k) {
    const T e = v.row[k][p], f = v.row[k][q];
    v.row[k][p] = c * e - s * f, v.row[k][q] = fma(s, e, c * f);
  }
}

// Quadratic in the end: so many leave rounding alone.
template <class T>
constexpr int sweeps = std::same_as<T, double> || std::same_as<Real, double> ? 6 : 4;

// Makes a symmetric m diagonal: m = v diag v^T.
template <class T>
RTSIM_HD Mat3<T> diagonalise(Mat3<T>& m) {
  Mat3<T> v = diagonal(T(1));
  for (int sweep = 0; sweep < sweeps<T>; ++sweep) {
    annihilate<0, 1>(m, v);
    annihilate<0, 2>(m, v);
    annihilate<1, 2>(m, v);
  }
  return v;
}

template <class T>
struct Svd {
  Mat3<T> u, v;
  VecT<T, 3> s;
};

namespace detail {

// Columns i and j change places, one of them turned round, where the first is shorter.
template <class T>
RTSIM_HD void sort_columns(VecT<T, 3>& b_i, VecT<T, 3>& b_j, VecT<T, 3>& v_i, VecT<T, 3>& v_j) {
  const T x = inner(b_i, b_i), y = inner(b_j, b_j);
  for (int a = 0; a < 3; ++a) {
    const T b = b_i[a], v = v_i[a];
    b_i[a] = select_less(x, y, b_j[a], b), b_j[a] = select_less(x, y, T(0) - b, b_j[a]);
    v_i[a] = select_less(x, y, v_j[a], v), v_j[a] = select_less(x, y, T(0) - v, v_j[a]);
  }
}

template <class T>
RTSIM_HD VecT<T, 3> select_vector(T x, T y, const VecT<T, 3>& a, const VecT<T, 3>& b) {
  return {{select_less(x, y, a[0], b[0]), select_less(x, y, a[1], b[1]),
           select_less(x, y, a[2], b[2])}};
}
template <class T>
RTSIM_HD VecT<T, 3> normalised(const VecT<T, 3>& a) {
  return (T(1) / root(max(inner(a, a), T(least)))) * a;
}
// Some unit vector across the unit vector u.
template <class T>
RTSIM_HD VecT<T, 3> across(const VecT<T, 3>& u) {
  const VecT<T, 3> xy{{T(0) - u[1], u[0], T(0)}}, yz{{T(0), T(0) - u[2], u[1]}};
  return normalised(select_vector(absolute(u[2]), absolute(u[0]), xy, yz));
}

}  // namespace detail

template <class T>
RTSIM_HD Svd<T> svd(const Mat3<T>& F) {
  Mat3<T> m = transposed_product(F, F);
  const Mat3<T> turned = transposed(diagonalise(m));
  VecT<T, 3> v0 = turned.row[0], v1 = turned.row[1], v2 = turned.row[2];
  VecT<T, 3> b0 = product(F, v0), b1 = product(F, v1), b2 = product(F, v2);
  detail::sort_columns(b0, b1, v0, v1);
  detail::sort_columns(b0, b2, v0, v2);
  detail::sort_columns(b1, b2, v1, v2);

  const T size = inner(b0, b0), tiny(Real(1e-24)), flat(Real(1e-12));
  const VecT<T, 3> x{{T(1), T(0), T(0)}};
  const VecT<T, 3> u0 = detail::select_vector(size, tiny, x, detail::normalised(b0));
  const VecT<T, 3> rest = fma(T(0) - inner(u0, b1), u0, b1);
  const VecT<T, 3> u1 = detail::select_vector(inner(rest, rest), max(flat * size, tiny),
                                              detail::across(u0), detail::normalised(rest));
  const VecT<T, 3> u2 = cross(u0, u1);
  return {transposed(Mat3<T>{u0, u1, u2}),
          transposed(Mat3<T>{v0, v1, v2}),
          {{inner(u0, b0), inner(u1, b1), inner(u2, b2)}}};
}

// The rotation of F = R S, S symmetric.
template <class T>
RTSIM_HD Mat3<T> rotation(const Svd<T>& f) {
  return product_transposed(f.u, f.v);
}

}  // namespace rtsim::fem
