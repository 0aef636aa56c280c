#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "shapes/lattice.h"
#include "shapes/sample.h"

namespace rtsim {
namespace {

void check_fillable(const Shape& shape, int dim) {
  const Bounds b = shape.bounds();
  for (int a = 0; a < dim; ++a)
    if (!std::isfinite(b.min[a]) || !std::isfinite(b.max[a]))
      throw Error(ExitCode::bad_input,
                  "cannot fill an infinite shape (a plane, a height map, or \"inside\": true); "
                  "intersect it with a box");
  if (!shape.closed())
    throw Error(ExitCode::bad_input,
                "cannot fill a mesh that is not closed; close its holes where it was made");
}

// Along a row of points `step` apart, calls inside(i) for each of the n points within the shape. A
// distance changes no faster than the point moves, so from one point of distance d all others
// nearer than |d| lie on its side, and need no look (after Hart, "Sphere tracing", 1996). A point
// on the surface, to 1e-6 of a step, is out.
template <class Inside>
void march(const Shape& shape, Vec3d start, double step, std::int64_t n, Inside inside) {
  const double skin = 1e-6 * step;
  for (std::int64_t i = 0; i < n;) {
    const Vec3d x{{start[0] + double(i) * step, start[1], start[2]}};
    const double d = shape.distance(x);
    const double alike = std::min(std::ceil((std::abs(d) - skin) / step), double(n - i));
    const std::int64_t next = i + std::max<std::int64_t>(1, std::int64_t(alike));
    for (; i < next; ++i)
      if (d < -skin) inside(i);
  }
}

}  // namespace

std::vector<Vec3d> fill_lattice(const Shape& shape, double spacing, int dim) {
  check_fillable(shape, dim);
  const Bounds b = shape.bounds();
  const Lattice lattice{b.min, spacing, dim};
  const CellRange cells = cells_between(lattice, b.min, b.max);
  std::vector<Vec3d> points;
  for (std::int64_t k = cells.low[2]; k < cells.high[2]; ++k)
    for (std::int64_t j = cells.low[1]; j < cells.high[1]; ++j)
      march(shape, lattice.centre({cells.low[0], j, k}), spacing, cells.high[0] - cells.low[0],
            [&](std::int64_t i) {
              points.push_back(lattice.centre({cells.low[0] + i, j, k}));
            });
  return points;
}

double estimate_volume(const Shape& shape, int dim) {
  check_fillable(shape, dim);
  constexpr int n = 48;
  const Bounds b = shape.bounds();
  const Vec3d cell = (1.0 / n) * (b.max - b.min);
  if (!(cell[0] > 0)) return 0;
  std::int64_t count = 0;
  for (int k = 0; k < (dim == 3 ? n : 1); ++k)
    for (int j = 0; j < n; ++j) {
      const Vec3d start = b.min + Vec3d{{0.5 * cell[0], (j + 0.5) * cell[1], (k + 0.5) * cell[2]}};
      march(shape, start, cell[0], n, [&](std::int64_t) { ++count; });
    }
  return double(count) * cell[0] * cell[1] * (dim == 3 ? cell[2] : 1);
}

}  // namespace rtsim
