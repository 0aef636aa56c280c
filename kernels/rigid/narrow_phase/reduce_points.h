#pragma once
#include "rigid/shapes/part.h"

namespace rtsim::rigid {

// A corner of the area that two faces share, in the plane of one of them.
struct AreaPoint {
  Real u, v;        // [m] in the plane
  Real separation;  // [m]
  std::uint32_t feature;
};

// Whether a point is to take another's place: it spans more by a hundredth, or as much and lies
// deeper, as the lower one of two corners of a sheet does that lie above each other.
RTSIM_HD inline bool holds_better(Real span, Real most, const AreaPoint& p, const AreaPoint& best,
                                  Real alike) {
  constexpr Real better = Real(1.01), deeper = Real(0.02);
  if (span > better * most) return true;
  return most > 0 && better * span > most && p.separation < best.separation - deeper * alike;
}

// Four points that hold the area best, after Gregorius, "Robust contact creation for physics
// simulations" (2015): a deep one, the farthest from it, and those that span the largest triangles
// to both sides. Depths within `alike` [m] count as equal, and a later point must be better by a
// hundredth, so that the same four stay while the bodies rest. The chosen come first; returns how
// many.
RTSIM_HD inline int reduce_points(AreaPoint* p, int n, Real alike) {
  if (n <= 4) return n;
  Real least = p[0].separation;
  for (int i = 1; i < n; ++i) least = p[i].separation < least ? p[i].separation : least;
  int chosen[4] = {-1, 0, -1, -1};
  for (int i = 0; i < n && chosen[0] < 0; ++i)
    if (p[i].separation <= least + alike) chosen[0] = i;
  const AreaPoint a = p[chosen[0]];
  Real farthest = 0;
  for (int i = 0; i < n; ++i) {
    const Real du = p[i].u - a.u, dv = p[i].v - a.v, d2 = du * du + dv * dv;
    if (holds_better(d2, farthest, p[i], p[chosen[1]], alike)) farthest = d2, chosen[1] = i;
  }
  const AreaPoint b = p[chosen[1]];
  Real most = 0, most_behind = 0;
  for (int i = 0; i < n; ++i) {
    const Real area = (b.u - a.u) * (p[i].v - a.v) - (b.v - a.v) * (p[i].u - a.u);
    if (holds_better(area, most, p[i], p[chosen[2] < 0 ? 0 : chosen[2]], alike))
      most = area, chosen[2] = i;
    if (holds_better(-area, most_behind, p[i], p[chosen[3] < 0 ? 0 : chosen[3]], alike))
      most_behind = -area, chosen[3] = i;
  }
  AreaPoint kept[4];
  int count = 0;
  for (int c : chosen)
    if (c >= 0) kept[count++] = p[c];
  for (int c = 0; c < count; ++c) p[c] = kept[c];
  return count;
}

}  // namespace rtsim::rigid
