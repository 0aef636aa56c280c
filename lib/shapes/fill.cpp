#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "shapes/lattice.h"
#include "shapes/rotation.h"
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

// Cells that tile a block: centres corner + sum_a (i_a + 1/2) step_a axis_a.
struct Tiles {
  Vec3d corner, axis[3] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};
  double step[3] = {0, 0, 0};  // [m]; in 2D the third is none
  Cell count{1, 1, 1};

  Vec3d centre(const Cell& i) const {
    Vec3d x = corner;
    for (int a = 0; a < 3; ++a) x = x + ((double(i[a]) + 0.5) * step[a]) * axis[a];
    return x;
  }
  double spacing(int dim) const {
    bool cubic = true;
    double volume = 1;
    for (int a = 0; a < dim; ++a) volume *= step[a], cubic = cubic && step[a] == step[0];
    return cubic ? step[0] : std::pow(volume, 1.0 / dim);
  }
};

Tiles cubic_tiles(const Bounds& b, double spacing, int dim) {
  const CellRange cells = cells_between({b.min, spacing, dim}, b.min, b.max);
  Tiles t{b.min};
  for (int a = 0; a < dim; ++a) t.step[a] = spacing, t.count[a] = cells.high[a] - cells.low[a];
  if (dim == 2) t.corner[2] = 0;
  return t;
}

// A box that may be turned: a corner and the edges from it.
struct Block {
  Vec3d corner, edges[3];  // [m]; in 2D the third is zero
};

// The block whose flat faces bound a shape, if there is one.
std::optional<Block> block_of(const ShapeSpec& s, int dim) {
  std::optional<Block> block;
  if (s.inside) return block;
  if (!s.difference.empty()) block = block_of(s.difference[0], dim);
  if (s.box) {
    block.emplace(Block{s.box->min, {}});
    for (int a = 0; a < dim; ++a) block->edges[a][a] = s.box->max[a] - s.box->min[a];
  }
  if (!block) return block;
  const TransformSpec& t = s.transform;
  const Rotation r = rotation_about(dim == 2 ? Vec3d{{0, 0, 1}} : t.axis, t.angle * pi / 180);
  block->corner = t.translate + r.apply(t.scale * block->corner);
  for (Vec3d& e : block->edges) e = r.apply(t.scale * e);
  if (dim == 2) block->corner[2] = 0;
  return block;
}

// As many cells as come nearest to the spacing; sides of whole spacings keep it to the bit.
Tiles fitted_tiles(const Block& block, double spacing, int dim) {
  constexpr double whole = 1e-6;  // of a spacing
  Tiles t{block.corner};
  for (int a = 0; a < dim; ++a) {
    const double side = norm(block.edges[a]), n = std::round(side / spacing);
    t.count[a] = std::int64_t(n);
    t.step[a] = n == 0 || std::abs(side - n * spacing) <= whole * spacing ? spacing : side / n;
    for (int c = 0; c < 3; ++c) t.axis[a][c] = block.edges[a][c] / side;
  }
  return t;
}

// Along a row of cells from `first`, calls inside(i) for those whose centre is within the shape. A
// distance changes no faster than the point moves, so from one point of distance d all others
// nearer than |d| lie on its side, and need no look (after Hart, "Sphere tracing", 1996). A point
// on the surface, to 1e-6 of a step, is out.
template <class Inside>
void march(const Shape& shape, const Tiles& tiles, Cell first, Inside inside) {
  const double step = tiles.step[0], skin = 1e-6 * step;
  const std::int64_t n = tiles.count[0];
  for (Cell at = first; at[0] < n;) {
    const double d = shape.distance(tiles.centre(at));
    const double alike = std::min(std::ceil((std::abs(d) - skin) / step), double(n - at[0]));
    const std::int64_t next = at[0] + std::max<std::int64_t>(1, std::int64_t(alike));
    for (; at[0] < next; ++at[0])
      if (d < -skin) inside(at[0]);
  }
}

std::vector<Vec3d> points_inside(const Shape& shape, const Tiles& tiles) {
  std::vector<Vec3d> points;
  for (std::int64_t k = 0; k < tiles.count[2]; ++k)
    for (std::int64_t j = 0; j < tiles.count[1]; ++j)
      march(shape, tiles, {0, j, k}, [&](std::int64_t i) {
        points.push_back(tiles.centre({i, j, k}));
      });
  return points;
}

// The part of a tile that lies inside, by finer tiles where the surface may pass through it.
double part_covered(const Shape& shape, const Tiles& tiles, const Cell& i, int dim) {
  double diagonal2 = 0;
  for (int a = 0; a < dim; ++a) diagonal2 += tiles.step[a] * tiles.step[a];
  const Vec3d x = tiles.centre(i);
  const double d = shape.distance(x);
  if (std::abs(d) > 0.5 * std::sqrt(diagonal2)) return d < 0 ? 1 : 0;
  const int n = dim == 2 ? 16 : 6;
  Tiles finer = tiles;
  double parts = 1;
  for (int a = 0; a < dim; ++a) {
    finer.corner = finer.corner + (double(i[a]) * tiles.step[a]) * tiles.axis[a];
    finer.step[a] = tiles.step[a] / n, finer.count[a] = n, parts *= n;
  }
  return double(points_inside(shape, finer).size()) / parts;
}

double tiles_covered(const Shape& shape, const Tiles& tiles, int dim) {
  double sum = 0;
  for (std::int64_t k = 0; k < tiles.count[2]; ++k)
    for (std::int64_t j = 0; j < tiles.count[1]; ++j)
      for (std::int64_t i = 0; i < tiles.count[0]; ++i)
        sum += part_covered(shape, tiles, {i, j, k}, dim);
  return sum;
}

}  // namespace

std::vector<Vec3d> fill_lattice(const Shape& shape, double spacing, int dim) {
  check_fillable(shape, dim);
  return points_inside(shape, cubic_tiles(shape.bounds(), spacing, dim));
}

Fill fitted_fill(const ShapeSpec& spec, const Shape& shape, double spacing, int dim) {
  check_fillable(shape, dim);
  Tiles tiles = cubic_tiles(shape.bounds(), spacing, dim);  // throws where they are too many
  const std::optional<Block> block = block_of(spec, dim);
  if (block) tiles = fitted_tiles(*block, spacing, dim);
  Fill fill{points_inside(shape, tiles), tiles.spacing(dim)};
  if (!block || fill.points.empty()) return fill;
  const double room = tiles_covered(shape, tiles, dim) / double(fill.points.size());
  if (std::abs(room - 1) > 1e-9) fill.spacing *= std::pow(room, 1.0 / dim);
  return fill;
}

double estimate_volume(const Shape& shape, int dim) {
  check_fillable(shape, dim);
  constexpr int n = 48;
  const Bounds b = shape.bounds();
  Tiles tiles{b.min};
  double cell = 1;
  for (int a = 0; a < dim; ++a)
    tiles.count[a] = n, tiles.step[a] = (b.max[a] - b.min[a]) / n, cell *= tiles.step[a];
  if (!(tiles.step[0] > 0)) return 0;
  std::int64_t count = 0;
  for (std::int64_t k = 0; k < tiles.count[2]; ++k)
    for (std::int64_t j = 0; j < tiles.count[1]; ++j)
      march(shape, tiles, {0, j, k}, [&](std::int64_t) { ++count; });
  return double(count) * cell;
}

}  // namespace rtsim
