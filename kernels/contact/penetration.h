#pragma once
#include "contact/self_contact.h"

// Meshes that overlap tetrahedra of others: where, how deep, and which way leads out. Teschner,
// Heidelberger, Müller, Pomeranets & Gross, "Optimized Spatial Hashing for Collision Detection of
// Deformable Objects", VMV 2003; Heidelberger, Teschner, Keiser, Müller & Gross, "Consistent
// Penetration Depth Estimation for Deformable Collision Response", VMV 2004.
namespace rtsim::contact {

using Corners4 = VecT<std::int32_t, 4>;

struct Box {
  Vec<3> low, high;  // [m]

  RTSIM_HD bool empty() const { return low[0] > high[0] || low[1] > high[1] || low[2] > high[2]; }
};

// --- points_inside.cu: which points of surfaces are inside other solids

// Around the points [first, end).
Box box_of_points(const Exec&, Span<const Vec<3>> position, Index first, Index end);

// Tets in the cells of space that their boxes meet, by the cells' hashes. Only what lies within
// the `reach` of its mesh, where another mesh's box is, can meet anything.
struct TetCells {
  Span<const Corners4> tets;
  Span<const std::int32_t> part;  // of points: their mesh
  Span<const Box> reach;          // of each mesh
  Span<const Vec<3>> position;
  Vec<3> origin;  // [m]
  Real cell;      // [m]
  Real slack;     // [m] how far out of a tet is looked for points, and out of triangles for edges
  std::uint32_t buckets;
  Span<const Index> tet, order, first;  // of each entry; entries of a bucket as in exec/sort.h
};
// How many cells there are of all tets; of each; then their tets and buckets behind first[tet].
double cells_of_tets(const Exec&, const TetCells&);
void count_cells(const Exec&, const TetCells&, Span<Index> count);
void write_cells(const Exec&, const TetCells&, Span<const Index> first, Span<Index> tet,
                 Span<std::uint32_t> bucket);

// The surfaces that meet, with their trees around the places where points are.
struct Surfaces {
  ItemTree<3> triangles;
  ItemTree<2> edges;
  Span<const Index> first, neighbours;  // along edges, of each point
  Span<const std::uint32_t> solid;      // of each mesh: whether it has tets
};

// inside[p]: a tet of another mesh that point p of a surface is in, or -1; close[p]: the same of
// points that are within the slack of one. Returns how many are inside.
Index find_inside(const Exec&, const TetCells&, Span<const std::int32_t> points, Span<Index> inside,
                  Span<Index> close);
// One round: points that are close to a solid in which a neighbour is count as inside, so that
// surfaces in one plane part together. Returns how many came.
Index grow_inside(const Exec&, const TetCells&, const Surfaces&, Span<const Index> close,
                  Span<const Index> inside, Span<Index> next);

// Points from which edges lead out, but none through the surface, are not inside: tets that are
// inside out overlap others, and stand out of the surface. Where no surfaces cross, all edges that
// lead out say so. Returns how many are left.
Index confirm_inside(const Exec&, const TetCells&, const Surfaces&, bool crossing,
                     Span<const Index> inside, Span<Index> next);

// near[p]: whether p or a neighbour along an edge is inside.
void mark_near(const Exec&, const Surfaces&, Span<const Index> inside, Span<std::uint32_t> near);

// crosses[e] of edges in their tree: whether e goes through the surface of another solid.
Index find_crossing(const Exec&, const TetCells&, const Surfaces&, Span<std::uint32_t> crosses);

// --- penetration_depth.cu: which way leads out, and how far it is

// Of points inside: which way leads out (0, 1, 2: of length one), and how far it is [m].
using WayOut = Vec<4>;

// Those with edges that leave the solid: x_i where, n_i the normal of the surface there, weights
// w_i = 1/|x_i - p|^2:
//   depth = sum(w_i (x_i - p) . n_i) / sum(w_i),  direction = sum(w_i n_i) / |sum(w_i n_i)|.
// level[p] = 1 if p has a way, else 0, as where it is pierced; `next` is level then. Returns how
// many get one.
Index border_ways(const Exec&, const TetCells&, const Surfaces&, Span<const Index> inside,
                  Span<WayOut>, Span<const std::uint32_t> level, Span<std::uint32_t> next);
// One round: points that have none from neighbours q in the same solid that do, w_q = 1/|q - p|^2:
//   depth = sum(w_q ((q - p) . direction_q + depth_q)) / sum(w_q).
// Returns how many had neighbours that do.
Index spread_ways(const Exec&, const TetCells&, const Surfaces&, Span<const Index> inside,
                  Span<WayOut>, Span<const std::uint32_t> level, Span<std::uint32_t> next);
// One more for what is pierced: the opposite way of the corners of triangles through which p's
// edges leave, as far as these are inside p's mesh.
Index react_ways(const Exec&, const TetCells&, const Surfaces&, Span<const Index> inside,
                 Span<WayOut>, Span<const std::uint32_t> level, Span<std::uint32_t> next);

// Parts of meshes that lie in a solid without a way out go the shortest one that any of their
// points has to the surface, all of them: a record of each point, which neighbours improve.
struct Shortest {
  Real distance;  // [m]
  std::int32_t from;
};
struct Exit {
  Vec<3> place, normal;  // on the surface
};
void nearest_exits(const Exec&, const TetCells&, const Surfaces&, Span<const Index> inside,
                   Span<const std::uint32_t> level, Span<Exit>, Span<Shortest>);
// One round: returns how many records improved.
Index spread_exits(const Exec&, const TetCells&, const Surfaces&, Span<const Index> inside,
                   Span<const std::uint32_t> level, Span<const Shortest>, Span<Shortest> next);
void take_exits(const Exec&, const TetCells&, Span<const Index> inside, Span<const Exit>,
                Span<const Shortest>, Span<WayOut>, Span<std::uint32_t> level);

// --- penetration.cu: contacts, and their impulses

// A place of one mesh, on a point or an edge (0, 1), in a tet of another (2, 3, 4, 5):
// sum(weight_k x_k) = 0 where they were found, so that pushes along any direction have no moment.
struct Penetration {
  std::int32_t p[6];
  Real weight[6];
  Vec<3> normal;  // the way out
  Real depth;     // [m]
};
// Of points inside, and of edges that cut through a solid between their ends, of each 0 or 1, then
// the penetrations behind first[...]: points, then edges in their tree.
void count_penetrations(const Exec&, const TetCells&, const Surfaces&, Span<const Index> inside,
                        Span<const std::uint32_t> crosses, Span<Index> count);
void write_penetrations(const Exec&, const TetCells&, const Surfaces&, Span<const Index> inside,
                        Span<const std::uint32_t> crosses, Span<const WayOut>,
                        Span<const Index> first, Span<Penetration>);
void penetration_keys(const Exec&, Span<const Penetration>, Span<std::uint32_t> keys);

// x + h v: where points are at the end of the next step, if nothing else pushes them.
void look_ahead(const Exec&, Span<const Vec<3>> x, Span<const Vec<3>> v, Real h,
                Span<Vec<3>> ahead);

// One pass of impulses, shared as in self_contact.h: with s = sum(weight_k (ahead_k - x_k)),
//   normal . s >= min(depth + thickness, recovery),  and friction against the rest of s.
// Places stay: what is stiffer than a step can follow would take in energy by being moved.
void push_out(const Exec&, const SelfRules&, Span<const Penetration>, const Slots&,
              Span<const Real> w, Span<const Vec<3>> x, Span<Vec<4>> moves, Span<Real> count,
              Real h, Span<Vec<3>> ahead, Span<Vec<3>> v);

}  // namespace rtsim::contact
