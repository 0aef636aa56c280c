#pragma once
#include "rigid/narrow_phase/box_box.h"

// Spheres and capsules, as points and segments with a radius.
namespace rtsim::rigid {

template <int D>
struct Round {
  Vec<D> from, to;  // [m]; a sphere's are one
  Real radius;
};

template <int D>
RTSIM_HD Round<D> placed_round(const BodyPose<D>& f, const Part<D>& p, Span<const Vec<D>> points) {
  const Vec<D> from = placed(f, points[p.first_point]);
  return {from, p.points > 1 ? placed(f, points[p.first_point + 1]) : from, p.radius};
}

RTSIM_HD inline Vec<2> any_unit(const Vec<2>*) { return {{0, 1}}; }
RTSIM_HD inline Vec<3> any_unit(const Vec<3>*) { return {{0, 1, 0}}; }

// Two balls about p and q: where centres are one, the second counts as above.
template <int D>
RTSIM_HD void collide_balls(const Vec<D>& p, Real radius_p, const Vec<D>& q, Real radius_q,
                            Real reach, std::uint32_t feature, ContactGeometry<D>& out) {
  const Vec<D> r = q - p;
  const Real d = norm(r), gap = d - radius_p - radius_q;
  if (gap > reach) return;
  out.normal = d > 0 ? Real(1) / d * r : any_unit(static_cast<const Vec<D>*>(nullptr));
  out.add(p + (radius_p + Real(0.5) * gap) * out.normal, gap, feature);
}

RTSIM_HD inline Real clamped(Real x, Real low, Real high) {
  return x < low ? low : x > high ? high : x;
}

struct OnSegments {
  Real s, t;  // shares of the way along each
};

// Ericson, "Real-Time Collision Detection" (2005), 5.1.9.
template <int D>
RTSIM_HD OnSegments nearest_on_segments(const Vec<D>& p, const Vec<D>& along_p, const Vec<D>& q,
                                        const Vec<D>& along_q) {
  const Vec<D> r = p - q;
  const Real a = dot(along_p, along_p), e = dot(along_q, along_q), f = dot(along_q, r);
  if (!(a > 0)) return {0, e > 0 ? clamped(f / e, 0, 1) : Real(0)};
  const Real c = dot(along_p, r);
  if (!(e > 0)) return {clamped(-c / a, 0, 1), 0};
  const Real b = dot(along_p, along_q), sine2 = a * e - b * b;
  Real s = sine2 > Real(1e-6) * a * e ? clamped((b * f - c * e) / sine2, 0, 1) : Real(0.5);
  Real t = (b * s + f) / e;
  if (t < 0) t = 0, s = clamped(-c / a, 0, 1);
  if (t > 1) t = 1, s = clamped((b - c) / a, 0, 1);
  return {s, t};
}

// Where segments run alongside each other by more than a tenth of the shorter and with less than
// two degrees between them, both ends of what they share.
template <int D>
RTSIM_HD bool collide_parallel_edges(const Round<D>& a, const Round<D>& b, Real reach,
                                     ContactGeometry<D>& out) {
  const Vec<D> u = a.to - a.from, v = b.to - b.from;
  const Real uu = dot(u, u), vv = dot(v, v), uv = dot(u, v);
  if (!(uu > 0) || !(vv > 0) || uv * uv < Real(0.9988) * uu * vv) return false;
  const Real from = dot(b.from - a.from, u) / uu, to = dot(b.to - a.from, u) / uu;
  const Real first = greater(0, lesser(from, to)), last = lesser(1, greater(from, to));
  const Real shorter = lesser(1, size_of(to - from));
  if (last - first < Real(0.1) * shorter) return false;
  ContactGeometry<D> ends[2];
  for (int k = 0; k < 2; ++k) {
    const Vec<D> on_a = a.from + (k == 0 ? first : last) * u;
    const Real t = clamped(dot(on_a - b.from, v) / vv, 0, 1);
    collide_balls(on_a, a.radius, b.from + t * v, b.radius, reach, std::uint32_t(1 + k), ends[k]);
  }
  if (ends[0].points + ends[1].points < 2) return false;
  const Vec<D> middle = ends[0].normal + ends[1].normal;
  const Real length = norm(middle);
  if (!(length > Real(1.9))) return false;
  out.normal = Real(1) / length * middle;
  for (const ContactGeometry<D>& e : ends) out.add(e.point[0], e.separation[0], e.feature[0]);
  return true;
}

template <int D>
RTSIM_HD ContactGeometry<D> collide(const Round<D>& a, const Round<D>& b, Real reach) {
  ContactGeometry<D> out;
  if (collide_parallel_edges(a, b, reach, out)) return out;
  const Vec<D> u = a.to - a.from, v = b.to - b.from;
  const OnSegments on = nearest_on_segments(a.from, u, b.from, v);
  collide_balls(a.from + on.s * u, a.radius, b.from + on.t * v, b.radius, reach, 0, out);
  return out;
}

// A ball that may be inside the box: out through the nearest face.
RTSIM_HD inline ContactGeometry<3> collide_ball(const PlacedBox<3>& a, const Vec<3>& centre,
                                                Real radius, Real reach) {
  ContactGeometry<3> out;
  const Vec<3> own = turned_back(a.axes, centre - a.centre);
  Vec<3> nearest;
  int axis = 0;
  Real deepest = Real(-1e30);
  for (int k = 0; k < 3; ++k) {
    nearest[k] = clamped(own[k], -a.half[k], a.half[k]);
    const Real over = size_of(own[k]) - a.half[k];
    if (over > deepest) deepest = over, axis = k;
  }
  Vec<3> n;
  Real gap;
  if (deepest > 0) {
    const Vec<3> r = own - nearest;
    const Real d = norm(r);
    n = Real(1) / d * r, gap = d - radius;
  } else {
    n[axis] = own[axis] < 0 ? Real(-1) : Real(1), gap = deepest - radius;
    nearest[axis] = n[axis] * a.half[axis];
  }
  if (gap > reach) return out;
  out.normal = turned(a.axes, n);
  out.add(a.centre + turned(a.axes, nearest) + Real(0.5) * gap * out.normal, gap, 0);
  return out;
}

}  // namespace rtsim::rigid
