#pragma once
#include "rigid/narrow_phase/collide_convex.h"
#include "rigid/narrow_phase/flat_boxes.h"
#include "rigid/shapes/polygons.h"

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

// Which two kinds of parts touch how. The first part is a body's; the second a body's or a
// boundary's.

template <int D>
struct PlacedPart {
  const BodyPose<D>& pose;
  const Part<D>& part;
  const Parts<D>& all;
  const PlacedBox<D>* box;
};

template <int D>
RTSIM_HD Round<D> round_of(const PlacedPart<D>& p) {
  return placed_round(p.pose, p.part, p.all.points);
}

template <int D>
RTSIM_HD ContactGeometry<D> turned_round(ContactGeometry<D> t) {
  t.normal = -t.normal;
  return t;
}

RTSIM_HD inline ContactGeometry<3> collide_round_and_box(const PlacedPart<3>& a,
                                                         const PlacedPart<3>& b, Real reach) {
  const Round<3> r = round_of(a);
  return turned_round(collide_ball(*b.box, Real(0.5) * (r.from + r.to), r.radius, reach));
}

RTSIM_HD inline ContactGeometry<3> collide_convex(const PlacedPart<3>& a, const PlacedPart<3>& b,
                                                  Real reach) {
  const PartKind ka = a.part.kind, kb = b.part.kind;
  if (ka == PartKind::box && kb == PartKind::box) return collide(*a.box, *b.box, reach);
  if (ka == PartKind::sphere && kb == PartKind::box) return collide_round_and_box(a, b, reach);
  if (ka == PartKind::box && kb == PartKind::sphere)
    return turned_round(collide_round_and_box(b, a, reach));
  const Core first = core_of(a.pose, a.part, a.all, a.pose.x);
  const Core second = core_of(b.pose, b.part, b.all, a.pose.x);
  ContactGeometry<3> t = kb == PartKind::triangle ? collide_triangle(first, second, reach)
                                                  : collide(first, second, reach);
  for (int k = 0; k < t.points; ++k) t.point[k] = t.point[k] + a.pose.x;
  return t;
}

RTSIM_HD inline ContactGeometry<2> collide_convex(const PlacedPart<2>& a, const PlacedPart<2>& b,
                                                  Real reach) {
  if (a.part.kind == PartKind::box && b.part.kind == PartKind::box) {
    const FlatContact<Real> t = collide_flat(*a.box, *b.box);
    if (t.gap > reach) return {};
    if (t.nearest > 0) return flat_geometry(t, reach);
  }
  Polygon first, second;
  place_polygon(a.pose, a.part, a.all, first), place_polygon(b.pose, b.part, b.all, second);
  return collide(first, second, reach);
}

template <int D>
RTSIM_HD ContactGeometry<D> collide_plane(const PlacedPart<D>& a, const PlacedPart<D>& b,
                                          Real reach) {
  const HalfSpace<D> s = placed_plane(b.pose, b.part, b.all.points);
  if constexpr (D == 3) {
    if (a.part.kind == PartKind::cylinder)
      return collide_plane(core_of(a.pose, a.part, a.all, {}), s, reach);
    if (a.part.faces > 0 && a.part.points <= 64)
      return collide_plane_by_faces(core_of(a.pose, a.part, a.all, {}), s, reach);
  }
  return collide_plane(a.pose, a.part, a.all.points, s, reach);
}

// The axes of capsules cross in the plane.
template <int D>
RTSIM_HD bool collide_as_rounds(PartKind a, PartKind b) {
  if (D == 2) return a == PartKind::sphere && b == PartKind::sphere;
  return is_round(a) && is_round(b);
}

template <int D>
RTSIM_HD ContactGeometry<D> collide(const PlacedPart<D>& a, const PlacedPart<D>& b, Real reach) {
  if (b.part.kind == PartKind::plane) return collide_plane(a, b, reach);
  if (collide_as_rounds<D>(a.part.kind, b.part.kind))
    return collide(round_of(a), round_of(b), reach);
  return collide_convex(a, b, reach);
}

}  // namespace rtsim::rigid
