#pragma once
#include "base/ellipsoid_distance.h"
#include "contact/box_tree.h"

// Signed distances of boundaries where kernels need them. The shapes are those of lib/shapes.
namespace rtsim::contact {

RTSIM_HD inline Vec<3> unit_or(const Vec<3>& v, Real length, const Vec<3>& otherwise) {
  return length > 0 ? Real(1) / length * v : otherwise;
}

RTSIM_HD inline Vec<3> any_across(const Vec<3>& axis) {
  const Vec<3> x{{1, 0, 0}}, y{{0, 1, 0}};
  const Vec<3> n = cross(axis, axis[0] * axis[0] < axis[1] * axis[1] ? x : y);
  const Real length = norm(n);
  return unit_or(n, length, x);
}

RTSIM_HD inline Nearest nearest_of_box(const Vec<3>& low, const Vec<3>& high, const Vec<3>& x) {
  Vec<3> out;
  Real deepest = Real(-1e30);
  int axis = 0;
  bool outside = false;
  for (int a = 0; a < 3; ++a) {
    const Real below = low[a] - x[a], above = x[a] - high[a];
    const Real q = below > above ? below : above;
    if (q > deepest) deepest = q, axis = a;
    if (q > 0) out[a] = below > above ? -q : q, outside = true;
  }
  if (outside) {
    const Real d = norm(out);
    return {d, Real(1) / d * out};
  }
  Vec<3> n;
  n[axis] = low[axis] - x[axis] > x[axis] - high[axis] ? Real(-1) : Real(1);
  return {deepest, n};
}

RTSIM_HD inline Nearest nearest_of_capsule(const Vec<3>& a, const Vec<3>& b, Real radius,
                                           const Vec<3>& x) {
  const Vec<3> ab = b - a;
  const Real length2 = dot(ab, ab), along = dot(x - a, ab);
  const Real t = length2 > 0 && along > 0 ? (along < length2 ? along / length2 : Real(1)) : 0;
  const Vec<3> r = x - a - t * ab;
  const Real d = norm(r);
  return {d - radius, unit_or(r, d, any_across(ab))};
}

// A rectangle in (distance from the axis, distance along it).
RTSIM_HD inline Nearest nearest_of_cylinder(const Vec<3>& a, const Vec<3>& b, Real radius,
                                            const Vec<3>& x) {
  const Vec<3> centre = Real(0.5) * (a + b);
  const Real half = Real(0.5) * norm(b - a);
  const Vec<3> axis = Real(0.5) / half * (b - a);
  const Real along = dot(x - centre, axis);
  const Vec<3> r = x - centre - along * axis;
  const Real from_axis = norm(r);
  const Vec<3> outwards = unit_or(r, from_axis, any_across(axis));
  const Vec<3> upwards = along < 0 ? -axis : axis;
  const Real across = from_axis - radius, beyond = (along < 0 ? -along : along) - half;
  if (across > 0 && beyond > 0) {
    const Real d = std::sqrt(across * across + beyond * beyond);
    return {d, across / d * outwards + beyond / d * upwards};
  }
  return across > beyond ? Nearest{across, outwards} : Nearest{beyond, upwards};
}

RTSIM_HD inline Nearest nearest_of_ellipsoid(const Vec<3>& centre, const Vec<3>& radii,
                                             const Vec<3>& x) {
  Vec3d n;
  const double d = EllipsoidDistance(widen(radii), 3)(widen(x) - widen(centre), &n);
  return {Real(d), narrow<3>(n)};
}

// An outline in the plane, its inside where a ray crosses it an odd number of times.
RTSIM_HD inline Nearest nearest_of_polygon(Span<const Vec<3>> corners, const Vec<3>& x) {
  Real least = Real(1e30), area = 0;  // area: twice the enclosed one, below zero clockwise
  Vec<3> gap, side;
  bool inside = false;
  for (Index i = 0, j = corners.size - 1; i < corners.size; j = i++) {
    const Vec<3>&a = corners[j], &b = corners[i], ab = b - a;
    const Vec<3> ax{{x[0] - a[0], x[1] - a[1], 0}};
    area += ax[1] * (x[0] - b[0]) - ax[0] * (x[1] - b[1]);
    const Real length2 = dot(ab, ab), along = dot(ax, ab);
    const Real t = length2 > 0 && along > 0 ? (along < length2 ? along / length2 : Real(1)) : 0;
    const Vec<3> q = ax - t * ab;
    if (dot(q, q) < least) least = dot(q, q), gap = q, side = ab;
    if ((a[1] > x[1]) != (b[1] > x[1]) && x[0] < a[0] + (x[1] - a[1]) / ab[1] * ab[0])
      inside = !inside;
  }
  const Real d = std::sqrt(least);
  // On an edge, across it: to the right of corners that go round counter-clockwise is outside.
  const Vec<3> right = unit_or({{side[1], -side[0], 0}}, norm(side), {{1, 0, 0}});
  const Vec<3> n = unit_or(gap, d, inside != (area < 0) ? -right : right);
  return inside ? Nearest{-d, -n} : Nearest{d, n};
}

// One solid, in its own frame: x = translation + scale rotation (own x). Or an operation.
struct Part {
  enum class Kind : std::int32_t {
    box,
    plane,
    capsule,
    cylinder,
    ellipsoid,
    polygon,
    mesh,
    inside_out,
    least,
    greatest
  };
  Kind kind;
  Index mesh;     // or the first corner of a polygon
  Index corners;  // of a polygon, how many
  Vec<3> a, b;
  Real radius;
  Real scale;
  Vec<3> rotation[3];  // by rows
  Vec<3> translation;  // [m]
};

// Parts in postfix order, see lib/shapes/shape_parts.h.
struct Solid {
  Span<const Part> parts;
  Span<const SurfaceMesh> meshes;
  Span<const Vec<3>> corners;  // of polygons
};

constexpr int most_pending = 16;  // distances that wait for an operation

RTSIM_HD inline Nearest nearest_in_own_frame(const Solid& s, const Part& p, const Vec<3>& x) {
  switch (p.kind) {
    case Part::Kind::plane:
      return {dot(x - p.a, p.b), p.b};
    case Part::Kind::capsule:
      return nearest_of_capsule(p.a, p.b, p.radius, x);
    case Part::Kind::cylinder:
      return nearest_of_cylinder(p.a, p.b, p.radius, x);
    case Part::Kind::ellipsoid:
      return nearest_of_ellipsoid(p.a, p.b, x);
    case Part::Kind::polygon:
      return nearest_of_polygon({s.corners.data + p.mesh, p.corners}, x);
    case Part::Kind::mesh:
      return nearest(s.meshes[p.mesh], x);
    default:
      return nearest_of_box(p.a, p.b, x);
  }
}

RTSIM_HD inline Nearest nearest_of_part(const Solid& s, const Part& p, const Vec<3>& x) {
  const Vec<3> r = x - p.translation;
  const Vec<3> own =
      Real(1) / p.scale * (r[0] * p.rotation[0] + r[1] * p.rotation[1] + r[2] * p.rotation[2]);
  const Nearest q = nearest_in_own_frame(s, p, own);
  return {
      p.scale * q.distance,
      {{dot(p.rotation[0], q.normal), dot(p.rotation[1], q.normal), dot(p.rotation[2], q.normal)}}};
}

RTSIM_HD inline Nearest nearest(const Solid& s, const Vec<3>& x) {
  Nearest pending[most_pending];
  int n = 0;
  for (Index k = 0; k < s.parts.size; ++k) {
    const Part& p = s.parts[k];
    switch (p.kind) {
      case Part::Kind::inside_out:
        pending[n - 1] = {-pending[n - 1].distance, -pending[n - 1].normal};
        break;
      case Part::Kind::least:
      case Part::Kind::greatest: {
        --n;
        const bool lower = pending[n].distance < pending[n - 1].distance;
        if (lower == (p.kind == Part::Kind::least)) pending[n - 1] = pending[n];
        break;
      }
      default:
        pending[n++] = nearest_of_part(s, p, x);
    }
  }
  return pending[0];
}

}  // namespace rtsim::contact
