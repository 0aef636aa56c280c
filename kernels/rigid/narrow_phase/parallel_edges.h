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

}  // namespace rtsim::rigid
