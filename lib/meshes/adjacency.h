#pragma once
#include <string>
#include <vector>

#include "meshes/add_mesh.h"

// Who is beside whom in a mesh, on the host.
namespace rtsim {

// Two triangles over one edge: the edge's ends, then the point opposite in either triangle, first
// of the triangle that runs through the edge from corner 0 to corner 1.
using Hinge = std::array<CellMesh::Corner, 4>;

// A hinge of every inner edge, in order of the edges' ends, the lower end first. Of an edge with
// more than two triangles, one of each triangle with the next. Triangles that are folded onto each
// other, point on point, make none.
std::vector<Hinge> hinges_of(const std::vector<CellMesh::Triangle>&);

// What lies over a side of a triangle: -1 of a rim.
struct Across {
  Index triangle = -1;
  CellMesh::Corner opposite = -1;
};

// Over the sides of each triangle, each opposite the corner of its number; hinges as above. Of more
// than two triangles at an edge the next, and over the last one's side the one before it.
std::vector<std::array<Across, 3>> across_sides(const std::vector<CellMesh::Triangle>&);

// Whether every edge has two triangles that run through it in opposite senses.
bool closed(const std::vector<CellMesh::Triangle>&);

// Where each point stands in a list of cells: slots first[p] to first[p + 1], each the number of a
// cell times its corners plus which of them the point is, in order of the cells.
struct Incidence {
  std::vector<Index> first;  // of each point, and one more
  std::vector<Index> slots;
};

// Of slots that are said by each(visit), which calls visit(point, slot) for each in their order,
// twice.
template <class Each>
Incidence incidence_by_visits(std::size_t points, const Each& each) {
  Incidence at{std::vector<Index>(points + 1), {}};
  each([&](CellMesh::Corner p, Index) { ++at.first[std::size_t(p) + 1]; });
  for (std::size_t p = 0; p < points; ++p) at.first[p + 1] += at.first[p];
  at.slots.resize(std::size_t(at.first.back()));
  std::vector<Index> next(at.first.begin(), at.first.end() - 1);
  each([&](CellMesh::Corner p, Index slot) {
    at.slots[std::size_t(next[std::size_t(p)]++)] = slot;
  });
  return at;
}

// Corners below 0 are none.
template <std::size_t N>
Incidence incidence_of(std::size_t points,
                       const std::vector<std::array<CellMesh::Corner, N>>& cells) {
  return incidence_by_visits(points, [&](const auto& visit) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      for (std::size_t k = 0; k < N; ++k)
        if (cells[i][k] >= 0) visit(cells[i][k], Index(N * i + k));
  });
}

// The corners in a table of cells; none where there is no such table.
template <std::size_t N>
std::vector<std::array<CellMesh::Corner, N>> corners_of(World& world, const std::string& table) {
  std::vector<std::array<CellMesh::Corner, N>> cells;
  if (!world.has_table(table)) return cells;
  for (const auto& c : world.table(table).download<Corners<int(N)>>("corners")) {
    cells.emplace_back();
    for (std::size_t k = 0; k < N; ++k) cells.back()[k] = c[int(k)];
  }
  return cells;
}

// Which cells of a table are torn, see deformables/tearing.h; empty where none can be.
inline Span<const std::uint32_t> torn_of(Table& cells) {
  if (!cells.has("torn")) return {};
  return cells.column<const std::uint32_t>("torn");
}

// Those that are not.
template <std::size_t N>
std::vector<std::array<CellMesh::Corner, N>> intact_of(World& world, const std::string& table) {
  auto cells = corners_of<N>(world, table);
  if (cells.empty() || !world.table(table).has("torn")) return cells;
  const auto torn = world.table(table).download<std::uint32_t>("torn");
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (!torn[i]) cells[kept++] = cells[i];
  cells.resize(kept);
  return cells;
}

}  // namespace rtsim
