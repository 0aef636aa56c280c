#pragma once
#include "rigid/half_space.h"

// Which two kinds of parts touch how. The first part is a body's; the second a body's or a
// boundary's.
namespace rtsim::rigid {

template <int D>
struct PlacedPart {
  const Frame<D>& frame;
  const Part<D>& part;
  Span<const Vec<D>> points;
};

RTSIM_HD inline bool is_round(PartKind k) {
  return k == PartKind::sphere || k == PartKind::capsule;
}

template <int D>
RTSIM_HD Round<D> round_of(const PlacedPart<D>& p) {
  return placed_round(p.frame, p.part, p.points);
}

template <int D>
RTSIM_HD Touching<D> turned_round(Touching<D> t) {
  t.normal = -t.normal;
  return t;
}

RTSIM_HD inline Touching<3> touch_round_and_box(const PlacedPart<3>& a, const PlacedPart<3>& b,
                                                Real reach) {
  const Round<3> r = round_of(a);
  return turned_round(
      touch_ball(placed_box(b.frame, b.part), Real(0.5) * (r.from + r.to), r.radius, reach));
}

RTSIM_HD inline Touching<3> touch_convex(const PlacedPart<3>& a, const PlacedPart<3>& b,
                                         Real reach) {
  const PartKind ka = a.part.kind, kb = b.part.kind;
  if (ka == PartKind::box && kb == PartKind::box)
    return touch(placed_box(a.frame, a.part), placed_box(b.frame, b.part), reach);
  if (ka == PartKind::sphere && kb == PartKind::box) return touch_round_and_box(a, b, reach);
  if (ka == PartKind::box && kb == PartKind::sphere)
    return turned_round(touch_round_and_box(b, a, reach));
  return {};
}

RTSIM_HD inline Touching<2> touch_convex(const PlacedPart<2>&, const PlacedPart<2>&, Real) {
  return {};
}

template <int D>
RTSIM_HD Touching<D> touch(const PlacedPart<D>& a, const PlacedPart<D>& b, Real reach) {
  if (b.part.kind == PartKind::plane)
    return touch_plane(a.frame, a.part, a.points, placed_plane(b.frame, b.part, b.points), reach);
  if (is_round(a.part.kind) && is_round(b.part.kind)) return touch(round_of(a), round_of(b), reach);
  return touch_convex(a, b, reach);
}

}  // namespace rtsim::rigid
