#include <catch2/catch.hpp>
#include <map>
#include <numeric>

#include "meshes/add_mesh.h"
#include "meshes/mesh_spec.h"

using namespace rtsim;
using Catch::Contains;

namespace {

CellMeshSpec block(double nx, double ny, double nz) {
  CellMeshSpec s;
  s.block = BlockSpec{{{0, 0, 0}}, {{1, 2, 3}}, {nx, ny, nz}};
  return s;
}

double volume(const CellMesh& m) {
  double v = 0;
  for (const auto& t : m.tets) {
    CHECK(volume_of(m, t) > 0);
    v += volume_of(m, t);
  }
  return v;
}

// Signed volume under a surface: that of the solid where it is closed and faces outwards.
double volume_inside(const CellMesh& m, const std::vector<CellMesh::Triangle>& surface) {
  double v = 0;
  for (const auto& t : surface)
    v += dot(m.points[std::size_t(t[0])],
             cross(m.points[std::size_t(t[1])], m.points[std::size_t(t[2])])) /
         6;
  return v;
}

}  // namespace

TEST_CASE("meshes: a sheet has its rows of points, triangles of equal area, and no hole") {
  CellMeshSpec s;
  s.sheet = SheetSpec{{{0, 0, 0}}, {{2, 0, 0}}, {{0, 0, 1}}, {8, 4}, true};
  for (const bool alternate : {true, false}) {
    s.sheet->alternate = alternate;
    const CellMesh m = make_cells(s);
    CHECK(m.points.size() == 9 * 5);
    CHECK(m.sheet[0] == 9);
    CHECK(m.sheet[1] == 5);
    CHECK(m.triangles.size() == 2 * 8 * 4);
    for (const auto& t : m.triangles) CHECK(area_of(m, t) == Approx(2.0 / (2 * 8 * 4)));
    // Euler's characteristic of a disc.
    const auto edges = all_edges(m);
    CHECK(int(m.points.size()) - int(edges.size()) + int(m.triangles.size()) == 1);
  }
}

TEST_CASE("meshes: a block is filled by tets whose surface is its own") {
  const CellMesh m = make_cells(block(2, 3, 4));
  CHECK(m.tets.size() == 5 * 2 * 3 * 4);
  CHECK(volume(m) == Approx(6));
  const auto surface = boundary_of(m.tets);
  CHECK(surface.size() == 2 * 2 * (2 * 3 + 3 * 4 + 4 * 2));
  CHECK(volume_inside(m, surface) == Approx(6));
  // Closed: every edge of the surface goes once each way.
  std::map<std::pair<int, int>, int> ways;
  for (const auto& t : surface)
    for (std::size_t k = 0; k < 3; ++k) ways[{t[k], t[(k + 1) % 3]}] += 1;
  for (const auto& [edge, count] : ways) {
    CHECK(count == 1);
    CHECK(ways.contains({edge.second, edge.first}));
  }
}

TEST_CASE("meshes: a solid covers its shape, to within the cells at its surface") {
  CellMeshSpec s;
  ShapeSpec ball;
  ball.sphere = SphereSpec{{{1, 0, 0}}, 0.5};
  s.solid = SolidSpec{{ball}, 0.05};
  const CellMesh m = make_cells(s);
  const double exact = 4.0 / 3 * 3.14159265358979 * 0.125;
  // Cells whose middle lies less than half a side outside are kept: a ball half a side larger.
  const double larger = exact * 1.1 * 1.1 * 1.1 * 1.0;
  CHECK(volume(m) > exact * 1.1);
  CHECK(volume(m) == Approx(exact * 1.05 * 1.05 * 1.05).epsilon(0.03));
  CHECK(volume(m) < larger);
  CHECK(volume_inside(m, boundary_of(m.tets)) == Approx(volume(m)));
}

TEST_CASE("meshes: a transform places points, and tets that it mirrors stay positive") {
  CellMeshSpec s = block(1, 1, 1);
  s.transform.translate = {{5, 0, 0}};
  s.transform.axis = {{0, 0, 1}}, s.transform.angle = 90, s.transform.scale = 2;
  const CellMesh m = make_cells(s);
  CHECK(volume(m) == Approx(48));
  CHECK(norm(m.points[1] - Vec3d{{5, 2, 0}}) < 1e-12);  // (1, 0, 0) doubled and turned
  NodesSpec inverted{
      {{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}}, {}, {}, {0, 2, 1, 3}, {}};
  CellMeshSpec n;
  n.nodes = inverted;
  CHECK(volume(make_cells(n)) == Approx(1.0 / 6));
}

TEST_CASE("meshes: points share the mass of their cells") {
  World world(Exec::cpu(1), 3);
  const CellMesh m = make_cells(block(2, 2, 2));
  add_mesh(world, "m", m, {1000.0, {}}, {{0, 1, 0}});
  const auto mass = world.table("m").download<Real>("mass");
  const auto inverse = world.table("m").download<Real>("inverse_mass");
  CHECK(std::accumulate(mass.begin(), mass.end(), 0.0) == Approx(6000));
  for (std::size_t i = 0; i < mass.size(); ++i) CHECK(mass[i] * inverse[i] == Approx(1));
  CHECK(world.table("m.tets").rows() == 40);
  CHECK(world.table("m.edges").rows() == Index(all_edges(m).size()));
  CHECK(world.table("m.triangles").rows() == 48);
}

TEST_CASE("meshes: what no solver could use is refused, with its place") {
  CellMeshSpec s;
  const std::vector<Vec3d> points = {{{0, 0, 0}}, {{1, 0, 0}}, {{2, 0, 0}}, {{0, 1, 0}}};
  s.nodes = NodesSpec{points, {}, {0, 1, 3, 0, 1, 2}, {}, {}};
  CHECK_THROWS_WITH(make_cells(s),
                    Contains("1 of 2 triangles have no area") && Contains("0, 1, 2"));
  s.nodes = NodesSpec{points, {0, 1, 2, 2}, {}, {}, {}};
  CHECK_THROWS_WITH(make_cells(s), Contains("1 of 2 edges have no length"));
  s.nodes = NodesSpec{points, {}, {}, {}, {}};
  CHECK_THROWS_WITH(make_cells(s), Contains("joins no points"));
  s.nodes = NodesSpec{points, {}, {0, 1, 3, 3, 0, 1}, {}, {}};
  CHECK_THROWS_WITH(make_cells(s), Contains("two triangles have the same points 0, 1, 3"));
  World world(Exec::cpu(1), 3);
  s.nodes = NodesSpec{points, {0, 1, 1, 2}, {}, {}, {}};
  CHECK_THROWS_WITH(add_mesh(world, "m", make_cells(s), {1.0, {}}, {}),
                    Contains("1 of 4 points have no mass, the first is number 3"));
  CHECK_THROWS_WITH(add_mesh(world, "m", make_cells(s), {}, {}), Contains("has no mass"));
}
