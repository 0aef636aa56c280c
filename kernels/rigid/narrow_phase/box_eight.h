#pragma once
#include "rigid/narrow_phase/box_box.h"
#include "rigid/narrow_phase/narrow_phase.h"

// Boxes in space, eight pairs at once: which axis parts them most. What touches then is clipped one
// pair after the other.
namespace rtsim::rigid {

class BoxEight {
 public:
  using Eight = Lanes<Real>;

  // `pairs` and `reach` [m]: of eight.
  [[gnu::always_inline]] BoxEight(const CollisionWorld<3>& world, const ItemPair* const* pairs,
                                  const Real* reach)
      : world_(world), pairs_(pairs), reach_(reach) {
    const BoxPair<Eight> p = box_pair(boxes(&ItemPair::a), boxes(&ItemPair::b));
    const BoxAxis<Eight> s = separating_axis(p, Eight::load(reach));
    s.axis.store(axis_), s.separation.store(separation_);
    for (int i = 0; i < 3; ++i) {
      p.a[i].store(a_[i]), p.b[i].store(b_[i]);
      for (int j = 0; j < 3; ++j) p.c[i][j].store(c_[i][j]);
    }
  }
  bool apart(Index l) const { return separation_[l] > reach_[l]; }
  ContactGeometry<3> collide(Index l) const {
    const PlacedBox<3>&a = world_.placed[pairs_[l]->a], &b = world_.placed[pairs_[l]->b];
    BoxPair<Real> p;
    for (int i = 0; i < 3; ++i) {
      p.a[i] = a_[i][l], p.b[i] = b_[i][l];
      for (int j = 0; j < 3; ++j) p.c[i][j] = c_[i][j][l];
    }
    p.half_a = a.half, p.half_b = b.half;
    return collide_along({axis_[l], separation_[l]}, a, b, p, reach_[l]);
  }

 private:
  [[gnu::always_inline]] PlacedBox<3, Eight> boxes(Index ItemPair::*which) const {
    static_assert(sizeof(PlacedBox<3>) == 4 * sizeof(Row4));
    const Row4* rows = reinterpret_cast<const Row4*>(world_.placed.data);
    Index first[lane_count];
    for (Index l = 0; l < lane_count; ++l) first[l] = 4 * (pairs_[l]->*which);
    const auto p = load_rows(rows, first), q = load_rows(rows + 1, first),
               r = load_rows(rows + 2, first), s = load_rows(rows + 3, first);
    return {{{p.x, p.y, p.z}},
            {{{p.w, q.x, q.y}}, {{q.z, q.w, r.x}}, {{r.y, r.z, r.w}}},
            {{s.x, s.y, s.z}}};
  }

  const CollisionWorld<3>& world_;
  const ItemPair* const* pairs_;
  const Real* reach_;
  Real axis_[lane_count], separation_[lane_count], a_[3][lane_count], b_[3][lane_count],
      c_[3][3][lane_count];
};

}  // namespace rtsim::rigid
