#pragma once
#include "base/vec.h"

namespace rtsim {

// The part of a triangle a point is nearest to: its face, edge k (from corner k to k + 1), corner
// k.
struct TriangleFeature {
  enum class Kind { face, edge, corner } kind;
  int k;
};

template <class T>
struct OnTriangle {
  VecT<T, 3> point;
  VecT<T, 3> weight;  // of the corners
  TriangleFeature feature;
};

namespace detail {

template <class T>
RTSIM_HD OnTriangle<T> on_corner(const VecT<T, 3>* p, int k) {
  OnTriangle<T> q{p[k], {}, {TriangleFeature::Kind::corner, k}};
  q.weight[k] = 1;
  return q;
}

// At the part t of the way along edge k.
template <class T>
RTSIM_HD OnTriangle<T> on_edge(const VecT<T, 3>* p, int k, T t) {
  const int next = (k + 1) % 3;
  OnTriangle<T> q{p[k] + t * (p[next] - p[k]), {}, {TriangleFeature::Kind::edge, k}};
  q.weight[k] = 1 - t, q.weight[next] = t;
  return q;
}

// A triangle of no area is its three edges.
template <class T>
RTSIM_HD OnTriangle<T> nearest_on_edges(const VecT<T, 3>& x, const VecT<T, 3>* p) {
  OnTriangle<T> best{};
  T least = -1;
  for (int k = 0; k < 3; ++k) {
    const VecT<T, 3> ab = p[(k + 1) % 3] - p[k];
    const T length2 = dot(ab, ab), along = dot(x - p[k], ab);
    const OnTriangle<T> q = along <= 0 || length2 == 0 ? on_corner(p, k)
                            : along >= length2         ? on_corner(p, (k + 1) % 3)
                                                       : on_edge(p, k, along / length2);
    const T d2 = dot(x - q.point, x - q.point);
    if (least < 0 || d2 < least) least = d2, best = q;
  }
  return best;
}

}  // namespace detail

// Ericson, "Real-Time Collision Detection" (2005), section 5.1.5: the region of the triangle's
// plane over which x lies, from the signs of barycentric products.
template <class T>
RTSIM_HD OnTriangle<T> nearest_on_triangle(const VecT<T, 3>& x, const VecT<T, 3>* p) {
  const VecT<T, 3> ab = p[1] - p[0], ac = p[2] - p[0];
  const VecT<T, 3> ax = x - p[0], bx = x - p[1], cx = x - p[2];
  const T d1 = dot(ab, ax), d2 = dot(ac, ax);
  if (d1 <= 0 && d2 <= 0) return detail::on_corner(p, 0);
  const T d3 = dot(ab, bx), d4 = dot(ac, bx);
  if (d3 >= 0 && d4 <= d3) return detail::on_corner(p, 1);
  const T d5 = dot(ab, cx), d6 = dot(ac, cx);
  if (d6 >= 0 && d5 <= d6) return detail::on_corner(p, 2);
  const T va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  if (!(va + vb + vc > 0)) return detail::nearest_on_edges(x, p);
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return detail::on_edge(p, 0, d1 / (d1 - d3));
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const T t = d2 / (d2 - d6);
    return {p[0] + t * ac, {{1 - t, 0, t}}, {TriangleFeature::Kind::edge, 2}};
  }
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
    return detail::on_edge(p, 1, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
  const T scale = 1 / (va + vb + vc);
  return {p[0] + (vb * scale) * ab + (vc * scale) * ac,
          {{va * scale, vb * scale, vc * scale}},
          {TriangleFeature::Kind::face, 0}};
}

}  // namespace rtsim
