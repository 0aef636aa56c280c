#include "meshes/cell_fill.h"

#include <algorithm>
#include <cmath>

namespace rtsim {

namespace {

double cube(double x) { return x * x * x; }

Vec3d shifted(Vec3d x, int axis, double by) {
  x[axis] += by;
  return x;
}

// The surface taken for the plane at the centre's distance, across the slope of distances.
double cut_by_plane(const Shape& shape, const Vec3d& centre, double side, double distance) {
  Vec3d slope;
  for (int a = 0; a < 3; ++a)
    slope[a] = shape.distance(shifted(centre, a, 0.5 * side)) -
               shape.distance(shifted(centre, a, -0.5 * side));
  const double length = norm(slope);
  if (!(length > 0)) return distance < 0 ? cube(side) : 0;
  return cube(side) * cube_below_plane((1 / length) * slope, -distance / side);
}

double inside(const Shape& shape, const Vec3d& centre, double side, int cuts_left) {
  const double distance = shape.distance(centre), reach = 0.5 * std::sqrt(3.0) * side;
  if (std::abs(distance) >= reach) return distance < 0 ? cube(side) : 0;
  if (cuts_left == 0) return cut_by_plane(shape, centre, side, distance);
  double sum = 0;
  for (int k = 0; k < 8; ++k) {
    const auto half = [&](int bit) { return k & bit ? 0.25 * side : -0.25 * side; };
    sum += inside(shape, centre + Vec3d{{half(1), half(2), half(4)}}, 0.5 * side, cuts_left - 1);
  }
  return sum;
}

}  // namespace

double volume_inside(const Shape& shape, const Vec3d& centre, double side, int cuts) {
  return inside(shape, centre, side, cuts);
}

double shape_volume(const Shape& shape) {
  if (const auto known = shape.volume()) return *known;
  const Bounds b = shape.bounds();
  constexpr int along = 24;  // cubes on the longest side
  double longest = 0, sum = 0;
  for (int a = 0; a < 3; ++a) longest = std::max(longest, b.max[a] - b.min[a]);
  const double side = longest / along;
  int cubes[3];
  for (int a = 0; a < 3; ++a) cubes[a] = std::max(1, int(std::ceil((b.max[a] - b.min[a]) / side)));
  for (int k = 0; k < cubes[2]; ++k)
    for (int j = 0; j < cubes[1]; ++j)
      for (int i = 0; i < cubes[0]; ++i)
        sum += inside(shape, b.min + Vec3d{{(i + 0.5) * side, (j + 0.5) * side, (k + 0.5) * side}},
                      side, 2);
  return sum;
}

// A tetrahedron along the axes, less those that stick out of the cube's far sides, and more those
// that were taken off twice (Scardovelli & Zaleski, "Analytical Relations Connecting Linear
// Interfaces and Volume Fractions in Rectangular Grids", Journal of Computational Physics 2000):
//   6 m1 m2 m3 V = sum over corners c of (-1)^(c1 + c2 + c3) max(0, a - m . c)^3,
// with m_i = |n_i| and the plane m . x = a, seen from the cube's lowest corner. Of m_i near zero
// the differences round; below a thousandth they are taken for one, which is off by as much of a
// side.
double cube_below_plane(const Vec3d& n, double s) {
  Vec3d m;
  for (int a = 0; a < 3; ++a) m[a] = std::max(std::abs(n[a]), 1e-3);
  const double from_corner = s + 0.5 * (m[0] + m[1] + m[2]);
  double sum = 0;
  for (int c = 0; c < 8; ++c) {
    const double off = (c & 1 ? m[0] : 0) + (c & 2 ? m[1] : 0) + (c & 4 ? m[2] : 0);
    const bool odd = (c ^ (c >> 1) ^ (c >> 2)) & 1;
    sum += (odd ? -1 : 1) * cube(std::max(0.0, from_corner - off));
  }
  return std::clamp(sum / (6 * m[0] * m[1] * m[2]), 0.0, 1.0);
}

}  // namespace rtsim
