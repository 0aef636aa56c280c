#pragma once
#include "contact/feature_boxes.h"
#include "contact/tet_cells.h"

// Where edges of surfaces go through surfaces of other solids.
namespace rtsim::contact {

// Of an edge's length: what leaves a plane by less runs along it.
constexpr double least_slope = 1e-3;

RTSIM_HD inline int mesh_of(const TetCells& c, std::int32_t point) { return c.part[point]; }
RTSIM_HD inline int mesh_of_tet(const TetCells& c, Index tet) { return c.part[c.tets[tet][0]]; }

// An edge at the plane of a triangle: s along it, the normal, and how fast it goes outwards.
struct Crossing {
  double s;
  Vec3d place, normal;
  double outwards;  // its direction along the normal
  Index triangle;   // in the tree
};

// Whether it goes through the triangle, or past its rim by no more than the slack: edges of
// surfaces that lie in each other's plane leave through rims.
RTSIM_HD inline bool cross_triangle(const TetCells& c, const Vec3d& a, const Vec3d& b,
                                    const Corners3& t, double slack, Crossing& to) {
  const Vec3d p[3] = {widen(c.position[t[0]]), widen(c.position[t[1]]), widen(c.position[t[2]])};
  const Vec3d n = cross(p[1] - p[0], p[2] - p[0]), way = b - a;
  const double above = dot(n, a - p[0]), below = dot(n, b - p[0]), n2 = dot(n, n),
               length = norm(way);
  if (!(above * below < 0) || !(n2 > 0)) return false;
  to.s = above / (above - below);
  to.place = a + to.s * way;
  to.normal = 1 / std::sqrt(n2) * n;
  to.outwards = dot(to.normal, way) / length;
  if (!(std::abs(to.outwards) > least_slope)) return false;
  const Vec3d off = to.place - nearest_on_triangle(to.place, p).point;
  return dot(off, off) <= slack * slack;
}

// Of rounding only.
RTSIM_HD inline Real strictly(const TetCells& c) { return Real(1e-4) * c.slack; }

// visit(crossing, mesh) where the edge from a to b goes through surfaces of other solids.
template <class Visit>
RTSIM_HD inline void for_crossings(const TetCells& c, const Surfaces& s, std::int32_t a,
                                   std::int32_t b, Real slack, const Visit& visit) {
  const BoxNode box = box_of(Corners2{{a, b}}, {c.position, c.position}, slack);
  const Vec3d xa = widen(c.position[a]), xb = widen(c.position[b]);
  for_items(s.triangles, box, [&](Index k) {
    const Corners3& t = s.triangles.items[k];
    const int mesh = mesh_of(c, t[0]);
    if (mesh == mesh_of(c, a) || !s.solid[mesh]) return;
    if (!overlap(box, box_of(t, {c.position, c.position}, 0))) return;
    Crossing x;
    x.triangle = k;
    if (cross_triangle(c, xa, xb, t, double(slack), x)) visit(x, mesh);
  });
}

RTSIM_HD inline bool in_mesh(const TetCells& c, Span<const Index> inside, std::int32_t p,
                             int mesh) {
  return inside[p] >= 0 && mesh_of_tet(c, inside[p]) == mesh;
}

// The first place where the edge from p, which is inside a mesh, to q leaves it; s > 1: none.
RTSIM_HD inline Crossing where_it_leaves(const TetCells& c, const Surfaces& s, std::int32_t p,
                                         std::int32_t q, int mesh) {
  Crossing leaves{2, {}, {}, 0, -1};
  for_crossings(c, s, p, q, c.slack, [&](const Crossing& x, int of) {
    if (of == mesh && x.outwards > 0 && x.s < leaves.s) leaves = x;
  });
  return leaves;
}

}  // namespace rtsim::contact
