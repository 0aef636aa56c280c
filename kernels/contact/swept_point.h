#pragma once
#include "contact/solid.h"

// Continuous collision of a point with a solid (a sweep): the time of impact by sphere tracing,
// then the rest of the way along the surface, with Coulomb's friction.
namespace rtsim::contact {

struct Rules {
  Real thickness;  // [m] between points and surfaces
  Real friction;   // Coulomb's
  Real recovery;   // [m] that a point which starts too close is moved out by, at most
  bool convex;     // of the solid: what slides along it cannot meet it again
  // To what distance each point is led out [m]: where it began the run nearer, that. Empty: all to
  // the thickness.
  Span<const Real> began = {};

  RTSIM_HD Real leads_to(Index i) const { return began.size > 0 ? began[i] : thickness; }
};

// What became of a point's way, all in the frame of the solid.
struct Swept {
  bool touched = false;
  Vec<3> end;
  Vec<3> change;  // of the way, exact to its own rounding; recovery does not count [m]
  Vec<3> normal;  // where it touched first
  Real part = 0;  // of the way that was gone by then
  Vec<3> along;   // the rest of the way after the touch [m]
};

constexpr int most_marches = 256, most_hits = 4, most_rounds = 32;

// Rounding of positions, and a thousandth of the thickness.
RTSIM_HD inline Real slack_at(const Vec<3>& x, Real thickness) {
  constexpr Real ulps = sizeof(Real) == 4 ? Real(5e-7) : Real(1e-15);
  return Real(1e-3) * thickness + ulps * norm(x);
}

struct March {
  Vec<3> at;
  Nearest q;  // there
  Real part;  // of the way that is gone
  bool stopped;
};

// Hart, "Sphere Tracing" (1996): distances are 1-Lipschitz, so a step as long as the gap to `level`
// cannot pass it. Stops where the gap is closed, or, safe too, when it has taken many steps.
RTSIM_HD inline March march(const Solid& solid, const Vec<3>& from, const Nearest& at_from,
                            const Vec<3>& way, Real level, Real slack) {
  const Real length = norm(way);
  March m{from, at_from, 0, false};
  for (int k = 0; k < most_marches; ++k) {
    const Real gap = m.q.distance - level, left = (1 - m.part) * length;
    if (gap >= left) {
      m.at = from + way, m.part = 1;
      return m;
    }
    if (gap <= slack) break;
    m.part += gap / length;
    m.at = from + m.part * way;
    m.q = nearest(solid, m.at);
  }
  m.stopped = true;
  return m;
}

// Coulomb: what points into the surface is lost; the rest sticks where it is no longer than
// mu times that, and is shortened by so much where it is longer.
RTSIM_HD inline Vec<3> after_friction(const Vec<3>& way, const Vec<3>& n, Real friction) {
  const Real into = dot(way, n);
  if (into >= 0) return way;
  const Vec<3> tangent = way - into * n;
  const Real length = norm(tangent), lost = friction * -into;
  return length > lost ? (1 - lost / length) * tangent : Vec<3>{};
}

// A way that points into neither of two surfaces: along their crease, if into both.
RTSIM_HD inline Vec<3> off_both(const Vec<3>& way, const Vec<3>& n, const Vec<3>& before) {
  if (dot(way, before) >= 0) return way;
  const Vec<3> crease = cross(n, before);
  const Real c2 = dot(crease, crease);
  return c2 > Real(1e-8) ? dot(way, crease) / c2 * crease : Vec<3>{};
}

// A point that starts too close to the surface, or behind it, goes no deeper, rubs, and is moved
// out to `to_distance` by no more than `recovery`, which gives it no velocity.
RTSIM_HD inline Swept recover(const Solid& solid, const Rules& r, Real to_distance,
                              const Vec<3>& from, const Nearest& q, const Vec<3>& way, Real slack) {
  Swept s;
  s.touched = true, s.normal = q.normal;
  s.along = after_friction(way, q.normal, r.friction);
  if (q.distance > 0) {
    const March m = march(solid, from, q, s.along, Real(0.5) * q.distance, 0);
    s.along = m.part * s.along;
  }
  s.change = s.along - way;
  s.end = from + s.along;
  const Nearest after = nearest(solid, s.end);
  const Real missing = to_distance - after.distance;
  if (missing > slack) s.end = s.end + (missing < r.recovery ? missing : r.recovery) * after.normal;
  return s;
}

// Sweeps a point from `from` to `to`, straight up to the first touch; it slides on from there with
// friction. While it slides it may come as near as half the thickness, and is then brought
// back to the whole: a point that starts clear ends clear, whatever the way.
RTSIM_HD inline Swept sweep(const Solid& solid, const Rules& r, Real leads_to, const Vec<3>& from,
                            const Vec<3>& to) {
  Swept s;
  s.end = to;
  Vec<3> at = from, way = to - from;
  Nearest q = nearest(solid, at);
  if (q.distance - r.thickness >= norm(way)) return s;
  const Real slack = slack_at(from, r.thickness);
  if (q.distance < r.thickness - slack) return recover(solid, r, leads_to, from, q, way, slack);

  bool near = q.distance <= r.thickness + slack;
  for (int hit = 0;; ++hit) {
    if (near && dot(way, q.normal) < 0) {
      const Vec<3> sliding = hit < most_hits ? after_friction(way, q.normal, r.friction) : Vec<3>{};
      const Vec<3> next = s.touched ? off_both(sliding, q.normal, s.normal) : sliding;
      s.change = s.change + (next - way);
      way = next;
      if (!s.touched) s.touched = true, s.normal = q.normal, s.along = way;
    } else if (s.touched || hit == most_rounds) {  // many short steps beside a surface: it stays
      if (!s.touched) s.touched = true, s.normal = q.normal, s.along = Vec<3>{};
      s.change = s.change - way;
      break;
    }
    if (way == Vec<3>{}) break;
    if (near && r.convex) {
      at = at + way;
      break;
    }
    const March m = march(solid, at, q, way, near ? Real(0.5) * r.thickness : r.thickness, slack);
    at = m.at, q = m.q;
    if (!m.stopped) break;
    way = (1 - m.part) * way;
    if (!s.touched) s.part = m.part;
    near = true;
  }
  if (s.touched) s.end = at;
  q = nearest(solid, s.end);
  const Real missing = r.thickness - q.distance;
  if (missing > slack) {
    s.end = s.end + missing * q.normal, s.change = s.change + missing * q.normal;
    s.touched = true;
  }
  return s;
}

}  // namespace rtsim::contact
