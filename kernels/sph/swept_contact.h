#pragma once
#include "base/vec.h"
#include "neighbours/cell_grid.h"

// Continuous collision of particles with walls, whatever has moved them: wall samples are balls
// that touch one another, and a path that enters one slides along it. Swept, so that nothing
// tunnels.
namespace rtsim::sph {

RTSIM_HD inline Vec<3> xyz(const Row4& r) { return {{r.x, r.y, r.z}}; }

// x - row b, of the nearest images.
RTSIM_HD inline Vec<3> apart(const Vec<3>& x, const CellRows& rows, Index b) {
  Vec<3> d = x - xyz(rows.rows[b]);
  if (rows.grid.box.any) rows.grid.box.bring(d[0], d[1], d[2]);
  return d;
}

struct Balls {
  CellRows rows;            // samples, `ahead` of the step's start
  Span<const Row4> motion;  // their velocities, straight through the step
  Real radius;              // R [m]
  Real reach;               // [m]; balls may move by reach - R a step
  Real dt;                  // [s]
  Real ahead;               // parts of the step: 1, the rows stand where the step ends
};

// The way that is left of a step: p(t) = at + (t - time) / (1 - time) way, 0 <= time <= t <= 1.
struct Path {
  Vec<3> at, way;  // [m]
  Real time;       // parts of the step
};

// Where a path first meets a ball that it approaches, as a part of the way that is left; > 1: not.
struct Hit {
  Real part = 2;
  Vec<3> normal;   // from the ball
  Vec<3> carried;  // the ball's own motion in the time that is left [m]
  Index ball = -1;
};

// Relative to ball b the path is a + s w, 0 <= s <= 1; |a + s w| = R gives
//   s = (-a.w - sqrt((a.w)^2 - w^2 (a^2 - R^2))) / w^2,
// and s = 0 where it starts inside.
RTSIM_HD inline void meet(const Balls& balls, const Path& path, Index b, Hit& first) {
  const Vec<3> carried = (1 - path.time) * balls.dt * xyz(balls.motion[b]);
  const Vec<3> since = (balls.ahead - path.time) * balls.dt * xyz(balls.motion[b]);
  const Vec<3> a = apart(path.at, balls.rows, b) + since, w = path.way - carried;
  const Real aw = dot(a, w), w2 = dot(w, w), a2 = dot(a, a);
  if (!(aw < 0) || !(a2 > 0)) return;
  const Real outside = a2 - balls.radius * balls.radius, root2 = aw * aw - w2 * outside;
  if (root2 < 0) return;
  const Real s = outside > 0 ? (-aw - std::sqrt(root2)) / w2 : Real(0);
  if (s >= first.part || s > 1) return;
  const Vec<3> n = a + s * w;
  first = {s, (1 / std::sqrt(dot(n, n))) * n, (1 - s) * carried, b};
}

RTSIM_HD inline Hit first_hit(const Balls& balls, const Path& path) {
  const Vec<3> end = path.at + path.way;
  Real low[3], high[3];
  for (int k = 0; k < 3; ++k) {
    low[k] = path.at[k] < end[k] ? path.at[k] : end[k];
    high[k] = path.at[k] > end[k] ? path.at[k] : end[k];
  }
  Hit first;
  for_runs(balls.rows, low, high, balls.reach, [&](Index begin, Index end_row) {
    for (Index b = begin; b < end_row; ++b) meet(balls, path, b, first);
  });
  return first;
}

// Leads `path` round the balls; returns the first it meets, or -1. A hit takes away what approaches
// the ball; after four hits the rest of the way is lost, and the particle goes with the ball.
RTSIM_HD inline Index slide(const Balls& balls, Path& path) {
  Index met = -1;
  for (int hits = 0; hits < 4; ++hits) {
    const Hit hit = first_hit(balls, path);
    if (hit.part > 1) return met;
    if (hits == 0) met = hit.ball;
    const Vec<3> rest = (1 - hit.part) * path.way - hit.carried;
    const Real into = dot(rest, hit.normal);
    path.at = path.at + hit.part * path.way;
    path.time += hit.part * (1 - path.time);
    path.way =
        hits == 3 ? hit.carried : hit.carried + rest - (into < 0 ? into : Real(0)) * hit.normal;
  }
  return met;
}

}  // namespace rtsim::sph
