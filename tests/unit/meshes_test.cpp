#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>

#include "meshes/add_mesh.h"
#include "meshes/cell_fill.h"
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

namespace {

double weighed(const CellMesh& m) { return std::accumulate(m.volume.begin(), m.volume.end(), 0.0); }

ShapeSpec boxes_in_an_angle() {
  ShapeSpec low, high, both;
  low.box = BoxSpec{{{0, 0, 0}}, {{2, 1, 1}}};
  high.box = BoxSpec{{{0, 0, 0}}, {{1, 3, 1}}};
  both.any_of = {low, high};
  return both;
}

}  // namespace

// Cells are cut by the surface down to an eighth, and there by a plane: what round surfaces and
// edges lose is of the order of (spacing / 8)^2 / size^2.
TEST_CASE("meshes: a solid weighs what its shape does, however it lies in the lattice") {
  CellMeshSpec s;
  for (const double spacing : {0.31, 0.17})
    for (const TransformSpec& t :
         {TransformSpec{}, TransformSpec{{{3, -1, 0.7}}, {{1, 2, 3}}, 37, 1},
          TransformSpec{{{0.1, 0, 0}}, {{-2, 1, 0.3}}, 211, 1.7}}) {
      ShapeSpec angle = boxes_in_an_angle(), ball;
      ball.sphere = SphereSpec{{{1, 0, 0}}, 0.9};
      angle.transform = ball.transform = t;
      const double scale = t.scale * t.scale * t.scale;
      s.solid = SolidSpec{{angle}, spacing * t.scale};
      CHECK(weighed(make_cells(s)) == Approx(4 * scale).epsilon(2e-3));
      s.solid = SolidSpec{{ball}, spacing * t.scale};
      CHECK(weighed(make_cells(s)) ==
            Approx(4.0 / 3 * 3.14159265358979 * 0.729 * scale).epsilon(2e-3));
    }
}

TEST_CASE("meshes: a solid's points weigh with the density, scaled as they are placed") {
  CellMeshSpec s;
  ShapeSpec cube;
  cube.box = BoxSpec{{{0, 0, 0}}, {{0.7, 0.7, 0.7}}};
  s.solid = SolidSpec{{cube}, 0.1};
  s.transform.scale = 1.3, s.transform.angle = 50;
  const CellMesh m = make_cells(s);
  World world(Exec::cpu(1), 3);
  add_mesh(world, "m", m, {170.0, {}}, {});
  const auto mass = world.table("m").download<Real>("mass");
  CHECK(std::accumulate(mass.begin(), mass.end(), 0.0) ==
        Approx(170 * 1.3 * 1.3 * 1.3 * 0.343).epsilon(1e-3));
  // A corner has one cell's eighth, and points amid whole cells.
  const auto [least, most] = std::ranges::minmax(m.volume);
  CHECK(most == Approx(0.001 * 1.3 * 1.3 * 1.3));
  CHECK(least == Approx(most / 8).epsilon(0.01));
}

TEST_CASE("meshes: the part of a cube below a plane has its closed form") {
  const double third = 1 / std::sqrt(3.0);
  for (const double s : {-0.4, -0.1, 0.3}) {
    CHECK(cube_below_plane({{0, -1, 0}}, s) == Approx(0.5 + s).margin(2e-3));
    const double diagonal = 0.5 / third, a = (s + diagonal) / third;  // cut off each axis
    if (a < 1) CHECK(cube_below_plane({{third, third, -third}}, s) == Approx(a * a * a / 6));
    const Vec3d n{{0.6, -0.48, 0.64}};
    CHECK(cube_below_plane(n, s) + cube_below_plane(n, -s) == Approx(1));
    int below = 0;
    constexpr int side = 60;
    for (int i = 0; i < side * side * side; ++i) {
      const Vec3d x{{(i % side + 0.5) / side - 0.5, (i / side % side + 0.5) / side - 0.5,
                     (i / side / side + 0.5) / side - 0.5}};
      below += dot(n, x) <= s;
    }
    CHECK(cube_below_plane(n, s) == Approx(below / double(side * side * side)).margin(1e-3));
  }
  CHECK(cube_below_plane({{0.6, 0.8, 0}}, -0.8) == Approx(0).margin(1e-12));
  CHECK(cube_below_plane({{0.6, 0.8, 0}}, 0.8) == Approx(1));
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
  add_mesh(world, "m", m, {1000.0, {}}, std::vector<Vec3d>(m.points.size(), Vec3d{{0, 1, 0}}));
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
  s.nodes = NodesSpec{points, {}, {}, {0, 1, 2, 3}, {}};
  CHECK_THROWS_WITH(make_cells(s), Contains("1 of 1 tets have no volume"));
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
