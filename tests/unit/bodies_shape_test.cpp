#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>

#include "base/error.h"
#include "bodies/make_bodies.h"
#include "bodies/shapes/convex_parts.h"
#include "bodies/shapes/part_surface.h"
#include "shapes/rotation.h"
#include "shapes/write_mesh.h"
#include "unit/cache_scratch.h"
#include "unit/shapes_support.h"

using namespace rtsim;
using namespace rtsim::testing;
using Catch::Contains;

namespace {

std::vector<Vec3d> cube(double side) {
  std::vector<Vec3d> corners;
  for (int k = 0; k < 8; ++k)
    corners.push_back({{k & 1 ? side : 0, k & 2 ? side : 0, k & 4 ? side : 0}});
  return corners;
}

BodySpec of(ShapeSpec s) {
  BodySpec b;
  b.shape.push_back(std::move(s));
  b.density = 1;
  return b;
}

BodySpec hull_of(std::vector<Vec3d> points) {
  BodySpec b;
  b.hull = HullSpec{std::move(points), {}, {}};
  return b;
}

double signed_volume(const TriangleMesh& m) {
  double six = 0;
  for (const auto& t : m.triangles)
    six += dot(m.vertices[std::size_t(t[0])],
               cross(m.vertices[std::size_t(t[1])], m.vertices[std::size_t(t[2])]));
  return six / 6;
}

std::string message(const BodySpec& b, int dim = 3) {
  try {
    MadeBodies made;
    make_bodies(b, {}, dim, 0, 0, made);
  } catch (const Error& e) {
    CHECK(e.code() == ExitCode::bad_input);
    return e.what();
  }
  return "";
}

BodySpec body_of_mesh(const Scratch& folder, const TriangleMesh& mesh) {
  const std::string file = (folder / "body.ply").string();
  std::ofstream(file, std::ios::binary) << ply_bytes(mesh, "");
  ShapeSpec s;
  s.mesh = MeshSpec{{file}};
  return of(s);
}

}  // namespace

TEST_CASE("bodies: the hull of a cube's corners has six faces of four, seen from outside") {
  std::vector<Vec3d> points = cube(2);
  for (const Vec3d& x : scatter(50, 0.9)) points.push_back(x + Vec3d{{1, 1, 1}});
  points.push_back({{1, 1, 2}});  // on a face
  points.push_back({{1, 0, 0}});  // on an edge
  const ConvexHull h = convex_hull(points, 3);
  REQUIRE(h.corners.size() == 8);
  REQUIRE(h.faces.size() == 6);
  for (const auto& face : h.faces) {
    REQUIRE(face.size() == 4);
    const Vec3d &a = h.corners[std::size_t(face[0])], &b = h.corners[std::size_t(face[1])],
                &c = h.corners[std::size_t(face[2])];
    CHECK(dot(cross(b - a, c - b), a - Vec3d{{1, 1, 1}}) == Approx(4));
  }
}

TEST_CASE("bodies: faces that floats bent a little are one") {
  const Rotation r = rotation_about({{1, 2, 3}}, 1);
  std::vector<Vec3d> points;
  for (int i = 0; i <= 4; ++i)
    for (int j = 0; j <= 4; ++j)
      for (int k = 0; k <= 4; ++k) {
        Vec3d x = r.apply({{double(i), double(j), double(k)}});
        for (double& c : x.c) c = double(float(c));
        points.push_back(x);
      }
  const ConvexHull h = convex_hull(points, 3);
  CHECK(h.corners.size() == 8);
  CHECK(h.faces.size() == 6);
}

TEST_CASE("bodies: a hull in the plane goes round counter-clockwise without corners between") {
  const ConvexHull h = convex_hull(
      {{{2, 0, 0}}, {{0, 0, 0}}, {{1, 0, 0}}, {{2, 2, 0}}, {{1, 1, 0}}, {{0, 2, 0}}}, 2);
  REQUIRE(h.corners.size() == 4);
  CHECK(h.corners[0] == Vec3d{{0, 0, 0}});
  CHECK(h.corners[1] == Vec3d{{2, 0, 0}});
  CHECK(h.corners[2] == Vec3d{{2, 2, 0}});
}

TEST_CASE("bodies: a hull of many corners keeps those farthest out") {
  const ConvexHull h = simplified(convex_hull(sphere_mesh(1, 12).vertices, 3), 60);
  CHECK(h.corners.size() <= 60);
  CHECK(h.corners.size() > 50);
  for (const Vec3d& x : h.corners) CHECK(norm(x) == Approx(1));
}

TEST_CASE("bodies: what they look like is closed and faces outwards") {
  using Part = ConvexPart::Kind;
  const ConvexPart ball{Part::sphere, {{{1, 0, 0}}}, {}, 1};
  const ConvexPart capsule{Part::capsule, {{{0, 0, 0}}, {{1, 2, 2}}}, {}, 0.5};
  const ConvexPart can{Part::cylinder, {{{0, 0, 0}}, {{0, 2, 0}}}, {}, 1};
  const std::pair<ConvexPart, double> parts[] = {
      {ball, 4 * pi / 3}, {capsule, pi / 6 + 0.75 * pi}, {can, 2 * pi}};
  for (const auto& [part, volume] : parts) {
    const TriangleMesh m = surface_of(part, 3);
    CHECK(open_edges(m) == 0);
    CHECK(signed_volume(m) == Approx(volume).epsilon(0.04));  // 24 corners a circle: 1.1 % each way
    CHECK(signed_volume(m) < volume);
  }
}

TEST_CASE("bodies: copies stand on lattices and in pyramids") {
  BodySpec b = of(box({{0, 0, 0}}, {{1, 2, 3}}));
  b.pyramid = BodyPyramidSpec{3, 0.5};
  MadeBodies made;
  make_bodies(b, {}, 3, 1, 0, made);
  REQUIRE(made.bodies.size() == 14);
  CHECK(made.bodies.size() == estimate_rows(b, 3));
  CHECK(made.bodies[0].position == Vec3d{{0.5 - 1.5, 1, 1.5 - 3.5}});
  CHECK(made.bodies[13].position == Vec3d{{0.5, 5, 1.5}});
  CHECK(made.bodies[0].mass == Approx(6));

  b.pyramid.reset();
  b.array = BodyArraySpec{{2, 3, 1}, {{2, 4, 0}}, 0, false};
  make_bodies(b, {}, 3, 1, 1, made);
  REQUIRE(made.bodies.size() == 20);
  CHECK(made.bodies[19].position == Vec3d{{2.5, 9, 1.5}});
  CHECK(made.bodies[19].shape == 1);
}

TEST_CASE("bodies: random copies depend on the seed alone, and turn all ways") {
  BodySpec b = of(box({{0, 0, 0}}, {{1, 1, 1}}));
  b.array = BodyArraySpec{{10, 10, 10}, {{2, 2, 2}}, 0.1, true};
  MadeBodies first, again, other;
  make_bodies(b, {}, 3, 7, 0, first);
  make_bodies(b, {}, 3, 7, 0, again);
  make_bodies(b, {}, 3, 8, 0, other);
  Vec3d mean;
  for (std::size_t i = 0; i < 1000; ++i) {
    CHECK(first.bodies[i].position == again.bodies[i].position);
    CHECK(!(first.bodies[i].position == other.bodies[i].position));
    const auto& q = first.bodies[i].orientation;
    // Where the x axis goes: uniform on the sphere, so its mean is 0 +- 1/sqrt(3000).
    mean = mean + Vec3d{{1 - 2 * (q[1] * q[1] + q[2] * q[2]), 2 * (q[0] * q[1] + q[2] * q[3]),
                         2 * (q[0] * q[2] - q[1] * q[3])}};
  }
  CHECK(norm((1e-3) * mean) < 0.06);
}

TEST_CASE("bodies: what cannot be a body is refused with the way out") {
  const Scratch folder;
  TriangleMesh open = sphere_mesh(1, 4);
  open.triangles.pop_back();
  CHECK_THAT(message(body_of_mesh(folder, open)), Contains("3 edges do not join two triangles"));

  TriangleMesh flat{cube(1), {{0, 1, 3}, {0, 3, 1}}};
  CHECK_THAT(message(body_of_mesh(folder, flat)), Contains("holds 0 m^3 in all"));

  CHECK_THAT(message(of(box({{0, 0, 0}}, {{1, 1, 1e-5}}))),
             Contains("1e-05 times as thick as it is long"));
  CHECK_THAT(message(of(box({{0, 0, 0}}, {{1e-5, 1, 0}})), 2), Contains("make it thicker"));
  CHECK_THAT(message(hull_of({{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{1, 1, 0}}})),
             Contains("lie in a plane"));
  CHECK_THAT(message(hull_of({{{0, 0, 0}}, {{1, 1, 0}}, {{2, 2, 0}}}), 2),
             Contains("lie on a line"));

  ShapeSpec plane;
  plane.plane = PlaneSpec{};
  CHECK_THAT(message(of(plane)), Contains("planes and terrain are boundaries"));
  BodySpec weightless = of(box({{0, 0, 0}}, {{1, 1, 1}}));
  weightless.density.reset();
  CHECK_THAT(message(weightless), Contains("has no mass"));
  CHECK_THAT(message(of(box({{0, 0, 0}}, {{1e-12, 1e-12, 1e-12}}))),
             Contains("floats cannot hold"));
}

TEST_CASE("bodies: a mesh that is inside out is turned") {
  const Scratch folder;
  TriangleMesh mesh = sphere_mesh(1, 8);
  for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
  const PlacedBody b = place_body(body_of_mesh(folder, mesh), 3);
  CHECK(b.shape.volume > 0);
  CHECK(signed_volume({b.shape.vertices, b.shape.triangles}) == Approx(b.shape.volume));
}
