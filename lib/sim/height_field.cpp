#include "sim/height_field.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.h"

namespace rtsim {

namespace {

using Shapes = std::vector<std::unique_ptr<Shape>>;

// Where a ray that falls along y meets the solid, if it does: steps of the distance cannot pass it.
std::optional<double> top_below(const Shape& solid, Vec3d x, double step) {
  const Bounds b = solid.bounds();
  const double far = 1e6 * step, low = std::isfinite(b.min[1]) ? b.min[1] : -far;
  x[1] = std::isfinite(b.max[1]) ? b.max[1] + step : far;
  if (!std::isfinite(b.max[1]) && solid.distance(x) <= 0)
    throw Error(
        ExitCode::bad_input,
        "a shape has no top: it fills all the space above (\"inside\": true, or a plane that "
        "faces down); a ground or a water needs one");
  while (x[1] >= low) {
    const double d = solid.distance(x);
    if (d <= 1e-6 * step) return x[1];
    x[1] -= std::max(d, 1e-6 * step);
  }
  return std::nullopt;
}

// The highest of all, or nothing.
std::optional<double> top_of(const Shapes& solids, const Vec3d& x, double step) {
  std::optional<double> top;
  for (const auto& s : solids)
    if (const auto y = top_below(*s, x, step); y && (!top || *y > *top)) top = y;
  return top;
}

// Heights are whole multiples of this: then ground plus depth is the level of a lake to the last
// bit, and it stays at rest.
double unit_of(const std::vector<double>& ground, const std::vector<double>& level) {
  double greatest = 0;
  for (const double y : ground) greatest = std::max(greatest, std::abs(y));
  for (const double y : level) greatest = std::max(greatest, std::abs(y));
  return std::exp2(std::ceil(std::log2(std::max(greatest, 1e-30))) -
                   (std::numeric_limits<Real>::digits - 2));
}

}  // namespace

void add_columns_of_water(Table& t, const GridShape& grid, const Shapes& bed, const Shapes& fill) {
  std::vector<double> low, high;
  for (Index c = 0; c < t.rows(); ++c) {
    const Vec3d x = grid.centre(c);
    low.push_back(top_of(bed, x, grid.spacing).value_or(0));
    high.push_back(std::max(low.back(), top_of(fill, x, grid.spacing).value_or(low.back())));
  }
  const double unit = unit_of(low, high);
  std::vector<Real> ground, depth;
  for (std::size_t c = 0; c < low.size(); ++c) {
    const double b = unit * std::round(low[c] / unit);
    ground.push_back(Real(b));
    depth.push_back(Real(unit * std::round(high[c] / unit) - b));
  }
  t.add<Real>({"bed", "m"}, ground);
  t.add<Real>({"depth", "m"}, depth);
}

}  // namespace rtsim
