#pragma once
#include <type_traits>

#include "fem/materials.h"

// A tetrahedron with straight edges at rest. g_k [1/m] is the gradient of the barycentric
// coordinate L_k of corner k; that of corner 0 is minus the sum of the others. With X_k = dx/dL_k,
//   F = sum_k X_k g_k^T = sum_(k > 0) (X_k - X_0) g_k^T,  h_k = -V P g_k,
//   K_kl = V g_k . d2Psi/dF2 . g_l,
// in which the sum of a volume is one over points of quadrature. A node n with the shape function
// N_n has the force sum_k (dN_n/dL_k) h_k, and so on.
//   four nodes  N_k = L_k: X_k = x_k, one point
//   ten nodes   N_k = L_k (2 L_k - 1) of corners, N_kl = 4 L_k L_l amid edges:
//               X_k = (4 L_k - 1) x_k + 4 sum_(l != k) L_l x_kl,
//               four points, exact to second order, which is all there is where P is linear in F
//               (Hammer & Stroud, "Numerical Integration over Simplexes", 1956)
// A triangle in the x, y plane is one with g_3 = 0, L_3 = 0 and F_zz = 1, with three points:
// plane strain, of a slice that is a metre deep.
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

// What T is made of: itself, or of eight at once Real.
template <class T>
using ScalarOf = std::conditional_t<std::is_floating_point_v<T>, T, Real>;

struct FourNodes {
  static constexpr int nodes = 4, pairs = 6;
  RTSIM_HD static int points(bool) { return 1; }
  // X_k - X_0 of corners 1 to 3 at point q, of nodes at x from node 0.
  template <class T>
  RTSIM_HD static void edges(bool, int, const VecT<T, 3>* x, VecT<T, 3>* d) {
    for (int k = 0; k < 3; ++k) d[k] = x[k + 1];
  }
  // f_n += sum_k dN_n/dL_k h_k
  template <class T>
  RTSIM_HD static void add_forces(bool, int, const VecT<T, 3>* h, VecT<T, 3>* f) {
    for (int k = 0; k < 4; ++k) f[k] = f[k] + h[k];
  }
};

// The corners, then the middles of their pairs.
struct TenNodes {
  static constexpr int nodes = 10, pairs = 45;
  RTSIM_HD static int points(bool flat) { return flat ? 3 : 4; }

  // L_k at point q.
  template <class S>
  RTSIM_HD static S coordinate(bool flat, int q, int k) {
    if (flat) return k == 3 ? S(0) : k == q ? S(2. / 3) : S(1. / 6);
    return k == q ? S(0.58541019662496845446) : S(0.13819660112501051518);
  }
  // dN/dL of a node, by the one or two corners for which it is not 0.
  template <class S>
  struct Slopes {
    int count;
    int corner[2];
    S slope[2];
  };
  template <class S>
  RTSIM_HD static Slopes<S> slopes(bool flat, int q, int n) {
    if (n < 4) return {1, {n, n}, {4 * coordinate<S>(flat, q, n) - 1, 0}};
    const int k = pair_of(n - 4, 0), l = pair_of(n - 4, 1);
    return {2, {k, l}, {4 * coordinate<S>(flat, q, l), 4 * coordinate<S>(flat, q, k)}};
  }

  // X_k = x_k + 4 sum_(l != k) L_l b_kl, in which b_kl is how far x_kl is from the middle of its
  // corners: small beside an edge, so that what is summed rounds little.
  template <class T>
  RTSIM_HD static void edges(bool flat, int q, const VecT<T, 3>* x, VecT<T, 3>* d) {
    VecT<T, 3> bent[4]{};
    for (int p = 0; p < 6; ++p) {
      const int k = pair_of(p, 0), l = pair_of(p, 1);
      const VecT<T, 3> b = x[4 + p] - T(ScalarOf<T>(0.5)) * (x[k] + x[l]);
      bent[k] = fma(T(4 * coordinate<ScalarOf<T>>(flat, q, l)), b, bent[k]);
      bent[l] = fma(T(4 * coordinate<ScalarOf<T>>(flat, q, k)), b, bent[l]);
    }
    for (int k = 0; k < 3; ++k) d[k] = (x[k + 1] - x[0]) + (bent[k + 1] - bent[0]);
  }
  template <class T>
  RTSIM_HD static void add_forces(bool flat, int q, const VecT<T, 3>* h, VecT<T, 3>* f) {
    for (int n = 0; n < nodes; ++n) {
      const auto s = slopes<ScalarOf<T>>(flat, q, n);
      for (int k = 0; k < s.count; ++k) f[n] = fma(T(s.slope[k]), h[s.corner[k]], f[n]);
    }
  }
};

// An element as kernels work on it: its places are from node 0.
template <class T>
struct ElementHere {
  ElementRest<T> rest;
  Lame<T> lame;
  bool flat;
  T through;  // F_zz besides: 1 of triangles
  VecT<T, 3> x[TenNodes::nodes];
  Mat3<T> plastic[4];  // of each point, if the law asks for it
};

template <class Law, class T>
RTSIM_HD Response<T> respond(const ElementHere<T>& e, int q, const Mat3<T>& F) {
  if constexpr (std::is_same_v<Law, Plastic>)
    return Law::respond(e.lame, F, e.plastic[q]);
  else
    return (void)q, Law::respond(e.lame, F);
}
template <class Law, class T>
RTSIM_HD PrincipalTangent<T> tangent(const ElementHere<T>& e, int q, const Mat3<T>& F,
                                     bool project) {
  if constexpr (std::is_same_v<Law, Plastic>)
    return Law::tangent(e.lame, F, e.plastic[q], project);
  else
    return (void)q, Law::tangent(e.lame, F, project);
}

template <class Nodes, class T>
RTSIM_HD Mat3<T> deformation_at(const ElementHere<T>& e, int q) {
  VecT<T, 3> d[3];
  Nodes::edges(e.flat, q, e.x, d);
  return deformation(e.rest, d, e.through);
}

// Forces on the nodes [N], to which they are added; returns the energy [J].
template <class Law, class Nodes, class T>
RTSIM_HD T element_forces(const ElementHere<T>& e, VecT<T, 3>* f) {
  const int points = Nodes::points(e.flat);
  const ElementRest<T> rest{{e.rest.g[0], e.rest.g[1], e.rest.g[2]},
                            T(Real(1) / Real(points)) * e.rest.volume};
  T energy(Real(0));
  for (int q = 0; q < points; ++q) {
    const Response<T> r = respond<Law>(e, q, deformation_at<Nodes>(e, q));
    energy = fma(rest.volume, r.energy, energy);
    VecT<T, 3> h[4]{};
    for (int k = 1; k < 4; ++k) h[k] = corner_force(rest, r.stress, k), h[0] = h[0] - h[k];
    Nodes::add_forces(e.flat, q, h, f);
  }
  return energy;
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

// V times the second slopes between corners, of a share of the volume.
template <class T>
struct CornerTangents {
  Mat3<T> k[4][4];
};
template <class T>
RTSIM_HD CornerTangents<T> corner_tangents(const PrincipalTangent<T>& t, const ElementRest<T>& rest,
                                           T volume) {
  VecT<T, 3> g[4];
  principal_gradients(t, rest, g);
  CornerTangents<T> all;
  for (int a = 0; a < 4; ++a) all.k[a][a] = {};
  for (int p = 0; p < 6; ++p) {
    const int a = pair_of(p, 0), b = pair_of(p, 1);
    all.k[a][b] = volume * corner_tangent(t, g[a], g[b]);
    all.k[b][a] = transposed(all.k[a][b]);
    all.k[a][a] = all.k[a][a] + T(-1) * all.k[a][b];
    all.k[b][b] = all.k[b][b] + T(-1) * all.k[b][a];
  }
  return all;
}

// K_nm of the pairs of nodes n < m in order, made positive if `project`, times `scale`.
template <class Law, class Nodes, class T>
RTSIM_HD void element_tangents(const ElementHere<T>& e, T scale, bool project, Mat3<T>* to) {
  if constexpr (Nodes::nodes == 4) {
    const PrincipalTangent<T> t = tangent<Law>(e, 0, deformation_at<Nodes>(e, 0), project);
    VecT<T, 3> g[4];
    principal_gradients(t, e.rest, g);
    for (int p = 0; p < 6; ++p)
      to[p] = (scale * e.rest.volume) * corner_tangent(t, g[pair_of(p, 0)], g[pair_of(p, 1)]);
  } else {
    const int points = Nodes::points(e.flat);
    const T volume = T(Real(1) / Real(points)) * scale * e.rest.volume;
    for (int p = 0; p < Nodes::pairs; ++p) to[p] = {};
    for (int q = 0; q < points; ++q) {
      const CornerTangents<T> at =
          corner_tangents(tangent<Law>(e, q, deformation_at<Nodes>(e, q), project), e.rest, volume);
      int p = 0;
      for (int n = 0; n < Nodes::nodes; ++n)
        for (int m = n + 1; m < Nodes::nodes; ++m, ++p) {
          const auto i = Nodes::template slopes<ScalarOf<T>>(e.flat, q, n),
                     j = Nodes::template slopes<ScalarOf<T>>(e.flat, q, m);
          for (int k = 0; k < i.count; ++k)
            for (int l = 0; l < j.count; ++l)
              to[p] = to[p] + T(i.slope[k] * j.slope[l]) * at.k[i.corner[k]][j.corner[l]];
        }
    }
  }
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
