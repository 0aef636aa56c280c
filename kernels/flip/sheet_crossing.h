#pragma once
#include "base/vec.h"

// When a point meets a triangle, both of which move straight.
namespace rtsim::flip {

using Vec3 = VecT<double, 3>;

// Corners p_k(s) = at_k + s way_k of a triangle as the point sees them, 0 <= s <= 1: it lies in
// their plane where
//   f(s) = det(p_0, p_1, p_2) = 0,
// a cubic (Provot, "Collision and self-collision handling in cloth model dedicated to design
// garments", 1997). f < 0: the point is above, where the normal points.
struct SeenTriangle {
  Vec3 at[3], way[3];

  RTSIM_HD Vec3 corner(int k, double s) const { return at[k] + s * way[k]; }
  RTSIM_HD double volume(double s) const {
    return dot(corner(0, s), cross(corner(1, s), corner(2, s)));
  }
  // p_0 = sum of weight_k p_k for the place in its plane that is nearest to the point; whether that
  // is in the triangle. Triangles with an edge in common overlap by rounding.
  RTSIM_HD bool covers(double s, double (&weight)[3]) const {
    const Vec3 p[3] = {corner(0, s), corner(1, s), corner(2, s)};
    const Vec3 n = cross(p[1] - p[0], p[2] - p[0]);
    const double n2 = dot(n, n);
    if (!(n2 > 0)) return false;
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
      weight[k] = dot(n, cross(p[(k + 1) % 3], p[(k + 2) % 3])) / n2;
      inside = inside && weight[k] > -1e-6;
    }
    return inside;
  }
};

// The places in (0, 1) where f turns, in rising order; how many.
RTSIM_HD inline int turns_of(const SeenTriangle& t, double (&at)[2]) {
  const auto det = [](const Vec3& a, const Vec3& b, const Vec3& c) { return dot(a, cross(b, c)); };
  const Vec3 *p = t.at, *d = t.way;
  const double c1 = det(d[0], p[1], p[2]) + det(p[0], d[1], p[2]) + det(p[0], p[1], d[2]);
  const double c2 = det(p[0], d[1], d[2]) + det(d[0], p[1], d[2]) + det(d[0], d[1], p[2]);
  const double c3 = det(d[0], d[1], d[2]);
  const double root2 = c2 * c2 - 3 * c1 * c3;
  if (!(root2 >= 0)) return 0;
  // The roots of 3 c3 s^2 + 2 c2 s + c1 without cancelling.
  const double q = -(c2 + (c2 < 0 ? -std::sqrt(root2) : std::sqrt(root2)));
  double root[2] = {3 * c3 != 0 ? q / (3 * c3) : -1.0, q != 0 ? c1 / q : -1.0};
  if (root[0] > root[1]) {
    const double lower = root[1];
    root[1] = root[0], root[0] = lower;
  }
  int count = 0;
  for (const double s : root)
    if (s > 0 && s < 1) at[count++] = s;
  return count;
}

// The first s at which the point goes through the triangle, and `weight` of its corners there;
// above 1: it does not. What turns back on the plane does not go through it.
RTSIM_HD inline double first_crossing(const SeenTriangle& t, double (&weight)[3]) {
  double end[4] = {0, 1, 1, 1};
  double turn[2];
  const int turns = turns_of(t, turn);
  for (int k = 0; k < turns; ++k) end[k + 1] = turn[k];
  for (int k = 0; k <= turns; ++k) {
    double low = end[k], high = end[k + 1];
    const bool above = t.volume(low) < 0;
    if ((t.volume(high) < 0) == above) continue;
    for (int halving = 0; halving < 50; ++halving) {
      const double middle = 0.5 * (low + high);
      ((t.volume(middle) < 0) == above ? low : high) = middle;
    }
    if (t.covers(low, weight)) return low;
  }
  return 2;
}

}  // namespace rtsim::flip
