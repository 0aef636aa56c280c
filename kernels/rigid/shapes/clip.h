#pragma once
#include "rigid/shapes/convex.h"
#include "rigid/shapes/half_space.h"

// The face of one part (the reference) against the most opposed face, or side, of the other.
namespace rtsim::rigid {

constexpr int cap_corners = 8;  // that stand for the rim of a cylinder

// Corners in order, their names, and those of the edges that go on from them. Two: a segment.
struct Outline {
  int n = 0;
  Vec<3> corner[most_corners];
  int name[most_corners], edge[most_corners];

  RTSIM_HD void add(const Vec<3>& p, int id, int edge_id) {
    corner[n] = p, name[n] = id, edge[n++] = edge_id;
  }
};

RTSIM_HD inline void outline_face(const Core& c, int face, Outline& out) {
  const PartFace& f = c.faces[face];
  for (Index k = 0; k < f.corners; ++k) {
    const PartCorner& corner = c.corners[f.first_corner + k];
    out.add(outside(c, c.points[corner.point]), corner.point, corner.edge);
  }
}

RTSIM_HD inline Vec<2> cap_turn(int k) {
  constexpr Real half = Real(0.70710678118654752);
  constexpr Real turns[cap_corners][2] = {{1, 0},  {half, half},   {0, 1},  {-half, half},
                                          {-1, 0}, {-half, -half}, {0, -1}, {half, -half}};
  return {{turns[k][0], turns[k][1]}};
}

// The rim as corners on it. The first is the farthest along `down` where the cap is tilted, else
// they stay with the body.
RTSIM_HD inline void outline_cap(const Core& c, int face, const Vec<3>& down, Outline& out) {
  const Vec<3> n = face_normal(c, face), x{{1, 0, 0}}, y{{0, 1, 0}};
  Vec<3> u = down - dot(down, n) * n;
  if (norm(u) < Real(0.01)) {
    const Vec<3>& own = c.part.axes[0];
    u = turned(c.axes, cross(own, own[0] * own[0] < Real(0.5) ? x : y));
  }
  u = Real(1) / norm(u) * u;
  const Vec<3> v = cross(n, u), centre = middle(c) + c.part.half[0] * n;
  for (int k = 0; k < cap_corners; ++k) {
    const int id = cap_corners * face + k;
    const Vec<2> turn = cap_turn(k);
    out.add(centre + c.part.radius * (turn[0] * u + turn[1] * v), id, id);
  }
}

RTSIM_HD inline void outline_side(const Core& c, const Vec<3>& down, Outline& out) {
  const Vec<3> axis = cylinder_axis(c);
  const Vec<3> across = down - dot(down, axis) * axis;
  const Vec<3> p = middle(c) + c.part.radius / norm(across) * across;
  const Vec<3> h = c.part.half[0] * axis;
  out.add(p - h, 0, 2 * cap_corners), out.add(p + h, 1, 2 * cap_corners);
}

// Whether a cylinder touches along n with its side and not with a cap; both are of length one.
RTSIM_HD inline bool lies(const Vec<3>& axis, const Vec<3>& n) {
  return size_of(dot(n, axis)) <= Real(0.70710678);
}

// What of a part lies farthest along n: a face, a segment, or one point.
RTSIM_HD inline void outline_towards(const Core& c, const Vec<3>& n, Outline& out) {
  if (c.part.kind == PartKind::cylinder) {
    const Vec<3>& axis = cylinder_axis(c);
    if (!lies(axis, n)) return outline_cap(c, dot(n, axis) > 0 ? 1 : 0, n, out);
    return outline_side(c, n, out);
  }
  if (c.part.faces == 0) {
    for (int k = 0; k < c.part.points; ++k) out.add(outside(c, c.points[k]), k, 0);
    return;
  }
  int best = 0;
  const Vec<3> own = turned_back(c.axes, n);
  for (int f = 1; f < c.part.faces; ++f)
    if (dot(own, c.faces[f].normal) > dot(own, c.faces[best].normal)) best = f;
  outline_face(c, best, out);
}

// A corner of the clipped outline. Edges to the next: own ones from 0, sides from most_corners.
struct OutlineCorner {
  Vec<3> p;
  int edge;
};

RTSIM_HD inline int clip_to_side(const OutlineCorner* from, int n, const Vec<3>& on,
                                 const Vec<3>& outwards, Real grown, int side, OutlineCorner* to) {
  int m = 0;
  for (int i = 0; i < n && m + 2 < 2 * most_corners; ++i) {
    const OutlineCorner &p = from[i], &q = from[i + 1 < n ? i + 1 : 0];
    const Real over_p = dot(p.p - on, outwards) - grown, over_q = dot(q.p - on, outwards) - grown;
    if (over_p <= 0) to[m++] = p;
    if ((over_p <= 0) == (over_q <= 0)) continue;
    const Real t = over_p / (over_p - over_q);
    to[m++] = {p.p + t * (q.p - p.p), over_p <= 0 ? side : p.edge};
  }
  return m;
}

// Names of a clipped corner, see corner_of_first().
struct OutlinePair {
  const Outline &reference, &other;
  bool first;  // whether the reference is the first part

  RTSIM_HD std::uint32_t name(int before, int after) const {
    if (before < most_corners && after < most_corners) {
      const int corner = other.name[after];
      return first ? corner_of_second(corner) : corner_of_first(corner);
    }
    if (before >= most_corners && after >= most_corners) {
      const int one = before - most_corners, two = after - most_corners;
      const int corner = reference.name[(one + 1) % reference.n == two ? two : one];
      return first ? corner_of_first(corner) : corner_of_second(corner);
    }
    const int own = other.edge[before < most_corners ? before : after];
    const int side = reference.edge[(before < most_corners ? after : before) - most_corners];
    return first ? crossing(side, own) : crossing(own, side);
  }
};

// The outline of a segment goes there and back, so that its ends come twice.
RTSIM_HD inline void collide_outlines(const OutlinePair& pair, const Vec<3>& n, Real grown,
                                      Real skin_ref, Real skin_other, Real reach, Real alike,
                                      ContactGeometry<3>& out) {
  OutlineCorner one[2 * most_corners], two[2 * most_corners];
  OutlineCorner *from = one, *to = two;
  int count = pair.other.n;
  for (int k = 0; k < count; ++k) from[k] = {pair.other.corner[k], k};
  for (int k = 0; k < pair.reference.n && count > 0; ++k) {
    const Vec<3>& p = pair.reference.corner[k];
    const Vec<3> along = pair.reference.corner[(k + 1) % pair.reference.n] - p;
    const Vec<3> outwards = cross(along, n);
    const Real length = norm(outwards);
    if (!(length > 0)) continue;
    count = clip_to_side(from, count, p, Real(1) / length * outwards, grown, most_corners + k, to);
    OutlineCorner* swap = from;
    from = to, to = swap;
  }
  BestPoints<3> best(pair.reference.corner[0], n);
  std::uint32_t last = 0, next_to_last = 0;
  for (int k = 0; k < count; ++k) {
    const std::uint32_t name = pair.name(from[k > 0 ? k - 1 : count - 1].edge, from[k].edge);
    if (pair.other.n == 2 && (name == last || name == next_to_last)) continue;
    next_to_last = last, last = name;
    const Real core = dot(from[k].p - pair.reference.corner[0], n);
    const Real gap = core - skin_ref - skin_other;
    if (gap > reach) continue;
    best.add(from[k].p, gap, name, alike);
  }
  best.write(alike, out);
  // In the middle between the surfaces, not the cores.
  for (int k = 0; k < out.points; ++k) out.point[k] = out.point[k] + skin_ref * n;
}

}  // namespace rtsim::rigid
