#pragma once
#include "base/nearest_on_triangle.h"
#include "exec/span.h"

// A bounding volume hierarchy (BVH) of axis-aligned boxes (AABB) over the triangles or edges of a
// mesh.
namespace rtsim::contact {

using Corners2 = VecT<std::int32_t, 2>;
using Corners3 = VecT<std::int32_t, 3>;

// A leaf holds items [first, first + count) of the tree's order; an inner node (count 0) is
// followed by one child and has its other at `first`.
struct BoxNode {
  Vec<3> low, high;  // [m]
  Index first, count;
};

constexpr int tree_depth = 64;  // medians halve 2^31 items in at most 31 levels

RTSIM_HD inline Real squared_distance(const BoxNode& box, const Vec<3>& x) {
  Real d2 = 0;
  for (int a = 0; a < 3; ++a) {
    const Real below = box.low[a] - x[a], above = x[a] - box.high[a];
    const Real q = below > above ? below : above;
    if (q > 0) d2 += q * q;
  }
  return d2;
}

// A place, how far it is, and the direction away from the surface there.
struct Nearest {
  Real distance;  // [m]; below zero inside a solid
  Vec<3> normal;  // of length one
};

// Triangles of a boundary, and the normals that tell the inside from the outside (see
// lib/shapes/pseudonormals.h); none of an open mesh, which has two outsides.
struct SurfaceMesh {
  Span<const BoxNode> nodes;
  Span<const Vec<3>> vertices;
  Span<const Corners3> triangles, sides;
  Span<const Vec<3>> corner_normals, edge_normals;

  RTSIM_HD bool closed() const { return sides.size > 0; }
};

struct NearestTriangle {
  Index triangle;
  OnTriangle<Real> on;
};

RTSIM_HD inline void corners_of(const SurfaceMesh& m, Index triangle, Vec<3>* p) {
  for (int k = 0; k < 3; ++k) p[k] = m.vertices[m.triangles[triangle][k]];
}

RTSIM_HD inline void nearest_of(const SurfaceMesh& m, Index triangle, const Vec<3>& x, Real& least,
                                NearestTriangle& best) {
  Vec<3> p[3];
  corners_of(m, triangle, p);
  const OnTriangle<Real> on = nearest_on_triangle(x, p);
  const Real d2 = dot(x - on.point, x - on.point);
  if (d2 < least) least = d2, best = {triangle, on};
}

// Nearer boxes first. `beside`: a triangle that is near, if one is known: then few boxes are left.
RTSIM_HD inline NearestTriangle nearest_triangle(const SurfaceMesh& m, const Vec<3>& x,
                                                 Index beside = -1) {
  Index node[tree_depth];
  Real distance2[tree_depth];
  int waiting = 1;
  node[0] = 0, distance2[0] = 0;
  Real least = Real(1e30);
  NearestTriangle best{};
  if (beside >= 0) nearest_of(m, beside, x, least, best);
  while (waiting > 0) {
    --waiting;
    if (distance2[waiting] >= least) continue;
    const Index at = node[waiting];
    const BoxNode& n = m.nodes[at];
    if (n.count > 0) {
      for (Index t = n.first; t < n.first + n.count; ++t) nearest_of(m, t, x, least, best);
      continue;
    }
    const Real d[2] = {squared_distance(m.nodes[at + 1], x), squared_distance(m.nodes[n.first], x)};
    const Index child[2] = {at + 1, n.first};
    const int far = d[0] < d[1] ? 1 : 0;
    node[waiting] = child[far], distance2[waiting++] = d[far];
    node[waiting] = child[1 - far], distance2[waiting++] = d[1 - far];
  }
  return best;
}

RTSIM_HD inline Vec<3> face_normal(const SurfaceMesh& m, Index triangle) {
  Vec<3> p[3];
  corners_of(m, triangle, p);
  const Vec<3> n = cross(p[1] - p[0], p[2] - p[0]);
  const Real length = norm(n);
  return length > 0 ? Real(1) / length * n : Vec<3>{{0, 1, 0}};
}

RTSIM_HD inline Vec<3> pseudonormal(const SurfaceMesh& m, const NearestTriangle& q) {
  const int k = q.on.feature.k;
  switch (q.on.feature.kind) {
    case TriangleFeature::Kind::corner:
      return m.corner_normals[m.triangles[q.triangle][k]];
    case TriangleFeature::Kind::edge:
      return m.edge_normals[m.sides[q.triangle][k]];
    case TriangleFeature::Kind::face:
      break;
  }
  return face_normal(m, q.triangle);
}

// On the surface itself the direction is that of the face.
RTSIM_HD inline Nearest nearest(const SurfaceMesh& m, const Vec<3>& x) {
  const NearestTriangle q = nearest_triangle(m, x);
  const Vec<3> gap = x - q.on.point;
  const Real d = norm(gap);
  if (!(d > 0)) return {0, face_normal(m, q.triangle)};
  const bool inside = m.closed() && dot(gap, pseudonormal(m, q)) < 0;
  return inside ? Nearest{-d, Real(-1) / d * gap} : Nearest{d, Real(1) / d * gap};
}

}  // namespace rtsim::contact
