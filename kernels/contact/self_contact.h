#pragma once
#include <vector>

#include "contact/box_tree.h"
#include "contact/fans.h"
#include "contact/features.h"
#include "contact/spread.h"
#include "exec/exec.h"

// Launchers for meshes that collide with themselves and with one another.
namespace rtsim::contact {

// Items of N corners in the order of their tree; `levels` of nodes, the root's first.
template <int N>
struct ItemTree {
  Span<const VecT<std::int32_t, N>> items;
  Span<BoxNode> nodes;
};

struct Pair {
  std::int32_t p[4];  // as in features.h
  Features kind;
};

// The way of the points of a substep.
struct Ways {
  Span<const Vec<3>> from, to;  // [m]
};

// AABBs around items and their paths, `margin` [m] wider on all sides. `of_level`: nodes, of one
// level after the other from the deepest; first: where each begins, and the end.
template <int N>
void fit(const Exec&, const ItemTree<N>&, const Ways&, Real margin, Span<const Index> of_level,
         const std::vector<Index>& first);

// Which mesh points are of, and whether features of one mesh meet each other.
struct Parts {
  Span<const std::int32_t> of_point;
  bool within;

  RTSIM_HD bool meet(std::int32_t p, std::int32_t q) const {
    return within || of_point[p] != of_point[q];
  }
};

// What is tangled already, and moved apart by volumes (penetration.h): its features have no side
// that they may come from. Empty where nothing is.
struct Tangled {
  Span<const std::uint32_t> near;  // of each point: it or a neighbour is in a tet of another mesh
  Span<const std::uint32_t> crosses;  // of each edge in its tree: whether it goes through a surface

  RTSIM_HD bool point(std::int32_t p) const { return near.size > 0 && near[p]; }
  RTSIM_HD bool edge(Index e) const { return crosses.size > 0 && crosses[e]; }
};

// Broad phase: pairs whose AABBs overlap, without those that share a point: points with triangles,
// edges with edges, proxy spheres with one another, each once. First how many there are of each
// query, then, behind first[query], the pairs.
struct Search {
  ItemTree<3> triangles;
  ItemTree<2> edges;
  ItemTree<1> proxy_spheres;
  Span<const std::int32_t> points;  // of any triangle or edge
  Parts parts;
  Ways ways;
  Real margin;  // as of the boxes
  Tangled tangled = {};

  RTSIM_HD Index point_queries() const { return triangles.nodes.size > 0 ? points.size : 0; }
  RTSIM_HD Index queries() const {
    return point_queries() + edges.items.size + proxy_spheres.items.size;
  }
};
void count_pairs(const Exec&, const Search&, Span<Index> count);
void write_pairs(const Exec&, const Search&, Span<const Index> first, Span<Pair> pairs);

// Which point stands in each of the four places of each pair.
void slot_keys(const Exec&, Span<const Pair>, Span<std::uint32_t> keys);
// A pair at the start of the substep: how its features lie, from which side they may come near.
struct Facing {
  Vec<3> normal;
  Real distance;   // [m]
  Real keep;       // the distance that they are to have at the end [m]
  Real weight[4];  // gap = sum of weight x
};

struct SelfRules {
  Real thickness;  // [m]
  Real recovery;   // [m] in a substep, of pairs that start closer
  Real friction;
};
// keep = thickness, or four fifths of the distance at rest where that is less; of pairs that start
// closer no more than the start and the recovery. With fans, pairs that are not where surfaces are
// nearest to each other keep none.
void face(const Exec&, const SelfRules&, const Fans&, Span<const Pair>, Span<const Vec<3>> rest,
          Span<const Vec<3>> from, Span<Facing>);

// One pass of projections, each from the same places and divided by the most pairs that one of its
// points that move has:
//   n . sum(weight_k x_k) >= keep,  and friction against their sliding since the start.
// `moves` is scratch for each slot, `count` for each point. x += d, v += d / h.
void repel(const Exec&, const SelfRules&, Span<const Pair>, Span<const Facing>, const Slots&,
           Span<const Real> w, Span<const Vec<3>> from, Span<Vec<4>> moves, Span<Real> count,
           Real h, Span<Vec<3>> x, Span<Vec<3>> v);

// Of points, bits say by what their ways are shortened: by solids (face_contact.h), or by other
// parts of the meshes.
inline constexpr std::uint32_t self_mark = 1;
// Marks the points of pairs that would meet on their ways, but for those whose points are all
// marked already, and returns how many pairs there are.
Index mark_meeting(const Exec&, Real separation, Span<const Pair>, const Slots&, Span<const Facing>,
                   const Ways&, Span<std::uint32_t> meets, Span<std::uint32_t> marked);
void mark_all(const Exec&, Span<std::uint32_t> marked);

// Marked points go no further from `from` than 0.45 times the least distance of their pairs, less
// what rounding may add, so that two marked features, which together go less than the distance
// between them, cannot meet.
void shorten(const Exec&, const Slots&, Span<const Facing>, Span<const std::uint32_t> marked,
             Span<const Real> w, Span<const Vec<3>> from, Real h, Span<Vec<3>> x, Span<Vec<3>> v);

// The greatest distance of points from where they were.
Real farthest(const Exec&, Span<const Vec<3>> from, Span<const Vec<3>> to);

// How often an edge goes through a triangle. The boxes of the triangles hold them as they are.
Index count_intersections(const Exec&, const ItemTree<3>&, const ItemTree<2>&, const Parts&,
                          Span<const Vec<3>> position);
// The first edge in its tree that does; -1 if none.
Index first_intersection(const Exec&, const ItemTree<3>&, const ItemTree<2>&, const Parts&,
                         Span<const Vec<3>> position);

}  // namespace rtsim::contact
