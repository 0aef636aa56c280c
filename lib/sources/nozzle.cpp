#include "sources/nozzle.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace rtsim {
namespace {

constexpr int fine = 128;  // points an axis of the cut, for its area

Vec3d unit(const Vec3d& v) { return (1 / norm(v)) * v; }

// Along the axes where `direction` is along one, so that a lattice along the axes goes on.
void span_plane(Cut& cut, const Vec3d& direction, int dim) {
  const Vec3d n = unit(direction);
  if (dim == 2) {
    cut.across[0] = {{-n[1], n[0], 0}};
    return;
  }
  int least = 0;
  for (int a = 1; a < 3; ++a)
    if (std::abs(n[a]) < std::abs(n[least])) least = a;
  Vec3d axis;
  axis[least] = 1;
  cut.across[0] = unit(axis - n[least] * n);
  cut.across[1] = cross(n, cut.across[0]);
}

double area_of(const Shape& shape, const Cut& cut, int dim) {
  const double a = 2 * cut.half[0] / fine, b = 2 * cut.half[1] / fine;
  int inside = 0;
  for (int j = 0; j < (dim == 3 ? fine : 1); ++j)
    for (int i = 0; i < fine; ++i) {
      const double y = dim == 3 ? (j + 0.5) * b - cut.half[1] : 0;
      inside += shape.distance(cut.at((i + 0.5) * a - cut.half[0], y)) < 0;
    }
  return inside * a * (dim == 3 ? b : 1);
}

// offset: where the points lie between multiples of the spacing, 0 or 1/2. A point on the surface,
// to 1e-6 of a spacing, is out.
std::vector<Vec3d> points_inside(const Shape& shape, const Cut& cut, double spacing,
                                 const double (&offset)[2], int dim) {
  const int n = int(std::ceil(cut.half[0] / spacing)) + 1;
  const int m = dim == 3 ? int(std::ceil(cut.half[1] / spacing)) + 1 : 0;
  std::vector<Vec3d> points;
  for (int j = -m; j <= m; ++j)
    for (int i = -n; i <= n; ++i) {
      const double b = dim == 3 ? (j + offset[1]) * spacing : 0;
      const Vec3d x = cut.at((i + offset[0]) * spacing, b);
      if (shape.distance(x) < -1e-6 * spacing) points.push_back(x);
    }
  return points;
}

}  // namespace

Cut plane_of_cut(const Shape& shape, const Vec3d& direction, int dim) {
  const Bounds b = shape.bounds();
  Cut cut;
  span_plane(cut, direction, dim);
  for (int a = 0; a < dim; ++a) {
    if (!std::isfinite(b.min[a]) || !std::isfinite(b.max[a]) || !shape.closed())
      throw Error(ExitCode::bad_input,
                  "particles cannot leave a shape without end or without inside (a plane, a height "
                  "map, \"inside\": true, a mesh that is not closed); use a box or a cylinder");
    cut.middle[a] = 0.5 * (b.min[a] + b.max[a]);
    for (int k = 0; k < 2; ++k)
      cut.half[k] += 0.5 * (b.max[a] - b.min[a]) * std::abs(cut.across[k][a]);
  }
  return cut;
}

Cut cut_through(const Shape& shape, const Vec3d& direction, double spacing, int dim) {
  Cut cut = plane_of_cut(shape, direction, dim);
  const double area = area_of(shape, cut, dim), of_point = dim == 3 ? spacing * spacing : spacing;
  if (area > 1e8 * of_point)
    throw Error(ExitCode::bad_input,
                fmt::format("a layer would have {:.2g} particles; use a smaller shape or a larger "
                            "spacing",
                            area / of_point));
  constexpr double offsets[4][2] = {{0.5, 0.5}, {0, 0.5}, {0.5, 0}, {0, 0}};
  std::vector<Vec3d>& best = cut.points;
  double least = area;  // of no points
  for (int k = 0; k < (dim == 3 ? 4 : 2); ++k) {
    std::vector<Vec3d> points = points_inside(shape, cut, spacing, offsets[k], dim);
    const double error = std::abs(double(points.size()) * of_point - area);
    if (points.empty() || (!best.empty() && error > least - 1e-6 * of_point)) continue;
    least = error;
    best = std::move(points);
  }
  return cut;
}

Cut cut_shape(const Shape& shape, const Vec3d& direction, double spacing, int dim) {
  Cut cut = cut_through(shape, direction, spacing, dim);
  if (cut.points.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("its cut through the middle, across the velocity, holds no lattice "
                            "point of spacing {} m; use a larger shape",
                            spacing));
  return cut;
}

}  // namespace rtsim
