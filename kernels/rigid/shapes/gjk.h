#pragma once
#include "rigid/narrow_phase/round.h"

// What is convex without its radius: points, segments, polytopes and cylinders, by the farthest
// point along a direction.
namespace rtsim::rigid {

constexpr int placed_corners = 8;  // at most, of hulls that are placed once for a pair

// What the farthest point is found from is placed once for a pair, and asked for some twenty times.
struct Core {
  Vec<3> origin, axes[3];  // of the part's frame; the origin is relative to that of the first body
  Part<3> part;
  const Vec<3>* points;
  const PartFace* faces;
  const PartCorner* corners;
  const PartEdge* edges;
  Vec<3> centre;  // of the part
  Vec<3>
      spread[3];  // [m] half of a box's edges; of a cylinder the first is its axis, of length one
  Real corner[3][placed_corners];  // [m] of other parts that have no more; the last stands for more
};

RTSIM_HD inline Vec<3> outside(const Core& c, const Vec<3>& local) {
  return c.origin + turned(c.axes, local);
}
RTSIM_HD inline const Vec<3>& middle(const Core& c) { return c.centre; }
RTSIM_HD inline const Vec<3>& cylinder_axis(const Core& c) { return c.spread[0]; }

RTSIM_HD inline void place_corners(Core& c) {
  if (c.part.points > placed_corners) return;
  for (Index k = 0; k < placed_corners; ++k) {
    const Vec<3> x = outside(c, c.points[k < c.part.points ? k : c.part.points - 1]);
    for (int a = 0; a < 3; ++a) c.corner[a][k] = x[a];
  }
}

RTSIM_HD inline Core core_of(const BodyPose<3>& f, const Part<3>& p, const Parts<3>& all,
                             const Vec<3>& origin) {
  Core c;
  c.origin = f.x - origin, c.part = p;
  for (int a = 0; a < 3; ++a) c.axes[a] = f.axes[a];
  c.points = all.points.data + p.first_point;
  c.faces = all.faces.data + p.first_face, c.corners = all.corners.data;
  c.edges = all.edges.data + p.first_edge;
  c.centre = outside(c, p.centre);
  if (p.kind == PartKind::cylinder)
    c.spread[0] = turned(c.axes, p.axes[0]);
  else if (p.kind == PartKind::box)
    for (int k = 0; k < 3; ++k) c.spread[k] = p.half[k] * turned(c.axes, p.axes[k]);
  else
    place_corners(c);
  return c;
}

RTSIM_HD inline bool is_round(PartKind k) {
  return k == PartKind::sphere || k == PartKind::capsule;
}
// [m] that a core lies within its part.
RTSIM_HD inline Real skin(const Core& c) {
  return c.part.kind == PartKind::cylinder ? 0 : c.part.radius;
}

RTSIM_HD inline Vec<3> farthest_of_cylinder(const Core& c, const Vec<3>& d) {
  const Vec<3>& axis = cylinder_axis(c);
  const Real along = dot(d, axis);
  const Vec<3> across = d - along * axis;
  const Real length = norm(across);
  const Vec<3> end = middle(c) + (along < 0 ? -c.part.half[0] : c.part.half[0]) * axis;
  return length > Real(1e-6) * size_of(along) ? end + c.part.radius / length * across : end;
}

RTSIM_HD inline Vec<3> farthest_of_box(const Core& c, const Vec<3>& d) {
  Vec<3> p = c.centre;
  for (int k = 0; k < 3; ++k) p = p + std::copysign(Real(1), dot(d, c.spread[k])) * c.spread[k];
  return p;
}

RTSIM_HD inline Vec<3> farthest_corner(const Core& c, const Vec<3>& d) {
  Real along[placed_corners];
  for (int k = 0; k < placed_corners; ++k)
    along[k] = d[0] * c.corner[0][k] + d[1] * c.corner[1][k] + d[2] * c.corner[2][k];
  int best = 0;
  Real most = along[0];
  for (int k = 1; k < placed_corners; ++k)
    best = along[k] > most ? k : best, most = max(most, along[k]);
  return {{c.corner[0][best], c.corner[1][best], c.corner[2][best]}};
}

RTSIM_HD inline Vec<3> farthest(const Core& c, const Vec<3>& d) {
  if (c.part.kind == PartKind::cylinder) return farthest_of_cylinder(c, d);
  if (c.part.kind == PartKind::box) return farthest_of_box(c, d);
  if (c.part.points == 1) return {{c.corner[0][0], c.corner[1][0], c.corner[2][0]}};
  if (c.part.points <= placed_corners) return farthest_corner(c, d);
  const Vec<3> own = turned_back(c.axes, d);
  Index best = 0;
  Real most = dot(own, c.points[0]);
  for (Index i = 1; i < c.part.points; ++i) {
    const Real along = dot(own, c.points[i]);
    best = along > most ? i : best, most = max(most, along);
  }
  return outside(c, c.points[best]);
}

// [m] between a and b along n, of unit length.
RTSIM_HD inline Real gap_along(const Core& a, const Core& b, const Vec<3>& n) {
  return dot(farthest(b, -n) - farthest(a, n), n);
}

// Distance between convex cores: Gilbert, Johnson & Keerthi (1988), with the nearest point of a
// simplex as in Ericson, "Real-Time Collision Detection" (2005), 5.1.

struct Simplex {
  int n = 0;
  Vec<3> on_a[4], on_b[4], w[4];  // w = on_b - on_a
  Real share[4];
};

// Corners of a simplex, in ascending order, that hold its nearest point, and their shares in it.
struct Holding {
  int n;
  int corner[3];
  Real share[3];
};

RTSIM_HD inline void keep(const Holding& h, Simplex& s) {
  for (int k = 0; k < h.n; ++k) {
    const int from = h.corner[k];
    s.share[k] = h.share[k];
    if (from != k) s.on_a[k] = s.on_a[from], s.on_b[k] = s.on_b[from], s.w[k] = s.w[from];
  }
  s.n = h.n;
}

RTSIM_HD inline Holding nearest_on_segment(const Simplex& s) {
  const Vec<3> ab = s.w[1] - s.w[0];
  const Real t = -dot(s.w[0], ab), length2 = dot(ab, ab);
  if (!(t > 0)) return {1, {0}, {1}};
  if (t >= length2) return {1, {1}, {1}};
  return {2, {0, 1}, {1 - t / length2, t / length2}};
}

// Of corners i < j < k.
RTSIM_HD inline Holding nearest_on_triangle(const Simplex& s, int i, int j, int k) {
  const Vec<3>&a = s.w[i], &b = s.w[j], &c = s.w[k];
  const Vec<3> ab = b - a, ac = c - a;
  const Real d1 = -dot(ab, a), d2 = -dot(ac, a);
  if (d1 <= 0 && d2 <= 0) return {1, {i}, {1}};
  const Real d3 = -dot(ab, b), d4 = -dot(ac, b);
  if (d3 >= 0 && d4 <= d3) return {1, {j}, {1}};
  const Real vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const Real t = d1 / (d1 - d3);
    return {2, {i, j}, {1 - t, t}};
  }
  const Real d5 = -dot(ab, c), d6 = -dot(ac, c);
  if (d6 >= 0 && d5 <= d6) return {1, {k}, {1}};
  const Real vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const Real t = d2 / (d2 - d6);
    return {2, {i, k}, {1 - t, t}};
  }
  const Real va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const Real t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {2, {j, k}, {1 - t, t}};
  }
  const Real sum = Real(1) / (va + vb + vc), v = vb * sum, w = vc * sum;
  return {3, {i, j, k}, {1 - v - w, v, w}};
}

RTSIM_HD inline Vec<3> point_of(const Simplex& s, const Vec<3>* p) {
  Vec<3> r;
  for (int k = 0; k < s.n; ++k) r = r + s.share[k] * p[k];
  return r;
}
RTSIM_HD inline Vec<3> point_of(const Holding& h, const Vec<3>* p) {
  Vec<3> r;
  for (int k = 0; k < h.n; ++k) r = r + h.share[k] * p[h.corner[k]];
  return r;
}

// None: the origin is inside.
RTSIM_HD inline Holding nearest_on_tetrahedron(const Simplex& s) {
  constexpr int face[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  Holding best{};
  Real least = Real(1e30);
  for (const auto& f : face) {
    const Vec<3>&a = s.w[f[0]], n = cross(s.w[f[1]] - a, s.w[f[2]] - a), d = s.w[f[3]] - a;
    const Real origin = -dot(a, n), other = dot(d, n);
    const bool flat = other * other <= Real(1e-8) * dot(n, n) * dot(d, d);
    if (origin * other > 0 && !flat) continue;
    const Holding h = nearest_on_triangle(s, f[0], f[1], f[2]);
    const Vec<3> p = point_of(h, s.w);
    if (dot(p, p) < least) least = dot(p, p), best = h;
  }
  return best;
}

// False: the origin is inside.
RTSIM_HD inline bool reduce_simplex(Simplex& s) {
  Holding h{1, {0}, {1}};
  if (s.n == 2) h = nearest_on_segment(s);
  if (s.n == 3) h = nearest_on_triangle(s, 0, 1, 2);
  if (s.n == 4) h = nearest_on_tetrahedron(s);
  if (h.n > 0) keep(h, s);
  return h.n > 0;
}

// From `on_a` to `on_b`; the cores meet where there is no gap.
struct CoreGap {
  bool apart;
  Vec<3> on_a, on_b;
  // Farther apart than was asked for, or so near, and not searched to the end.
  bool far = false, near = false;
};

RTSIM_HD inline bool holds(const Simplex& s, const Vec<3>& w) {
  for (int k = 0; k < s.n; ++k)
    if (s.w[k] == w) return true;
  return false;
}

// `towards` starts the search; `b` is shifted by `shift`. All of the cores is at least v . w / |v|
// apart: that may be more than `reach` [m]. And no more than |v|, which may be as little as `near`
// [m].
RTSIM_HD inline CoreGap gap_between(const Core& a, const Core& b, const Vec<3>& shift,
                                    const Vec<3>& towards, Real reach = Real(1e15),
                                    Real near = Real(-1)) {
  constexpr int most_iterations = 40;
  constexpr Real enough = sizeof(Real) == 4 ? Real(1e-5) : Real(1e-11);
  const Real size = a.part.reach + b.part.reach;
  const Real none = (sizeof(Real) == 4 ? Real(1e-6) : Real(1e-13)) * size;
  Simplex s;
  Vec<3> v = towards;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const Vec<3> on_a = farthest(a, v), on_b = farthest(b, -v) + shift, w = on_b - on_a;
    const Real along = dot(v, w);
    if (along > 0 && along * along > reach * reach * dot(v, v)) return {true, on_a, on_b, true};
    if (s.n > 0 && (dot(v, v) - along <= enough * dot(v, v) || holds(s, w))) break;
    s.on_a[s.n] = on_a, s.on_b[s.n] = on_b, s.w[s.n] = w, ++s.n;
    if (!reduce_simplex(s)) return {false, {}, {}};
    v = point_of(s, s.w);
    if (dot(v, v) <= none * none) return {false, point_of(s, s.on_a), point_of(s, s.on_b)};
    if (near > 0 && dot(v, v) <= near * near)
      return {true, point_of(s, s.on_a), point_of(s, s.on_b), false, true};
  }
  return {true, point_of(s, s.on_a), point_of(s, s.on_b)};
}

}  // namespace rtsim::rigid
