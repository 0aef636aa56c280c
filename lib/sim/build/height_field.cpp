#include "sim/build/height_field.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.h"
#include "shapes/line_cut.h"

namespace rtsim {

namespace {

using Shapes = std::vector<std::shared_ptr<const Shape>>;

// The solids as lines cut them.
std::vector<ShapeParts> parts_of(const Shapes& solids) {
  std::vector<ShapeParts> all;
  for (const auto& s : solids) all.emplace_back(*s);
  return all;
}

// Where a ray that falls along y through x meets the highest of the solids, if it meets one.
std::optional<double> top_of(const std::vector<ShapeParts>& solids, Vec3d x) {
  x[1] = 0;  // so that a place on the line is its height
  std::optional<double> top;
  for (const ShapeParts& s : solids) {
    const std::vector<Stretch> inside = cut_line(s, x, {{0, 1, 0}});
    if (inside.empty()) continue;
    const double y = inside.back().to;
    if (!std::isfinite(y))
      throw Error(
          ExitCode::bad_input,
          "a shape has no top: it fills all the space above (\"inside\": true, or a plane that "
          "faces down); a ground or a water needs one");
    if (!top || y > *top) top = y;
  }
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
  const std::vector<ShapeParts> ground_parts = parts_of(bed), water_parts = parts_of(fill);
  std::vector<double> low, high;
  for (Index c = 0; c < t.rows(); ++c) {
    const Vec3d x = grid.centre(c);
    low.push_back(top_of(ground_parts, x).value_or(0));
    high.push_back(std::max(low.back(), top_of(water_parts, x).value_or(low.back())));
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
