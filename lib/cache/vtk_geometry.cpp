#include "cache/vtk_geometry.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace rtsim {

namespace {

constexpr std::uint8_t vtk_poly_vertex = 2, vtk_line = 3, vtk_triangle = 5, vtk_quad = 9,
                       vtk_tetra = 10;

std::uint8_t type_of(const FrameObject& o) {
  if (o.grid) return vtk_quad;
  if (o.kind == Kind::bodies) return vtk_triangle;
  if (o.kind != Kind::mesh) return vtk_poly_vertex;
  return o.cells.corners == 2 ? vtk_line : o.cells.corners == 3 ? vtk_triangle : vtk_tetra;
}

const FrameColumn* find(const FrameObject& o, const char* name) {
  const auto c = std::ranges::find(o.columns, name, &FrameColumn::name);
  return c == o.columns.end() ? nullptr : &*c;
}

Real number(const FrameColumn* c, Index row) {
  Real value = 0;
  if (c && c->type == element_type<Real>)
    std::memcpy(&value, c->bytes.data() + std::size_t(row) * sizeof(Real), sizeof value);
  return value;
}

// Centres of the cells; those of a height field lie on the water, or on the ground where it is dry.
std::vector<Real> cell_points(const FrameObject& o) {
  const FrameColumn *bed = find(o, "bed"), *depth = find(o, "depth");
  std::vector<Real> points;
  points.reserve(std::size_t(o.rows) * 3);
  for (Index c = 0; c < o.rows; ++c) {
    Vec3d x = o.grid->centre(c);
    if (o.kind == Kind::height_field) x[1] = double(number(bed, c)) + double(number(depth, c));
    for (int a = 0; a < 3; ++a) points.push_back(Real(x[a]));
  }
  return points;
}

// Counterclockwise as seen from +z in the plane, from above in a height field.
std::vector<std::int32_t> quads(const GridShape& g) {
  const bool flat = g.spans[1];
  const Index n = g.cells[0], m = flat ? g.cells[1] : g.cells[2];
  std::vector<std::int32_t> ids;
  for (Index j = 0; j + 1 < m; ++j)
    for (Index i = 0; i + 1 < n; ++i) {
      const Index c = i + n * j;
      if (flat)
        ids.insert(ids.end(), {c, c + 1, c + 1 + n, c + n});
      else
        ids.insert(ids.end(), {c, c + n, c + 1 + n, c + 1});
    }
  return ids;
}

}  // namespace

VtkGeometry::VtkGeometry(const FrameObject& o) {
  if (is_image(o)) return;
  std::size_t of_cell = std::size_t(o.rows), count = 1;
  if (o.grid) {
    points = cell_points(o);
    connectivity = quads(*o.grid), of_cell = 4;
  } else if (o.kind == Kind::bodies) {
    points = o.surface.points;
    connectivity = o.surface.triangles, of_cell = 3;
  } else if (o.kind == Kind::mesh) {
    connectivity = o.cells.points, of_cell = std::size_t(o.cells.corners);
  } else {
    connectivity.resize(std::size_t(o.rows));
    std::iota(connectivity.begin(), connectivity.end(), 0);
  }
  if (o.grid || o.kind == Kind::mesh || o.kind == Kind::bodies)
    count = connectivity.size() / of_cell;
  for (std::size_t c = 0; c <= count; ++c) offsets.push_back(std::int32_t(c * of_cell));
  types.assign(count, type_of(o));
  cells = {std::int64_t(count)}, ids = {std::int64_t(connectivity.size())};
}

}  // namespace rtsim
