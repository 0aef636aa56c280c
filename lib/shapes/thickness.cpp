#include "shapes/thickness.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rtsim {

namespace {

constexpr double on_surface = 1e-3;       // spacings
constexpr double foot_on_surface = 0.05;  // spacings, of what is found by differences
constexpr int most_steps = 64;            // beside a surface they are short

// Where a ray along `n` comes to a surface that faces it, and does not go along it. Distances are
// 1-Lipschitz: a step as long as that at its start passes none.
double along(const Shape& shape, const Vec3d& x, const Vec3d& n, double most, double spacing) {
  const auto distance = [&](double t) { return std::abs(shape.distance(x + t * n)); };
  double t = 0;
  for (int k = 0; k < most_steps && t < most; ++k) {
    const double d = distance(t), back = 0.05 * spacing;
    if (d <= on_surface * spacing) return distance(t - back) > 0.5 * back ? t : infinity;
    t += d;
  }
  return infinity;
}

}  // namespace

Thickness thickness(const Shape& shape, const Vec3d& sample, double most, double spacing, int dim) {
  const double depth = -shape.distance(sample), e = 1e-4 * spacing;
  if (!(depth > on_surface * spacing)) return {infinity, infinity};
  Vec3d n;  // forward differences: in the middle of a sheet, towards one of its sides
  for (int a = 0; a < dim; ++a) {
    Vec3d beside = sample;
    beside[a] += e;
    n[a] = (shape.distance(beside) + depth) / e;
  }
  const double length = norm(n);
  if (!(length > 0)) return {infinity, infinity};
  n = (1 / length) * n;
  // Where several faces are as near as each other, differences point to none of them.
  if (std::abs(shape.distance(sample + depth * n)) > foot_on_surface * spacing)
    return {infinity, infinity};
  const double solid = depth + along(shape, sample, -n, most - depth, spacing);
  // The ray into the open starts a little off the surface.
  const double off = 0.1 * spacing;
  const double gap = off + along(shape, sample + (depth + off) * n, n, most - off, spacing);
  return {solid, gap};
}

}  // namespace rtsim
