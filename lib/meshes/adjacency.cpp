#include "meshes/adjacency.h"

#include <algorithm>
#include <tuple>

namespace rtsim {

namespace {

using Corner = CellMesh::Corner;

// One side of a triangle.
struct Side {
  Corner low, high;
  Corner triangle;
  Corner opposite;
  std::uint8_t number;  // of the corner opposite
  bool forward;         // the triangle runs from low to high

  bool same_edge(const Side& o) const { return low == o.low && high == o.high; }
};

// Sides of one edge stand together, in order of their triangles.
std::vector<Side> sorted_sides(const std::vector<CellMesh::Triangle>& triangles) {
  std::vector<Side> sides;
  sides.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const Corner a = triangles[t][k], b = triangles[t][(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), Corner(t), triangles[t][(k + 2) % 3],
                       std::uint8_t((k + 2) % 3), a < b});
    }
  std::ranges::sort(sides, [](const Side& a, const Side& b) {
    return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
  });
  return sides;
}

}  // namespace

std::vector<Hinge> hinges_of(const std::vector<CellMesh::Triangle>& triangles) {
  const std::vector<Side> sides = sorted_sides(triangles);
  std::vector<Hinge> hinges;
  for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
    const Side &a = sides[i], &b = sides[i + 1];
    if (!a.same_edge(b) || a.opposite == b.opposite) continue;
    const bool first = a.forward;
    hinges.push_back(
        {a.low, a.high, first ? a.opposite : b.opposite, first ? b.opposite : a.opposite});
  }
  return hinges;
}

std::vector<std::array<Across, 3>> across_sides(const std::vector<CellMesh::Triangle>& triangles) {
  const std::vector<Side> sides = sorted_sides(triangles);
  std::vector<std::array<Across, 3>> all(triangles.size());
  for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
    const Side &a = sides[i], &b = sides[i + 1];
    if (!a.same_edge(b) || a.opposite == b.opposite) continue;
    all[std::size_t(a.triangle)][a.number] = {b.triangle, b.opposite};
    Across& back = all[std::size_t(b.triangle)][b.number];
    if (back.triangle < 0) back = {a.triangle, a.opposite};
  }
  return all;
}

bool closed(const std::vector<CellMesh::Triangle>& triangles) {
  const std::vector<Side> sides = sorted_sides(triangles);
  for (std::size_t i = 0; i < sides.size(); i += 2) {
    if (i + 1 == sides.size() || !sides[i].same_edge(sides[i + 1])) return false;
    if (sides[i].forward == sides[i + 1].forward) return false;
    if (i + 2 < sides.size() && sides[i].same_edge(sides[i + 2])) return false;
  }
  return !triangles.empty();
}

}  // namespace rtsim
