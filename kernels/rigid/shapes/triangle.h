#pragma once
#include "rigid/narrow_phase/collide_convex.h"

// One side of a triangle of a mesh, the second of the pair.
namespace rtsim::rigid {

// Whether the part of the triangle that lies farthest along `outwards` has an edge that sticks
// out: else the next triangle carries on the surface there, and only the face may push.
RTSIM_HD inline bool sticks_out(const Core& t, const Vec<3>& outwards, Real alike) {
  Real along[3], most = Real(-1e30);
  for (int k = 0; k < 3; ++k) {
    along[k] = dot(turned(t.axes, t.points[k]), outwards);
    most = greater(most, along[k]);
  }
  bool open = false;
  int corners = 0, last = 0;
  for (int k = 0; k < 3; ++k) {
    if (along[k] < most - alike) continue;
    ++corners, last = k;
    const int next = (k + 1) % 3;
    if (along[next] >= most - alike) open = open || (t.part.open >> k & 1);
  }
  return corners == 1 ? (t.part.open >> last & 1) || (t.part.open >> (last + 2) % 3 & 1) : open;
}

RTSIM_HD inline ContactGeometry<3> collide_triangle(const Core& a, const Core& t, Real reach) {
  ContactGeometry<3> out;
  const Vec<3> n = face_normal(t, 0);
  if (dot(middle(a) - face_point(t, 0), n) < 0) return out;
  const Real skins = skin(a);
  CoreAxis at = separation(a, t, reach + skins);
  if (at.gap - skins > reach) return out;
  const Real facing = -dot(at.normal, n);
  const bool leans = facing < Real(0.999);
  if (leans && !sticks_out(t, -at.normal, Real(0.01) * a.part.inner)) {
    at = {-n, gap_along(a, t, -n), face_count(a), {}};
    if (at.gap - skins > reach) return out;
  } else if (facing < Real(-0.05)) {
    return out;
  }
  collide_at(a, t, at, reach, out);
  return out;
}

}  // namespace rtsim::rigid
