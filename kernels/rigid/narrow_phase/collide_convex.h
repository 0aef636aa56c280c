#pragma once
#include "rigid/narrow_phase/parallel_edges.h"

namespace rtsim::rigid {

// Two convex parts in general.
RTSIM_HD inline void collide_at(const Core& a, const Core& b, const CoreAxis& at, Real reach,
                                ContactGeometry<3>& out) {
  const Real skin_a = skin(a), skin_b = skin(b);
  out.normal = at.normal;
  if (at.face < 0) {
    if (collide_parallel_edges(a, b, at, reach, out)) return;
    out.add(at.point + Real(0.5) * (skin_a - skin_b) * at.normal, at.gap - skin_a - skin_b, 0);
    return;
  }
  const int own = face_count(a);
  const bool first = at.face < own;
  const Core &ref = first ? a : b, &other = first ? b : a;
  const Vec<3> n = first ? at.normal : -at.normal;
  Outline reference, opposite;
  if (ref.part.kind == PartKind::cylinder)
    outline_cap(ref, first ? at.face : at.face - own, n, reference);
  else
    outline_face(ref, first ? at.face : at.face - own, reference);
  outline_towards(other, -n, opposite);
  const Real size = ref.part.inner > 0 ? ref.part.inner : other.part.inner;
  collide_outlines({reference, opposite, first}, n, Real(0.002) * size, skin(ref), skin(other),
                   reach, Real(0.01) * size, out);
  const Real gap = at.gap - skin_a - skin_b;
  Real least = Real(1e30);
  for (int k = 0; k < out.points; ++k) least = lesser(least, out.separation[k]);
  if (least <= gap + Real(0.02) * size || gap > reach) return;
  // The deepest place is beyond the outline.
  out.points = 0;
  out.add(farthest(other, -n) - (skin(other) + Real(0.5) * gap) * n, gap, 0);
}

RTSIM_HD inline ContactGeometry<3> collide(const Core& a, const Core& b, Real reach) {
  ContactGeometry<3> out;
  const Real skins = skin(a) + skin(b);
  const CoreAxis at = separation(a, b, reach + skins);
  if (at.gap - skins <= reach) collide_at(a, b, at, reach, out);
  return out;
}

// Corners of the faces that look towards a plane, most of all or nearly so: of thin parts those
// behind are as near, and span as much.
RTSIM_HD inline std::uint64_t corners_below(const Core& c, const Vec<3>& down) {
  constexpr Real alike = Real(0.05);
  const Vec<3> own = turned_back(c.axes, down);
  Real most = -1;
  for (Index f = 0; f < c.part.faces; ++f) most = greater(most, dot(own, c.faces[f].normal));
  std::uint64_t below = 0;
  for (Index f = 0; f < c.part.faces; ++f) {
    const PartFace& face = c.faces[f];
    if (dot(own, face.normal) < most - alike) continue;
    for (Index k = 0; k < face.corners; ++k)
      below |= std::uint64_t(1) << c.corners[face.first_corner + k].point;
  }
  return below;
}

// A polytope of at most 64 corners, the first of the pair. Those as near as the nearest belong to
// it, too: of a keel no face need look down as much as a raked bow does.
RTSIM_HD inline ContactGeometry<3> collide_plane_by_faces(const Core& c, const HalfSpace<3>& s,
                                                          Real reach) {
  ContactGeometry<3> out;
  out.normal = -s.normal;
  if (dot(c.origin - s.point, s.normal) - c.part.reach > reach) return out;
  BestPoints<3> best(s.point, s.normal);
  const Real alike = lesser(Real(0.005) * c.part.reach, Real(0.05) * c.part.inner);
  const std::uint64_t below = corners_below(c, -s.normal);
  const Real least = dot(farthest(c, -s.normal) - s.point, s.normal) - c.part.radius;
  for (Index k = 0; k < c.part.points; ++k) {
    const Vec<3> x = outside(c, c.points[k]);
    const Real gap = dot(x - s.point, s.normal) - c.part.radius;
    if (!(below >> k & 1) && gap > least + alike) continue;
    if (gap <= reach) best.add(x, gap, corner_of_first(int(k)), alike);
  }
  best.write(alike, out);
  return out;
}

// A cylinder, the first, by the rims of both its ends.
RTSIM_HD inline ContactGeometry<3> collide_plane(const Core& c, const HalfSpace<3>& s, Real reach) {
  ContactGeometry<3> out;
  out.normal = -s.normal;
  BestPoints<3> best(s.point, s.normal);
  const Real alike = Real(0.01) * c.part.inner;
  Outline rims;
  for (int end = 0; end < 2; ++end) outline_cap(c, end, -s.normal, rims);
  for (int k = 0; k < rims.n; ++k) {
    const Real gap = dot(rims.corner[k] - s.point, s.normal);
    if (gap <= reach) best.add(rims.corner[k], gap, corner_of_first(rims.name[k]), alike);
  }
  best.write(alike, out);
  return out;
}

}  // namespace rtsim::rigid
