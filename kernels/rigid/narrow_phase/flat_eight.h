#pragma once
#include <cstddef>

#include "rigid/narrow_phase/flat_boxes.h"
#include "rigid/narrow_phase/narrow_phase.h"

// Boxes in the plane, eight pairs at once, from where their bodies are to what they touch with. The
// lanes that need more than this, as corners that are nearest to corners or what flies past, are
// left to narrow_phase.h.
namespace rtsim::rigid {

class FlatEight {
 public:
  using Eight = Lanes<Real>;

  // `pairs`: eight of them.
  [[gnu::always_inline]] FlatEight(const CollisionWorld<2>& world, const ItemPair* const* pairs,
                                   Real dt, Real margin) {
    Index of_a[lane_count], of_b[lane_count];
    Real reach_a[lane_count], reach_b[lane_count];
    for (Index l = 0; l < lane_count; ++l) {
      const ItemPair& p = *pairs[l];
      of_a[l] = world.items[p.a].body, of_b[l] = world.items[p.b].body;
      reach_a[l] = world.parts.parts[world.items[p.a].part].reach;
      reach_b[l] = world.parts.parts[p.part].reach;
    }
    const Bodies a = bodies(world, of_a), b = bodies(world, of_b);
    const Eight ra = Eight::load(reach_a), rb = Eight::load(reach_b);
    const Eight reach = Eight(margin) + Eight(dt) * (size(b.velocity - a.velocity) + a.spin * ra +
                                                     b.spin * (size(a.x - b.centre) + ra));
    reach.store(reach_);
    const FlatContact<Eight> t =
        collide_flat(boxes(world, pairs, &ItemPair::a), boxes(world, pairs, &ItemPair::b));
    const VecT<Eight, 2> way = b.x - a.x;
    const Eight reaches = ra + rb + reach;
    apart_ = less(reaches * reaches, dot(way, way)) | less(reach, t.gap);
    const Eight zero(Real(0));
    const Eight sign = select_less(zero, t.second, zero - Eight(Real(1)), Eight(Real(1)));
    second_ = less(zero, t.second);
    put(normal_, sign * t.normal);
    plain_ = less(zero, t.nearest);
    for (int k = 0; k < 2; ++k) {
      const auto& end = t.ends[k];
      End& e = ends_[k];
      const unsigned beyond = less(Eight(margin), end.gap);
      near_[k] = ~beyond, plain_ &= ~beyond | less(reach, end.gap);
      put(e.arm_a, end.point - a.centre), put(e.arm_b, end.point - b.centre);
      end.gap.store(e.gap), end.corner.store(e.corner);
    }
    plain_ &= near_[0] | near_[1];
  }

  bool apart(Index l) const { return apart_ >> l & 1; }
  // Whether all that it touches with is nearer than the margin, or farther than anything gets.
  bool plain(Index l) const { return plain_ >> l & 1; }
  Real reach(Index l) const { return reach_[l]; }
  // Of a plain lane.
  void write(Index l, const CollisionWorld<2>& world, const ItemPair& pair, Manifold<2>& m) const {
    const Item &a = world.items[pair.a], &b = world.items[pair.b];
    m.a = a.body, m.b = b.body, m.part_a = a.number, m.part_b = b.number;
    m.normal = {{normal_[0][l], normal_[1][l]}}, m.points = 0;
    const bool first = !(second_ >> l & 1);
    for (int k = 0; k < 2; ++k) {
      if (!(near_[k] >> l & 1)) continue;
      const End& e = ends_[k];
      const int corner = int(e.corner[l]);
      m.arm_a[m.points] = {{e.arm_a[0][l], e.arm_a[1][l]}};
      m.arm_b[m.points] = {{e.arm_b[0][l], e.arm_b[1][l]}};
      m.separation[m.points] = e.gap[l];
      m.feature[m.points++] =
          (corner < 4) == first ? corner_of_second(corner & 3) : corner_of_first(corner & 3);
    }
  }

 private:
  struct Bodies {
    VecT<Eight, 2> x, centre, velocity;
    Eight spin;
  };
  struct End {
    Real arm_a[2][lane_count], arm_b[2][lane_count], gap[lane_count], corner[lane_count];
  };

  static Eight size(const VecT<Eight, 2>& v) { return root(dot(v, v)); }
  static void put(Real (&lines)[2][lane_count], const VecT<Eight, 2>& v) {
    v[0].store(lines[0]), v[1].store(lines[1]);
  }
  [[gnu::always_inline]] static Bodies bodies(const CollisionWorld<2>& world, const Index* of) {
    static_assert(sizeof(BodyPose<2>) == 3 * sizeof(Row4) &&
                  offsetof(BodyPose<2>, centre) == 6 * sizeof(Real) &&
                  offsetof(BodyPose<2>, velocity) == 8 * sizeof(Real) &&
                  offsetof(BodyPose<2>, spin) == 11 * sizeof(Real));
    const Row4* rows = reinterpret_cast<const Row4*>(world.poses.data);
    Index first[lane_count];
    for (Index l = 0; l < lane_count; ++l) first[l] = 3 * of[l];
    const auto p = load_rows(rows, first), q = load_rows(rows + 1, first),
               r = load_rows(rows + 2, first);
    return {{{p.x, p.y}}, {{q.z, q.w}}, {{r.x, r.y}}, r.w};
  }
  [[gnu::always_inline]] static PlacedBox<2, Eight> boxes(const CollisionWorld<2>& world,
                                                          const ItemPair* const* pairs,
                                                          Index ItemPair::*which) {
    static_assert(sizeof(PlacedBox<2>) == 2 * sizeof(Row4));
    const Row4* rows = reinterpret_cast<const Row4*>(world.placed.data);
    Index first[lane_count];
    for (Index l = 0; l < lane_count; ++l) first[l] = 2 * (pairs[l]->*which);
    const auto p = load_rows(rows, first), q = load_rows(rows + 1, first);
    return {{{p.x, p.y}}, {{{p.z, p.w}}, {{q.x, q.y}}}, {{q.z, q.w}}};
  }

  unsigned apart_, plain_, second_, near_[2];
  Real reach_[lane_count], normal_[2][lane_count];
  End ends_[2];
};

}  // namespace rtsim::rigid
