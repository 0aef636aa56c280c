#pragma once
#include "fem/materials.h"

// A tetrahedron with linear shape functions: F = sum_k (x_k - x_0) g_k^T over its corners k = 1 to
// 3, with g_k the gradient [1/m] of the shape function of corner k at rest; that of corner 0 is
// minus their sum. Forces on corners are f_k = -V P g_k, the stiffness between corners i and j is
//   K_ij = V g_i . d2Psi/dF2 . g_j.
// A triangle in the x, y plane is one with g_3 = 0 and F_zz = 1: plane strain, of a slice that is a
// metre deep.
namespace rtsim::fem {

template <class T>
struct ElementRest {
  VecT<T, 3> g[3];  // [1/m]
  T volume;         // V [m^3]
};

// d[k] = x_(k+1) - x_0; `through` is F_zz besides, 1 of triangles.
template <class T>
RTSIM_HD Mat3<T> deformation(const ElementRest<T>& rest, const VecT<T, 3>* d, T through) {
  Mat3<T> F;
  for (int a = 0; a < 3; ++a)
    F.row[a] = fma(d[0][a], rest.g[0], fma(d[1][a], rest.g[1], d[2][a] * rest.g[2]));
  F.row[2][2] = F.row[2][2] + through;
  return F;
}

// On corner k, 1 to 3.
template <class T>
RTSIM_HD VecT<T, 3> corner_force(const ElementRest<T>& rest, const Mat3<T>& P, int k) {
  return (T(0) - rest.volume) * product(P, rest.g[k - 1]);
}

// Pairs of corners in order: 01, 02, 03, 12, 13, 23.
RTSIM_HD constexpr int pair_of(int k, int end) {
  constexpr int pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  return pairs[k][end];
}

// K_ij / V of two corners, from the gradients V^T g of both along the axes of the tangent.
template <class T>
RTSIM_HD Mat3<T> corner_tangent(const PrincipalTangent<T>& t, const VecT<T, 3>& g_i,
                                const VecT<T, 3>& g_j) {
  VecT<T, 3> along;
  for (int a = 0; a < 3; ++a) along[a] = g_i[a] * g_j[a];
  Mat3<T> k;
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    k.row[a][a] = fma(t.a.row[a][a], along[a], fma(t.same[c], along[b], t.same[b] * along[c]));
    k.row[b][c] = fma(t.a.row[b][c], g_i[b] * g_j[c], t.crossed[a] * (g_i[c] * g_j[b]));
    k.row[c][b] = fma(t.a.row[b][c], g_i[c] * g_j[b], t.crossed[a] * (g_i[b] * g_j[c]));
  }
  return product_transposed(product(t.u, k), t.u);
}

// The gradients of all four corners along the axes of the tangent.
template <class T>
RTSIM_HD void principal_gradients(const PrincipalTangent<T>& t, const ElementRest<T>& rest,
                                  VecT<T, 3>* g) {
  const Mat3<T> turned = transposed(t.v);
  for (int k = 0; k < 3; ++k) g[k + 1] = product(turned, rest.g[k]);
  g[0] = T(-1) * (g[1] + g[2] + g[3]);
}

// Of Cauchy's stress s = P F^T / J: root(3/2 |s - tr(s)/3 I|^2)
template <class T>
RTSIM_HD T von_mises(const Mat3<T>& P, const Mat3<T>& F) {
  const T J = max(absolute(determinant(F)), T(Real(1e-6)));
  const Mat3<T> s = T(1) / J * symmetric_part(product_transposed(P, F));
  const Mat3<T> deviator = shifted(s, T(Real(-1) / 3) * trace(s));
  return root(T(Real(1.5)) * contraction(deviator, deviator));
}

}  // namespace rtsim::fem
