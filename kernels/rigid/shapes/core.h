#pragma once
#include "rigid/narrow_phase/round.h"

// What is convex without its radius: points, segments, polytopes and cylinders, by the farthest
// point along a direction.
namespace rtsim::rigid {

struct Core {
  Vec<3> origin, axes[3];  // of the part's frame; the origin is relative to that of the first body
  Part<3> part;
  const Vec<3>* points;
  const PartFace* faces;
  const PartCorner* corners;
  const PartEdge* edges;
};

RTSIM_HD inline Core core_of(const BodyPose<3>& f, const Part<3>& p, const Parts<3>& all,
                             const Vec<3>& origin) {
  Core c;
  c.origin = f.x - origin, c.part = p;
  for (int a = 0; a < 3; ++a) c.axes[a] = f.axes[a];
  c.points = all.points.data + p.first_point;
  c.faces = all.faces.data + p.first_face, c.corners = all.corners.data;
  c.edges = all.edges.data + p.first_edge;
  return c;
}

RTSIM_HD inline bool is_round(PartKind k) {
  return k == PartKind::sphere || k == PartKind::capsule;
}
// [m] that a core lies within its part.
RTSIM_HD inline Real skin(const Core& c) {
  return c.part.kind == PartKind::cylinder ? 0 : c.part.radius;
}
RTSIM_HD inline Vec<3> outside(const Core& c, const Vec<3>& local) {
  return c.origin + turned(c.axes, local);
}
RTSIM_HD inline Vec<3> middle(const Core& c) { return outside(c, c.part.centre); }
RTSIM_HD inline Vec<3> cylinder_axis(const Core& c) { return turned(c.axes, c.part.axes[0]); }

RTSIM_HD inline Vec<3> farthest_of_cylinder(const Core& c, const Vec<3>& d) {
  const Vec<3> axis = cylinder_axis(c);
  const Real along = dot(d, axis);
  const Vec<3> across = d - along * axis;
  const Real length = norm(across);
  const Vec<3> end = middle(c) + (along < 0 ? -c.part.half[0] : c.part.half[0]) * axis;
  return length > Real(1e-6) * size_of(along) ? end + c.part.radius / length * across : end;
}

RTSIM_HD inline Vec<3> farthest(const Core& c, const Vec<3>& d) {
  if (c.part.kind == PartKind::cylinder) return farthest_of_cylinder(c, d);
  const Vec<3> own = turned_back(c.axes, d);
  Index best = 0;
  Real most = dot(own, c.points[0]);
  for (Index i = 1; i < c.part.points; ++i) {
    const Real along = dot(own, c.points[i]);
    if (along > most) most = along, best = i;
  }
  return outside(c, c.points[best]);
}

// [m] between a and b along n, of unit length.
RTSIM_HD inline Real gap_along(const Core& a, const Core& b, const Vec<3>& n) {
  return dot(farthest(b, -n) - farthest(a, n), n);
}

}  // namespace rtsim::rigid
