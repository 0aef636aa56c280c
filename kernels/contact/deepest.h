#pragma once
#include "contact/swept_point.h"

// Where a face, the triangle of three points, comes nearest to a solid: standing, and on its way.
namespace rtsim::contact {

// The place of a face that lies deepest: the least distance over weights u, v, 1 - u - v of its
// corners, by a search that halves its steps. Distances are 1-Lipschitz: it ends where nothing
// that is left to see can come as near as `level`.
struct Deepest {
  const Solid& solid;
  const Vec<3>* x;
  Real level;
  Real u = 0, v = 0;
  Nearest q{};

  RTSIM_HD Vec<3> at(Real s, Real t) const { return s * x[0] + t * x[1] + (1 - s - t) * x[2]; }
  RTSIM_HD Vec<3> place_on(const Vec<3>* corner) const {
    return u * corner[0] + v * corner[1] + (1 - u - v) * corner[2];
  }
  RTSIM_HD bool move_if_deeper(Real s, Real t) {
    constexpr Real outside = Real(-1e-6);
    if (s < outside || t < outside || s + t > 1 - outside) return false;
    const Nearest there = nearest(solid, at(s, t));
    if (!(there.distance < q.distance)) return false;
    u = s, v = t, q = there;
    return true;
  }
  RTSIM_HD Real size() const {
    Real longest = 0;
    for (int k = 0; k < 3; ++k) {
      const Real side = norm(x[k] - x[(k + 1) % 3]);
      longest = side > longest ? side : longest;
    }
    return longest;
  }
  // Whether it is below the level.
  RTSIM_HD bool find() {
    const Real third = Real(1) / 3, half = Real(0.5), length = size();
    u = v = third, q = nearest(solid, at(u, v));
    if (q.distance > level + Real(2) / 3 * length) return false;
    const Real start[6][2] = {{1, 0}, {0, 1}, {0, 0}, {half, half}, {half, 0}, {0, half}};
    for (const auto& s : start) move_if_deeper(s[0], s[1]);
    for (Real step = Real(0.25); step > Real(0.01); step *= half)
      for (bool moved = true; moved;) {
        if (q.distance > level + 2 * step * length) return false;
        moved = move_if_deeper(u + step, v) || move_if_deeper(u - step, v) ||
                move_if_deeper(u, v + step) || move_if_deeper(u, v - step) ||
                move_if_deeper(u + step, v - step) || move_if_deeper(u - step, v + step);
      }
    return q.distance < level;
  }
};

// The way of the corners of a face, straight from one place to another, in the solid's frame.
struct FaceWay {
  Vec<3> from[3], to[3];

  RTSIM_HD Real longest() const {
    Real most = 0;
    for (int k = 0; k < 3; ++k) {
      const Real way = norm(to[k] - from[k]);
      most = way > most ? way : most;
    }
    return most;
  }
  RTSIM_HD void at(Real part, Vec<3>* x) const {
    for (int k = 0; k < 3; ++k) x[k] = from[k] + part * (to[k] - from[k]);
  }
};

constexpr int fine_looks = 32, most_looks = 512;

// A part of the thickness, and rounding of positions (swept_point.h).
RTSIM_HD inline Real slack_of(const FaceWay& way, Real part) {
  Real most = 0;
  for (int k = 0; k < 3; ++k) {
    const Real from = slack_at(way.from[k], 0), to = slack_at(way.to[k], 0);
    most = from > most ? from : most, most = to > most ? to : most;
  }
  return part + most;
}

// Where on its way a face first comes to `level`: its corners' weights u, v and what is nearest
// then. A face that moves by less than its gap to the level cannot close it, so it is looked at
// again only after such a part of the way (Hart 1996, as in swept_point.h). One that stays near, as
// what slides along a surface does, is after some looks moved by half the level at least: at both
// ends of such a step it is above the level, so between them above three quarters of it, and
// outside. Only hundreds of looks, ways of hundreds of levels beside a surface, count as a touch.
struct FaceTouch {
  bool touched;
  Real part;  // of the way
  Real u, v;
  Nearest q;
};
RTSIM_HD inline FaceTouch touch_on(const Solid& solid, const FaceWay& way, Real level, Real slack) {
  const Real length = way.longest();
  Vec<3> x[3];
  Real part = 0;
  FaceTouch t{};
  for (int k = 0; k < most_looks; ++k) {
    way.at(part, x);
    Deepest deep{solid, x, level + (1 - part) * length + slack};
    if (!deep.find()) return t;
    t.part = part, t.u = deep.u, t.v = deep.v, t.q = deep.q;
    const Real gap = deep.q.distance - level;
    if (gap <= slack) break;
    const Real least = k < fine_looks ? 0 : Real(0.5) * level;
    part += (gap > least ? gap : least) / length;
    if (!(part < 1)) return t;
  }
  t.touched = true;
  return t;
}

}  // namespace rtsim::contact
