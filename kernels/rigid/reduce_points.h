#pragma once
#include "rigid/part.h"

namespace rtsim::rigid {

// A corner of the area that two faces share, in the plane of one of them.
struct AreaPoint {
  Real u, v;        // [m] in the plane
  Real separation;  // [m]
  std::uint32_t feature;
};

// Four points that hold the area best, after Gregorius, "Robust contact creation for physics
// simulations" (2015): a deep one, the farthest from it, and those that span the largest triangles
// to both sides. Depths within `alike` [m] count as equal, and a later point must be better by a
// hundredth, so that the same four stay while the bodies rest. The chosen come first; returns how
// many.
RTSIM_HD inline int reduce_points(AreaPoint* p, int n, Real alike) {
  if (n <= 4) return n;
  constexpr Real better = Real(1.01);
  Real least = p[0].separation;
  for (int i = 1; i < n; ++i) least = p[i].separation < least ? p[i].separation : least;
  int chosen[4] = {-1, 0, -1, -1};
  for (int i = 0; i < n && chosen[0] < 0; ++i)
    if (p[i].separation <= least + alike) chosen[0] = i;
  const AreaPoint a = p[chosen[0]];
  Real farthest = 0;
  for (int i = 0; i < n; ++i) {
    const Real du = p[i].u - a.u, dv = p[i].v - a.v, d2 = du * du + dv * dv;
    if (d2 > better * farthest) farthest = d2, chosen[1] = i;
  }
  const AreaPoint b = p[chosen[1]];
  Real most = 0, least_area = 0;
  for (int i = 0; i < n; ++i) {
    const Real area = (b.u - a.u) * (p[i].v - a.v) - (b.v - a.v) * (p[i].u - a.u);
    if (area > better * most) most = area, chosen[2] = i;
    if (area < better * least_area) least_area = area, chosen[3] = i;
  }
  AreaPoint kept[4];
  int count = 0;
  for (int c : chosen)
    if (c >= 0) kept[count++] = p[c];
  for (int c = 0; c < count; ++c) p[c] = kept[c];
  return count;
}

}  // namespace rtsim::rigid
