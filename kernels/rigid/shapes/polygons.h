#pragma once
#include "rigid/shapes/half_space.h"

// In the plane: convex polygons with corners counter-clockwise, segments and points, each with a
// radius around it.
namespace rtsim::rigid {

struct Polygon {
  int n;
  Real radius, inner;
  Real x[most_corners], y[most_corners];  // [m] corners
  Real u[most_corners], v[most_corners];  // normals of the edges that go on from them

  RTSIM_HD int next(int k) const { return k + 1 < n ? k + 1 : 0; }
  RTSIM_HD int edges() const { return n > 1 ? n : 0; }
  RTSIM_HD Vec<2> corner(int k) const { return {{x[k], y[k]}}; }
  RTSIM_HD Vec<2> normal(int k) const { return {{u[k], v[k]}}; }
};

RTSIM_HD inline void place_polygon(const BodyPose<2>& f, const Part<2>& part, const Parts<2>& all,
                                   Polygon& g) {
  g.n = int(part.points), g.radius = part.radius, g.inner = part.inner;
  for (int k = 0; k < g.n; ++k) {
    const Vec<2> p = placed(f, all.points[part.first_point + k]);
    const Vec<2> n = turned(f.axes, all.normals[part.first_point + k]);
    g.x[k] = p[0], g.y[k] = p[1], g.u[k] = n[0], g.v[k] = n[1];
  }
}

struct PolygonEdge {
  int edge;
  Real gap;  // [m] between the cores along its normal
};

RTSIM_HD inline Real edge_gap(const Polygon& a, int k, const Polygon& b, int corners) {
  Real nearest = Real(1e30);
  for (int j = 0; j < corners; ++j) nearest = lesser(nearest, b.x[j] * a.u[k] + b.y[j] * a.v[k]);
  return nearest - (a.x[k] * a.u[k] + a.y[k] * a.v[k]);
}

// Of polygons that have N corners each, all of whose edges are looked at side by side, or any
// number of them.
template <int N = 0>
RTSIM_HD PolygonEdge best_edge(const Polygon& a, const Polygon& b, Real reach) {
  PolygonEdge best{-1, Real(-1e30)};
  if constexpr (N > 0) {
    Real gap[N];
    for (int k = 0; k < N; ++k) gap[k] = edge_gap(a, k, b, N);
    for (int k = 0; k < N; ++k)
      if (gap[k] > best.gap) best = {k, gap[k]};
    return best;
  }
  for (int k = 0; k < a.edges(); ++k) {
    const Real gap = edge_gap(a, k, b, b.n);
    if (gap > best.gap) best = {k, gap};
    if (gap > reach) break;
  }
  return best;
}

// The gap from the corner of `b` to an edge of `a` that is nearest of all.
RTSIM_HD inline void nearest_corner(const Polygon& a, const Polygon& b, Real& least2, Vec<2>& on_a,
                                    Vec<2>& on_b) {
  for (int k = 0; k < a.n; ++k) {
    const Vec<2> along = a.corner(a.next(k)) - a.corner(k);
    const Real length2 = dot(along, along);
    for (int j = 0; j < b.n; ++j) {
      const Real t =
          length2 > 0 ? clamped(dot(b.corner(j) - a.corner(k), along) / length2, 0, 1) : 0;
      const Vec<2> at = a.corner(k) + t * along, r = b.corner(j) - at;
      if (dot(r, r) < least2) least2 = dot(r, r), on_a = at, on_b = b.corner(j);
    }
  }
}

// The edge of b that faces n most is clipped to edge k of a.
RTSIM_HD inline void collide_edges(const Polygon& a, int k, const Polygon& b, bool first,
                                   Real reach, ContactGeometry<2>& out) {
  const Vec<2> n = a.normal(k), p = a.corner(k), along{{-n[1], n[0]}};
  const Real length = dot(a.corner(a.next(k)) - p, along), grown = Real(0.002) * length;
  const auto corner = [&](bool of_a, int id) {
    return of_a == first ? corner_of_first(id) : corner_of_second(id);
  };
  int inc = 0;
  Real least = Real(1e30);
  for (int j = 0; j < b.edges(); ++j) {
    const Real facing = dot(b.normal(j), n);
    if (facing < least) least = facing, inc = j;
  }
  const int ends[2] = {b.next(inc), inc};  // in the order of a's corners
  Vec<2> at[2] = {b.corner(ends[0]), b.corner(ends[1])};
  std::uint32_t name[2] = {corner(false, ends[0]), corner(false, ends[1])};
  const Real u0 = dot(at[0] - p, along), u1 = dot(at[1] - p, along);
  const Vec<2> from = at[0], whole = at[1] - at[0];
  if (b.n > 1 && (u1 < -grown || u0 > length + grown)) return;
  if (b.n > 1 && u0 < -grown) at[0] = from + -u0 / (u1 - u0) * whole, name[0] = corner(true, k);
  if (b.n > 1 && u1 > length + grown)
    at[1] = from + (length - u0) / (u1 - u0) * whole, name[1] = corner(true, a.next(k));
  out.normal = first ? n : -n;
  for (int e = 0; e < (b.n > 1 ? 2 : 1); ++e) {
    const Real gap = dot(at[e] - p, n) - a.radius - b.radius;
    if (gap > reach) continue;
    out.add(at[e] - (b.radius + Real(0.5) * gap) * n, gap, name[e]);
  }
}

// All of the edge was clipped away: the deepest corner.
RTSIM_HD inline void collide_deepest(const Polygon& a, int k, const Polygon& b, bool first,
                                     Real reach, ContactGeometry<2>& out) {
  const Vec<2> n = a.normal(k);
  int best = 0;
  for (int j = 1; j < b.n; ++j)
    if (dot(b.corner(j), n) < dot(b.corner(best), n)) best = j;
  const Real gap = dot(b.corner(best) - a.corner(k), n) - a.radius - b.radius;
  if (gap > reach) return;
  out.normal = first ? n : -n;
  out.add(b.corner(best) - (b.radius + Real(0.5) * gap) * n, gap, 0);
}

// Whether a corner of `b` stands over edge k of `a`, no farther from it than `far` [m]: then no
// corners are nearer to one another than edge and corner are.
RTSIM_HD inline bool stands_over(const Polygon& a, int k, const Polygon& b, Real far) {
  const Vec<2> n = a.normal(k), p = a.corner(k), along{{-n[1], n[0]}};
  const Real length = dot(a.corner(a.next(k)) - p, along);
  for (int j = 0; j < b.n; ++j) {
    const Vec<2> r = b.corner(j) - p;
    const Real u = dot(r, along);
    if (u >= 0 && u <= length && dot(r, n) <= far) return true;
  }
  return false;
}

// After Catto's b2CollidePolygons (Box2D 3), by faces unless corners are clearly nearer.
RTSIM_HD inline ContactGeometry<2> collide(const Polygon& a, const Polygon& b, Real reach) {
  ContactGeometry<2> out;
  const Real skins = a.radius + b.radius;
  const Real slack = Real(0.01) * (a.inner > 0 && b.inner > 0 ? lesser(a.inner, b.inner)
                                                              : greater(a.inner, b.inner));
  const bool boxes = a.n == 4 && b.n == 4;
  const PolygonEdge of_a =
      boxes ? best_edge<4>(a, b, reach + skins) : best_edge(a, b, reach + skins);
  if (of_a.gap > reach + skins) return out;
  const PolygonEdge of_b =
      boxes ? best_edge<4>(b, a, reach + skins) : best_edge(b, a, reach + skins);
  if (of_b.gap > reach + skins) return out;
  const bool first = of_b.edge < 0 || (of_a.edge >= 0 && of_b.gap <= of_a.gap + slack);
  const Real gap = first ? of_a.gap : of_b.gap;
  const Polygon &reference = first ? a : b, &other = first ? b : a;
  const int edge = first ? of_a.edge : of_b.edge;
  const Real clearly = (skins > 0 ? Real(1e-3) : Real(1)) * slack;
  if (gap > 0 && !(edge >= 0 && stands_over(reference, edge, other, gap + clearly))) {
    Real least2 = Real(1e30);
    Vec<2> on_a, on_b, other_a, other_b;
    nearest_corner(a, b, least2, on_a, on_b);
    const Real by_b = least2;
    nearest_corner(b, a, least2, other_b, other_a);
    if (least2 < by_b) on_a = other_a, on_b = other_b;
    const Real d = std::sqrt(least2);
    if (d > gap + clearly) {
      if (d - skins > reach) return out;
      out.normal = Real(1) / d * (on_b - on_a);
      out.add(Real(0.5) * (on_a + on_b + (a.radius - b.radius) * out.normal), d - skins, 0);
      return out;
    }
  }
  collide_edges(reference, edge, other, first, reach, out);
  if (out.points == 0) collide_deepest(reference, edge, other, first, reach, out);
  return out;
}

}  // namespace rtsim::rigid
