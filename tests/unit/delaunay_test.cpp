#include "meshes/delaunay.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "meshes/mesh_spec.h"
#include "meshes/tet_quality.h"
#include "shapes_support.h"
#include "support/source_folder.h"

using namespace rtsim;
using namespace rtsim::testing;
using Catch::Contains;

namespace {

Vec3d at(const CellMesh& m, CellMesh::Corner p) { return m.points[std::size_t(p)]; }

// How far the points nearest to the middle of a tet's circumsphere reach into it, over its radius.
double deepest_in_spheres(const CellMesh& m) {
  double deepest = 0;
  for (const auto& t : m.tets) {
    const Vec3d o = at(m, t[0]), a = at(m, t[1]) - o, b = at(m, t[2]) - o, c = at(m, t[3]) - o;
    const Vec3d u = dot(a, a) * cross(b, c) + dot(b, b) * cross(c, a) + dot(c, c) * cross(a, b);
    const Vec3d away = (0.5 / dot(a, cross(b, c))) * u;
    const double radius = norm(away);
    for (const Vec3d& x : m.points) deepest = std::max(deepest, 1 - norm(x - o - away) / radius);
  }
  return deepest;
}

// Of the surface, by the divergence theorem: the sum of x . n dA / 3.
double volume_under(const CellMesh& m) {
  double sum = 0;
  for (const auto& t : boundary_of(m.tets))
    sum += dot(at(m, t[0]), cross(at(m, t[1]), at(m, t[2]))) / 6;
  return sum;
}

CellMesh filled(const ShapeSpec& shape, double spacing) {
  CellMeshSpec s;
  s.solid = SolidSpec{{shape}, spacing, SolidSpec::Method::delaunay};
  return make_cells(s);
}

}  // namespace

TEST_CASE("delaunay: spheres are empty, and the tets fill the hull to round-off") {
  CellMesh m;
  m.points = scatter(300, 1);
  for (int k = 0; k < 8; ++k)  // a cube around them, so that the hull is known
    m.points.push_back({{k & 1 ? 1.5 : -1.5, k & 2 ? 1.5 : -1.5, k & 4 ? 1.5 : -1.5}});
  m.tets = delaunay(m.points);
  CHECK(deepest_in_spheres(m) < 1e-10);
  CHECK(quality_of(m).volume == Approx(27).epsilon(1e-12));
  CHECK(volume_under(m) == Approx(27).epsilon(1e-12));
}

TEST_CASE("delaunay: points of a lattice, of which many are on one sphere, fill it none the less") {
  CellMesh m;
  for (int k = 0; k < 216; ++k)
    m.points.push_back({{double(k % 6), double(k / 6 % 6), double(k / 36)}});
  m.tets = delaunay(m.points);
  // Weights of up to 1e-9 x 3 x 2.5^2 under spheres of the radius sqrt(3)/2.
  CHECK(deepest_in_spheres(m) < 1.9e-8 / (2 * 0.75));
  CHECK(quality_of(m).volume == Approx(125).epsilon(1e-12));
}

// Eight points of each cube are on one sphere, and squares in one plane: six tets a cube or five,
// and none of them flat, whatever rounding makes of the places.
TEST_CASE("delaunay: tets of a lattice are those of cubes, and share their faces") {
  for (const int n : {2, 3, 6})
    for (const double angle : {0., 0.4}) {
      CellMesh m;
      const double c = 0.7 * std::cos(angle), s = 0.7 * std::sin(angle);
      for (int k = 0; k < n * n * n; ++k) {
        const double x = k % n, y = k / n % n;  // NOLINT: whole numbers
        m.points.push_back({{0.1 + c * x + s * y, c * y - s * x - 0.2, 0.7 * (k / (n * n))}});
      }
      m.tets = delaunay(m.points);
      const double cubes = std::pow(n - 1, 3);
      CHECK(double(m.tets.size()) >= 5 * cubes);
      CHECK(double(m.tets.size()) <= 6 * cubes);
      CHECK(quality_of(m).least_angle > 35);  // atan(1 / sqrt 2), of a cube's six
      CHECK(quality_of(m).volume == Approx(cubes * 0.343).epsilon(1e-12));
      CHECK(volume_under(m) == Approx(cubes * 0.343).epsilon(1e-12));
      CHECK(boundary_of(m.tets).size() == std::size_t(12 * (n - 1) * (n - 1)));
    }
}

TEST_CASE("delaunay: a box at an odd angle keeps its edges and all its volume") {
  ShapeSpec box;
  box.box = BoxSpec{{{-1, -0.6, -0.4}}, {{1, 0.6, 0.4}}};
  box.transform = {{{0.3, 2, -1}}, {{1, 2, 3}}, 33, 1.2};
  const CellMesh m = filled(box, 0.3);
  // Points of faces are found to 1e-6 of half a spacing.
  CHECK(quality_of(m).volume == Approx(1.92 * 1.728).epsilon(1e-6));
  CHECK(volume_under(m) == Approx(quality_of(m).volume).epsilon(1e-12));
}

TEST_CASE("delaunay: a ball's volume is that of its hull, and comes to the ball's") {
  ShapeSpec ball;
  ball.sphere = SphereSpec{{{0.3, 0, 0}}, 1};
  const double exact = 4.0 / 3 * 3.14159265358979;
  const auto lost = [&](double spacing) {
    const CellMesh m = filled(ball, spacing);
    CHECK(volume_under(m) == Approx(quality_of(m).volume).epsilon(1e-12));
    CHECK(quality_of(m).least_angle > 1);
    return exact - quality_of(m).volume;
  };
  const double order = std::log2(lost(0.4) / lost(0.2));
  CHECK(order > 1.6);
  CHECK(order < 2.6);
}

TEST_CASE("delaunay: what lies in a hollow of the shape is left out") {
  ShapeSpec outer, bore, cut;
  outer.box = BoxSpec{{{-1, -1, -1}}, {{1, 1, 1}}};
  bore.box = BoxSpec{{{-0.3, -2, -0.4}}, {{2, 2, 0.5}}};
  cut.difference = {outer, bore};
  const CellMesh m = filled(cut, 0.2);
  CHECK(quality_of(m).volume == Approx(8 - 1.3 * 2 * 0.9).epsilon(0.03));
  CHECK(volume_under(m) == Approx(quality_of(m).volume).epsilon(1e-12));
}

// Its circles put many points on one sphere, and four in one plane.
TEST_CASE("delaunay: flat tets of a round surface are done away with") {
  ShapeSpec ring;
  ring.mesh = MeshSpec{{source_folder() + "/configs/rigid/ring.obj"}};
  for (const double spacing : {0.1, 0.13}) {
    const CellMesh m = filled(ring, spacing);
    CHECK(quality_of(m).least_angle > 1);
    CHECK(quality_of(m).volume == Approx(m.shape_volume).epsilon(0.02));
    CHECK(volume_under(m) == Approx(quality_of(m).volume).epsilon(1e-12));
  }
}

TEST_CASE("delaunay: points in a plane are refused") {
  std::vector<Vec3d> flat = scatter(20, 1);
  for (Vec3d& x : flat) x[2] = 0.5;
  CHECK_THROWS_WITH(delaunay(flat),
                    Contains("the 20 points span no volume") && Contains("the surface is flat"));
  CHECK_THROWS_WITH(delaunay({}), Contains("span no volume"));
}
