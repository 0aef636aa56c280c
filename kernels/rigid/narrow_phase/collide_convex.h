#pragma once
#include "rigid/shapes/clip.h"

// Parts that touch by their sides or edges, which run alongside each other: two points, where one
// alone would leap from end to end of what they share.
namespace rtsim::rigid {

// Two lines or a line and a plane are parallel up to two degrees.
constexpr Real parallel_sine = Real(0.035), parallel_cosine2 = Real(0.9988);

// On a core, from end to end.
struct Side {
  Vec<3> from, along;  // [m]
};

// The edge that lies farthest along n and across it.
RTSIM_HD inline bool edge_towards(const Core& c, const Vec<3>& n, Side& side) {
  Real most = Real(-1e30);
  for (Index e = 0; e < c.part.edges; ++e) {
    const Vec<3> from = outside(c, c.points[c.edges[e].from]);
    const Vec<3> along = outside(c, c.points[c.edges[e].to]) - from;
    if (size_of(dot(along, n)) > parallel_sine * norm(along)) continue;
    const Real here = dot(from + Real(0.5) * along, n);
    if (here > most) most = here, side = {from, along};
  }
  return most > Real(-1e30);
}

RTSIM_HD inline bool side_towards(const Core& c, const Vec<3>& n, Side& side) {
  if (!has_axis(c)) return edge_towards(c, n, side);
  const Vec<3> axis = axis_of(c);
  if (size_of(dot(axis, n)) > parallel_sine * norm(axis)) return false;
  Outline line;
  outline_towards(c, n, line);
  side = {line.corner[0], line.corner[1] - line.corner[0]};
  return true;
}

// Both ends of what the sides share, if that is more than a tenth of the shorter one and they are
// beside each other there; `at` is the axis of least overlap, which some end must have.
RTSIM_HD inline bool collide_parallel_edges(const Core& a, const Core& b, const CoreAxis& at,
                                            Real reach, ContactGeometry<3>& out) {
  Side p, q;
  if (!side_towards(a, at.normal, p) || !side_towards(b, -at.normal, q)) return false;
  const Vec<3>&u = p.along, &v = q.along;
  const Real uu = dot(u, u), vv = dot(v, v), uv = dot(u, v);
  if (!(uu > 0 && vv > 0) || uv * uv < parallel_cosine2 * uu * vv) return false;
  const Real from = dot(q.from - p.from, u) / uu, to = dot(q.from + v - p.from, u) / uu;
  const Real first = greater(0, lesser(from, to)), last = lesser(1, greater(from, to));
  if (last - first < Real(0.1) * lesser(1, size_of(to - from))) return false;
  const Real skins = skin(a) + skin(b), across = Real(0.05) * std::sqrt(lesser(uu, vv));
  Vec<3> point[2];
  Real gap[2];
  for (int k = 0; k < 2; ++k) {
    const Vec<3> on_a = p.from + (k == 0 ? first : last) * u;
    const Vec<3> on_b = q.from + clamped(dot(on_a - q.from, v) / vv, 0, 1) * v;
    const Vec<3> d = on_b - on_a;
    if (norm(d - dot(d, at.normal) * at.normal) > across) return false;
    gap[k] = dot(d, at.normal) - skins;
    point[k] = Real(0.5) * (on_a + on_b + (skin(a) - skin(b)) * at.normal);
  }
  const Real size = a.part.inner > 0 ? a.part.inner : b.part.inner;
  if (greater(gap[0], gap[1]) > reach ||
      lesser(gap[0], gap[1]) > at.gap - skins + Real(0.02) * size)
    return false;
  for (int k = 0; k < 2; ++k) out.add(point[k], gap[k], std::uint32_t(1 + k));
  return true;
}

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

// A cylinder, the first, by the rims of both its ends: of one that lies on its side by the lowest
// place of each, the first of its rim. What stands higher there comes down as other places do, and
// would span more than the line on which it rests.
RTSIM_HD inline ContactGeometry<3> collide_plane(const Core& c, const HalfSpace<3>& s, Real reach) {
  ContactGeometry<3> out;
  out.normal = -s.normal;
  BestPoints<3> best(s.point, s.normal);
  const Real alike = Real(0.01) * c.part.inner;
  Outline rims;
  for (int end = 0; end < 2; ++end) outline_cap(c, end, -s.normal, rims);
  const int next = lies(cylinder_axis(c), s.normal) ? cap_corners : 1;
  for (int k = 0; k < rims.n; k += next) {
    const Real gap = dot(rims.corner[k] - s.point, s.normal);
    if (gap <= reach) best.add(rims.corner[k], gap, corner_of_first(rims.name[k]), alike);
  }
  best.write(alike, out);
  return out;
}

}  // namespace rtsim::rigid
