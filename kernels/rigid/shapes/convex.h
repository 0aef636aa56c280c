#pragma once
#include <limits>

#include "rigid/shapes/gjk.h"

// How two convex cores are placed to one another: the direction along which they are farthest
// apart, or overlap least.
namespace rtsim::rigid {

struct CoreAxis {
  Vec<3> normal;  // from a to b
  Real gap;       // [m] between the cores, negative where they overlap
  int face;       // of the first (own faces), of the second (behind them), or -1: none
  Vec<3> point;   // [m] in the middle of the gap, if no face's
};

RTSIM_HD inline int face_count(const Core& c) {
  return c.part.kind == PartKind::cylinder ? 2 : int(c.part.faces);
}
RTSIM_HD inline Vec<3> face_normal(const Core& c, int face) {
  if (c.part.kind != PartKind::cylinder) return turned(c.axes, c.faces[face].normal);
  return face == 0 ? -cylinder_axis(c) : cylinder_axis(c);
}
RTSIM_HD inline Vec<3> face_point(const Core& c, int face) {
  if (c.part.kind != PartKind::cylinder)
    return outside(c, c.points[c.corners[c.faces[face].first_corner].point]);
  return middle(c) + c.part.half[0] * face_normal(c, face);
}

// [m] by which an axis must be better than a face: resting bodies then keep theirs.
RTSIM_HD inline Real slack_of(const Core& a, const Core& b) {
  const Real ia = a.part.inner, ib = b.part.inner;
  return Real(0.01) * (ib > 0 ? lesser(ia, ib) : ia);
}
constexpr Real rounding_of_one = std::numeric_limits<Real>::epsilon();
// [m] that corners are rounded by.
RTSIM_HD inline Real rounding(const Core& a, const Core& b) {
  return 4 * rounding_of_one * (a.part.reach + b.part.reach);
}

// Stops at the first face that is farther than `reach`.
RTSIM_HD inline CoreAxis best_face(const Core& a, const Core& b, Real slack, Real reach) {
  CoreAxis best{{}, Real(-1e30), -1, {}};
  const int fa = face_count(a), fb = face_count(b);
  for (int f = 0; f < fa; ++f) {
    const Vec<3> n = face_normal(a, f);
    const Real gap = dot(farthest(b, -n) - face_point(a, f), n);
    if (gap > best.gap) best = {n, gap, f, {}};
    if (gap > reach) return best;
  }
  Real least = fa > 0 ? best.gap + slack : best.gap;
  for (int f = 0; f < fb; ++f) {
    const Vec<3> n = face_normal(b, f);
    const Real gap = dot(farthest(a, -n) - face_point(b, f), n);
    if (gap > least) best = {-n, gap, fa + f, {}}, least = gap;
    if (gap > reach) return best;
  }
  return best;
}

// Cores that overlap along `from`: the second is put outside along it, and the nearest points there
// give a direction of less overlap, until none is better. With q = (overlap + d) n outside of the
// set of differences and p its nearest point, n' = (q - p) / |q - p| overlaps by
// n' . p <= overlap + d - |q - p| <= overlap, and, as n . (q - p) >= d, no less than
// (overlap + d) d / |q - p| - |q - p|: by a share e more than d is q - p no more than
// e (overlap + 2 d) better. Gaps up to `least` [m] do not count, so a step that cannot go beyond it
// is not searched to its end.
RTSIM_HD inline CoreAxis least_overlap(const Core& a, const Core& b, const Vec<3>& from,
                                       Real least) {
  constexpr int most_iterations = 10;
  const Real out = Real(0.3) * (a.part.inner > 0 ? a.part.inner : b.part.inner);
  const Real better = Real(1e-4) * out;
  CoreAxis best{from, gap_along(a, b, from), -1, {}};
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const Real far = out - best.gap, asked = greater(better, least - best.gap);
    const Vec<3> shift = far * best.normal;
    const CoreGap g =
        gap_between(a, b, shift, best.normal, Real(1e15), out + out * asked / (far + out));
    const Vec<3> r = g.on_b - g.on_a;
    const Real length = norm(r);
    if (!g.apart || !(length > 0)) {
      if (iteration == 0) best.gap = Real(-1e30);
      break;
    }
    const CoreAxis next{Real(1) / length * r, gap_along(a, b, Real(1) / length * r), -1,
                        Real(0.5) * (g.on_a + g.on_b - shift)};
    if (iteration == 0) best.point = next.point;
    if (!(next.gap > best.gap + better)) break;
    best = next;
  }
  return best;
}

RTSIM_HD inline bool has_axis(const Core& c) {
  return c.part.kind == PartKind::cylinder || c.part.kind == PartKind::capsule;
}
RTSIM_HD inline Vec<3> axis_of(const Core& c) {
  return c.part.kind == PartKind::cylinder ? cylinder_axis(c)
                                           : outside(c, c.points[1]) - outside(c, c.points[0]);
}

// The direction of least overlap among those tried.
struct LeastTried {
  const Core &a, &b;
  Vec<3> normal;
  Real gap;

  RTSIM_HD void attempt(const Vec<3>& direction) {
    const Real length = norm(direction);
    if (!(length > 0)) return;
    const Vec<3> n = Real(1) / length * direction;
    const Real other = gap_along(a, b, n);
    if (other > gap) normal = n, gap = other;
  }
  // Across an axis: towards the other's middle, and across its edges or axis as well.
  RTSIM_HD void attempt_across(const Core& own, const Core& other, const Vec<3>& towards) {
    const Vec<3> axis = axis_of(own);
    attempt(dot(axis, axis) * towards - dot(towards, axis) * axis);
    if (has_axis(other)) {
      const Vec<3> along = axis_of(other), n = cross(axis, along);
      if (!parallel(axis, along, n)) attempt(n), attempt(-n);
      return;
    }
    // Out of the other, and from the first to the second.
    const Vec<3> of_axis = turned_back(other.axes, axis);
    const Real sign = &other == &b ? Real(-1) : Real(1);
    for (Index e = 0; e < other.part.edges; ++e) {
      const PartEdge& edge = other.edges[e];
      const Vec<3> along = other.points[edge.to] - other.points[edge.from];
      const Vec<3> n = cross(of_axis, along);
      if (parallel(of_axis, along, n)) continue;
      if (is_outermost(other, edge, along, n)) attempt(sign * turned(other.axes, n));
      if (is_outermost(other, edge, along, -n)) attempt(-sign * turned(other.axes, n));
    }
  }

 private:
  RTSIM_HD static bool parallel(const Vec<3>& u, const Vec<3>& v, const Vec<3>& product) {
    return dot(product, product) < Real(1e-6) * dot(u, u) * dot(v, v);
  }
  // Whether nothing lies farther along n, across the edge, than it does: both its faces go back
  // from there. All in the part's frame.
  RTSIM_HD static bool is_outermost(const Core& c, const PartEdge& edge, const Vec<3>& along,
                                    const Vec<3>& n) {
    if (dot(n, cross(c.faces[edge.left].normal, along)) > 0) return false;
    return edge.right == edge.left || dot(n, cross(c.faces[edge.right].normal, along)) >= 0;
  }
};

// Where to start: the best face, or across the axis of a capsule or cylinder.
RTSIM_HD inline Vec<3> likely_direction(const Core& a, const Core& b, const Vec<3>& towards,
                                        const CoreAxis& face) {
  LeastTried tried{a, b, face.normal, face.face < 0 ? gap_along(a, b, face.normal) : face.gap};
  if (has_axis(a)) tried.attempt_across(a, b, towards);
  if (has_axis(b)) tried.attempt_across(b, a, towards);
  return tried.normal;
}

// Deep overlaps have several directions that no near one betters: those are searched twice.
RTSIM_HD inline CoreAxis overlap_from_all(const Core& a, const Core& b, const Vec<3>& towards,
                                          const CoreAxis& face, Real least) {
  const CoreAxis one = least_overlap(a, b, likely_direction(a, b, towards, face), least);
  if (!(one.gap < -Real(0.2) * greater(a.part.inner, b.part.inner))) return one;
  const CoreAxis two = least_overlap(a, b, Real(1) / norm(towards) * towards, least);
  return two.gap > one.gap ? two : one;
}

// Faces of polytopes and cylinders, unless an edge, rim or corner is clearly better: along its
// direction, too, since rounding may end the search for the nearest points before they are found.
// No direction parts cores by more than their distance, nor by more than nothing if they meet: what
// is no farther than a face that is to be bettered by so much needs no search.
RTSIM_HD inline CoreAxis separation(const Core& a, const Core& b, Real reach) {
  const Real slack = slack_of(a, b);
  CoreAxis face = best_face(a, b, slack, reach);
  if (face.gap > reach) return face;
  Vec<3> towards = middle(b) - middle(a);
  if (!(dot(towards, towards) > 0)) towards = Vec<3>{{0, 1, 0}};
  if (face.face < 0) face.normal = Real(1) / norm(towards) * towards;
  const bool round = skin(a) + skin(b) > 0;
  const Real least = face.gap + (round ? greater(Real(1e-3) * slack, rounding(a, b)) : slack);
  const Real near = face.face < 0 ? Real(-1) : least;
  CoreGap g{false, {}, {}};
  if (round || face.gap > -Real(5) * slack) g = gap_between(a, b, {}, face.normal, reach, near);
  if (g.near || (!g.apart && near >= 0)) return face;
  if (g.far) return {face.normal, Real(2) * reach + 1, -1, {}};
  const Vec<3> r = g.on_b - g.on_a;
  const Real length = norm(r);
  CoreAxis other;
  if (g.apart && length > 0)
    other = {Real(1) / length * r, length, -1, Real(0.5) * (g.on_a + g.on_b)};
  else
    other = overlap_from_all(a, b, towards, face, least);
  if (face.face < 0) return other;
  return other.gap > least && gap_along(a, b, other.normal) > least ? other : face;
}

}  // namespace rtsim::rigid
