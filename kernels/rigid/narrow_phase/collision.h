#pragma once
#include <vector>

#include "contact/solid.h"
#include "exec/buffer.h"
#include "rigid/motion/rows.h"
#include "rigid/shapes/part.h"

// Launchers that find where bodies touch.
namespace rtsim::rigid {

// Two items that may touch: the first is a body's.
struct ItemPair {
  Index a, b;
  Index part : 29;         // of b's: the item's, or of a mesh a triangle
  std::int32_t group : 3;  // of corners with one normal, at a field

  RTSIM_HD bool operator==(const ItemPair& o) const {
    return a == o.a && b == o.b && part == o.part && group == o.group;
  }
};

template <int D>
struct CollisionWorld {
  Parts<D> parts;
  Span<const contact::Solid> solids;  // of fields
  Span<const Item> items;
  Span<const BodyPose<D>> poses;  // of bodies, then of boundaries
  Span<PlacedBox<D>> placed;      // of items that are boxes
  Span<const Index> box_rows;     // row of each item among these, or of another; none: its own
  // Of bodies and boundaries: two that rest are not tested; or none.
  Span<const std::uint8_t> rests;

  RTSIM_HD Index box_row(Index item) const { return box_rows.size > 0 ? box_rows[item] : item; }
  RTSIM_HD PlacedBox<D>& box(Index item) const { return placed[box_row(item)]; }
};

template <int D>
void pose_bodies(const Exec&, const Rows&, const BodyStates<D>&, Span<BodyPose<D>> poses);

// Places aabbs, and says where items may be within dt [s], and `margin` [m] around bodies'.
template <int D>
void bound_items(const Exec&, const Rows& items, const CollisionWorld<D>&, double dt, double margin,
                 Span<Aabb<D>> aabbs);

// Whether every box is within its fat one.
template <int D>
bool all_within(const Exec&, const Rows& items, Span<const Aabb<D>> aabbs, Span<const Aabb<D>> fat);

// What was found, and scratch on the way there.
template <int D>
struct Manifolds {
  Buffer<Row4> rows;
  Buffer<Index> first;  // row of each, where they have different numbers of rows
  Index size = 0;

  Buffer<Manifold<D>> found;  // of each pair, on a device
  Buffer<Index> counts;
  // On a CPU so many pairs are a chunk, which writes what it finds where it did so last time.
  struct Chunk {
    std::size_t first_row = 0, row_room = 0;
    std::size_t first = 0, room = 0;  // of manifolds
    std::size_t n = 0, rows = 0;      // were found,
    std::vector<Row4> beside;         // of which these rows had no room
  };
  std::vector<Chunk> chunks;

  explicit Manifolds(const Exec& ex) : rows(ex), first(ex), found(ex), counts(ex) {}
  ManifoldList<D> list() const { return {rows.span(), first.span(), size}; }
};

// The manifolds of pairs that have points nearer than `margin` [m], or that may come so near
// within dt [s], in the order of the pairs.
template <int D>
void collide_pairs(const Exec&, const CollisionWorld<D>&, Span<const Aabb<D>> aabbs,
                   Span<const ItemPair> pairs, double dt, double margin, Manifolds<D>& out);
// The same on the CPU, with boxes in eights: collision_lanes.cpp.
template <int D>
void collide_pairs_lanes(const Exec&, const CollisionWorld<D>&, Span<const Aabb<D>> aabbs,
                         Span<const ItemPair> pairs, Real dt, Real margin, Manifolds<D>& out);

}  // namespace rtsim::rigid
