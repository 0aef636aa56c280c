#include "meshes/adjacency.h"

#include <catch2/catch.hpp>
#include <set>

#include "meshes/colouring.h"
#include "meshes/mesh_spec.h"

using namespace rtsim;

namespace {

CellMesh sheet(double nu, double nv) {
  CellMeshSpec s;
  s.sheet.emplace().cells = {nu, nv};
  return make_cells(s);
}

}  // namespace

TEST_CASE("adjacency: a sheet has a hinge on every edge that is not on its rim") {
  const CellMesh m = sheet(4, 3);
  const auto hinges = hinges_of(m.triangles);
  CHECK(hinges.size() == all_edges(m).size() - 2 * (4 + 3));
  std::set<std::array<int, 2>> edges;
  for (const Hinge& h : hinges) {
    CHECK(h[0] < h[1]);
    CHECK(edges.insert({h[0], h[1]}).second);
    CHECK(std::set<int>(h.begin(), h.end()).size() == 4);
  }
}

TEST_CASE("adjacency: the first triangle of a hinge runs along its edge") {
  for (const CellMesh::Triangle& t : {CellMesh::Triangle{0, 1, 2}, CellMesh::Triangle{2, 0, 1}}) {
    const auto hinges = hinges_of({{1, 0, 3}, t});
    REQUIRE(hinges.size() == 1);
    CHECK(hinges[0] == Hinge{0, 1, 2, 3});
  }
}

TEST_CASE("adjacency: an edge of three triangles has two hinges, a doubled triangle none") {
  CHECK(hinges_of({{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}).size() == 2);
  CHECK(hinges_of({{0, 1, 2}, {1, 0, 2}}).empty());
}

TEST_CASE("adjacency: surfaces of tets are closed, sheets and flipped triangles are not") {
  CellMeshSpec s;
  s.block.emplace().max = {{1, 1, 1}};
  s.block->cells = {2, 2, 1};
  auto surface = boundary_of(make_cells(s).tets);
  CHECK(closed(surface));
  std::swap(surface[0][0], surface[0][1]);
  CHECK(!closed(surface));
  CHECK(!closed(sheet(2, 2).triangles));
  CHECK(!closed({}));
}

TEST_CASE("adjacency: each point finds itself in its cells") {
  const CellMesh m = sheet(3, 2);
  const Incidence at = incidence_of(m.points.size(), m.triangles);
  REQUIRE(at.slots.size() == 3 * m.triangles.size());
  for (std::size_t p = 0; p < m.points.size(); ++p)
    for (int k = at.first[p]; k < at.first[p + 1]; ++k) {
      const int slot = at.slots[std::size_t(k)];
      CHECK(m.triangles[std::size_t(slot / 3)][std::size_t(slot % 3)] == int(p));
      if (k > at.first[p]) CHECK(slot > at.slots[std::size_t(k - 1)]);
    }
}

TEST_CASE("colouring: no two cells of a colour share a point, and each cell is there once") {
  const CellMesh m = sheet(7, 5);
  const auto hinges = hinges_of(m.triangles);
  const Colouring c = colour(m.points.size(), hinges);
  std::set<int> seen;
  for (std::size_t k = 0; k + 1 < c.first.size(); ++k) {
    std::set<int> points;
    for (int i = c.first[k]; i < c.first[k + 1]; ++i) {
      const int cell = c.order[std::size_t(i)];
      CHECK(seen.insert(cell).second);
      if (i > c.first[k]) CHECK(cell > c.order[std::size_t(i - 1)]);
      for (const int p : hinges[std::size_t(cell)]) CHECK(points.insert(p).second);
    }
  }
  CHECK(seen.size() == hinges.size());
}

TEST_CASE("colouring: a fan of a hundred edges needs a hundred colours, a chain two") {
  std::vector<CellMesh::Edge> fan, chain;
  for (int i = 0; i < 100; ++i) fan.push_back({0, i + 1}), chain.push_back({i, i + 1});
  CHECK(colour(101, fan).first.size() == 101);
  CHECK(colour(101, chain).first.size() == 3);
  CHECK(colour(1, std::vector<CellMesh::Edge>{}).first.size() == 1);
}

TEST_CASE("adjacency: what lies over the sides of a triangle is known by the corner opposite") {
  const auto across = across_sides({{0, 1, 2}, {3, 2, 1}});
  CHECK(across[0][0].triangle == 1);
  CHECK(across[0][0].opposite == 3);
  CHECK(across[0][1].triangle == -1);
  CHECK(across[0][2].triangle == -1);
  CHECK(across[1][0].triangle == 0);
  CHECK(across[1][0].opposite == 0);
}
