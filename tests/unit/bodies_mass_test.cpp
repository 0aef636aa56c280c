#include <catch2/catch.hpp>
#include <fstream>

#include "bodies/make_bodies.h"
#include "shapes/rotation.h"
#include "shapes/write_mesh.h"
#include "unit/cache_scratch.h"
#include "unit/shapes_support.h"

using namespace rtsim;

namespace {

BodySpec of(ShapeSpec s) {
  BodySpec b;
  b.shape.push_back(std::move(s));
  return b;
}

ShapeSpec box(const Vec3d& min, const Vec3d& max) {
  ShapeSpec s;
  s.box = BoxSpec{min, max};
  return s;
}

ShapeSpec ball(const Vec3d& centre, double radius) {
  ShapeSpec s;
  s.sphere = SphereSpec{centre, radius};
  return s;
}

BodySpec hull(std::vector<Vec3d> points) {
  BodySpec b;
  b.hull = HullSpec{std::move(points), {}, {}};
  return b;
}

void check(const PlacedBody& b, double volume, const Vec3d& centre, const Vec3d& moments) {
  CHECK(b.shape.volume == Approx(volume).epsilon(1e-12));
  for (int a = 0; a < 3; ++a) {
    CHECK(b.position[a] == Approx(centre[a]).epsilon(1e-12).margin(1e-13));
    CHECK(b.shape.moments[a] == Approx(moments[a]).epsilon(1e-12));
  }
}

// Where a body's own point is in the scene.
Vec3d place(const PlacedBody& b, const Vec3d& x) {
  const Vec3d u{{b.orientation[0], b.orientation[1], b.orientation[2]}};
  const Vec3d t = 2.0 * cross(u, x);
  return b.position + x + b.orientation[3] * t + cross(u, t);
}

// The tensor of inertia over mass in the scene's axes: sum of moment_k e_k e_k^T.
std::array<Vec3d, 3> tensor(const PlacedBody& b) {
  std::array<Vec3d, 3> t = {};
  for (int k = 0; k < 3; ++k) {
    Vec3d e;
    e[k] = 1;
    e = place(b, e) - b.position;
    for (std::size_t i = 0; i < 3; ++i) t[i] = t[i] + (b.shape.moments[k] * e[int(i)]) * e;
  }
  return t;
}

// Boxes (0, 0) to (2, 1) and (0, 1) to (1, 3), one high, as one closed surface.
TriangleMesh angle_mesh() {
  const double outline[7][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 3}, {0, 3}, {0, 1}};
  const int faces[5][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 6}, {6, 3, 4}, {6, 4, 5}};
  TriangleMesh m;
  for (const double z : {0., 1.})
    for (const auto& x : outline) m.vertices.push_back({{x[0], x[1], z}});
  for (const auto& f : faces) {
    m.triangles.push_back({f[0], f[2], f[1]});
    m.triangles.push_back({f[0] + 7, f[1] + 7, f[2] + 7});
  }
  for (int i = 0; i < 7; ++i) {
    const int j = (i + 1) % 7;
    m.triangles.push_back({i, j, j + 7}), m.triangles.push_back({i, j + 7, i + 7});
  }
  return m;
}

BodySpec hull_of_mesh(const Scratch& folder, const TriangleMesh& mesh) {
  const std::string file = (folder / "mesh.ply").string();
  std::ofstream(file, std::ios::binary) << ply_bytes(mesh, "");
  BodySpec b;
  b.hull = HullSpec{{}, {file}, {}};
  return b;
}

void check_alike(const PlacedBody& a, const PlacedBody& b) {
  CHECK(a.shape.volume == Approx(b.shape.volume).epsilon(1e-6));
  CHECK(norm(a.position - b.position) < 1e-6 * norm(b.position));
  const auto s = tensor(a), t = tensor(b);
  for (std::size_t i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      CHECK(s[i][j] == Approx(t[i][j]).epsilon(1e-6).margin(1e-6 * t[0][0]));
}

}  // namespace

TEST_CASE("bodies: primitives have the moments of inertia of the textbooks") {
  check(place_body(of(box({{1, 2, 3}}, {{2, 4, 6}})), 3), 6, {{1.5, 3, 4.5}},
        {{13.0 / 12, 10.0 / 12, 5.0 / 12}});
  check(place_body(of(ball({{1, 0, 0}}, 2)), 3), 32 * pi / 3, {{1, 0, 0}}, {{1.6, 1.6, 1.6}});

  ShapeSpec s;
  s.cylinder = CylinderSpec{{{0, -1, 0}}, {{0, 2, 0}}, 0.5};
  const double across = 0.25 / 4 + 9.0 / 12;
  check(place_body(of(s), 3), pi * 0.25 * 3, {{0, 0.5, 0}}, {{across, 0.125, across}});

  s = {};
  s.ellipsoid = EllipsoidSpec{{{0, 0, 1}}, {{1, 2, 3}}};
  check(place_body(of(s), 3), 8 * pi, {{0, 0, 1}}, {{13.0 / 5, 10.0 / 5, 5.0 / 5}});

  // Of the capsule along the axis: m_c r^2/2 + m_b 2/5 r^2; across: m_c (L^2/12 + r^2/4) +
  // m_b (2/5 r^2 + L^2/4 + 3/8 L r), with m_c of the cylinder and m_b of both halves of the ball.
  s = {};
  s.capsule = CapsuleSpec{{{0, 0, 0}}, {{0, 0, 2}}, 1};
  const double mc = 2 * pi, mb = 4 * pi / 3, m = mc + mb;
  const double side = (mc * (4.0 / 12 + 0.25) + mb * (0.4 + 1 + 0.75)) / m;
  check(place_body(of(s), 3), m, {{0, 0, 1}}, {{side, side, (mc / 2 + mb * 0.4) / m}});
}

TEST_CASE("bodies: areas have the moments of inertia of the textbooks") {
  const auto about_z = [](ShapeSpec s) { return place_body(of(std::move(s)), 2); };
  const PlacedBody square = about_z(box({{0, 0, 0}}, {{2, 4, 0}}));
  CHECK(square.shape.volume == Approx(8));
  CHECK(square.shape.moments[2] == Approx(20.0 / 12));
  CHECK(about_z(ball({{}}, 2)).shape.moments[2] == Approx(2));

  ShapeSpec s;
  s.polygon = PolygonSpec{{{{0, 0, 0}}, {{0, 3, 0}}, {{6, 0, 0}}}};  // clockwise
  const PlacedBody triangle = about_z(s);
  CHECK(triangle.shape.volume == Approx(9));
  CHECK(triangle.position[0] == Approx(2));
  CHECK(triangle.position[1] == Approx(1));
  CHECK(triangle.shape.moments[2] == Approx((9.0 + 36) / 18));  // (b^2 + h^2)/18, right-angled

  s = {};
  s.capsule = CapsuleSpec{{{-1, 0, 0}}, {{1, 0, 0}}, 0.5};
  const double strip = 2, disc = pi / 4;
  const double expected =
      (strip * (4 + 1) / 12 + disc * (0.125 + 1 + 2 * 4 * 0.5 / (3 * pi))) / (strip + disc);
  CHECK(about_z(s).shape.moments[2] == Approx(expected));
}

TEST_CASE("bodies: polyhedra are integrated exactly wherever they are") {
  // A regular tetrahedron of edge 2 sqrt 2: V = a^3 / (6 sqrt 2), I = m a^2 / 20 about any axis.
  for (const double far : {0.0, 100.0}) {
    const std::vector<Vec3d> corners{
        {{1 + far, 1, 1}}, {{1 + far, -1, -1}}, {{-1 + far, 1, -1}}, {{-1 + far, -1, 1}}};
    const PlacedBody b = place_body(hull(corners), 3);
    CHECK(b.shape.volume == Approx(8.0 / 3));
    CHECK(b.position[0] == Approx(far).margin(1e-12));
    for (int a = 0; a < 3; ++a) CHECK(b.shape.moments[a] == Approx(8.0 / 20));
  }
}

TEST_CASE("bodies: a mesh of a torus comes near the torus at second order") {
  const Scratch folder;
  const double ring = 2, tube = 0.5;
  double error[2];
  for (int k = 0; k < 2; ++k) {
    const TriangleMesh mesh = testing::torus_mesh(ring, tube, 24 << k);
    const std::string file = (folder / "torus.ply").string();
    std::ofstream(file, std::ios::binary) << ply_bytes(mesh, "");
    ShapeSpec s;
    s.mesh = MeshSpec{{file}};
    const PlacedBody b = place_body(of(s), 3);
    // m (R^2 + 3/4 r^2) about the axis
    const double exact = ring * ring + 0.75 * tube * tube;
    error[k] = std::abs(b.shape.moments[2] / exact - 1);
    CHECK(b.shape.parts[0].points.size() <= 64);  // its hull
  }
  CHECK(error[1] < 0.01);
  CHECK(error[0] / error[1] == Approx(4).epsilon(0.05));
}

TEST_CASE("bodies: a compound weighs its parts and turns about its principal axes") {
  ShapeSpec both;
  both.any_of = {ball({{1, 1, 0}}, 0.5), ball({{-1, -1, 0}}, 0.5)};
  const PlacedBody b = place_body(of(both), 3);
  CHECK(b.shape.volume == Approx(2 * pi / 6));
  CHECK(norm(b.position) < 1e-14);
  // 2/5 r^2 along the line of the centres, and 2 more across it.
  CHECK(b.shape.moments[0] + b.shape.moments[1] + b.shape.moments[2] == Approx(0.3 + 4));
  const auto t = tensor(b);
  CHECK(t[0][0] == Approx(0.1 + 1));
  CHECK(t[0][1] == Approx(-1));
  CHECK(t[2][2] == Approx(0.1 + 2));
  for (const ConvexPart& part : b.shape.parts) {
    const Vec3d x = place(b, part.points[0]);
    CHECK(std::abs(x[0]) == Approx(1));
    CHECK(x[0] == Approx(x[1]));
  }
}

TEST_CASE("bodies: a box that is turned keeps its own axes, and its corners their places") {
  ShapeSpec s = box({{0, 0, 0}}, {{1, 2, 3}});
  s.transform = {{{5, 6, 7}}, {{1, 2, 3}}, 130, 2};
  const PlacedBody b = place_body(of(s), 3);
  CHECK(b.shape.volume == Approx(48));
  CHECK(b.shape.parts[0].points[7][0] == Approx(1));
  CHECK(b.shape.parts[0].points[7][2] == Approx(3));
  const Rotation r = rotation_about({{1, 2, 3}}, 130 * pi / 180);
  const Vec3d corner = Vec3d{{5, 6, 7}} + r.apply({{2, 4, 6}});
  CHECK(norm(place(b, b.shape.parts[0].points[7]) - corner) < 1e-12);
}

// The boxes that the mesh is joined from have closed forms; files keep single precision.
TEST_CASE("bodies: the hull of a closed mesh weighs and turns as the mesh, wherever it stands") {
  const Scratch folder;
  ShapeSpec boxes;
  boxes.any_of = {box({{0, 0, 0}}, {{2, 1, 1}}), box({{0, 1, 0}}, {{1, 3, 1}})};
  BodySpec angle = hull_of_mesh(folder, angle_mesh());
  for (const TransformSpec& t :
       {TransformSpec{}, TransformSpec{{{3, -1, 0.7}}, {{1, 2, 3}}, 37, 1.7},
        TransformSpec{{{-30, 5, 9}}, {{-2, 1, 0.3}}, 211, 0.013}}) {
    INFO(t.scale);
    angle.hull->transform = boxes.transform = t;
    const PlacedBody b = place_body(angle, 3);
    check_alike(b, place_body(of(boxes), 3));
    CHECK(b.shape.volume == Approx(4 * std::pow(t.scale, 3)).epsilon(1e-6));
    // Its hull is the outline's, (2, 0), (2, 1), (1, 3), (0, 3): of 5 in place of 4.
    CHECK(b.added / b.shape.volume == Approx(0.25).epsilon(1e-6));
  }
}

TEST_CASE("bodies: a mesh whose triangles are there twice weighs once") {
  const Scratch folder;
  TriangleMesh twice = angle_mesh();
  const std::size_t once = twice.triangles.size();
  for (std::size_t k = 0; k < once; ++k) {
    const auto t = twice.triangles[k];
    twice.triangles.push_back({t[1], t[2], t[0]});
  }
  const BodySpec of_hull = hull_of_mesh(folder, twice);
  ShapeSpec shape;
  shape.mesh = MeshSpec{of_hull.hull->file};
  CHECK(place_body(of_hull, 3).shape.volume == Approx(4).epsilon(1e-6));
  CHECK(place_body(of(shape), 3).shape.volume == Approx(4).epsilon(1e-6));
}

TEST_CASE("bodies: where a hull holds more or less than its mesh, a note says how much") {
  const Scratch folder;
  const auto notes = [](const BodySpec& b, double density) {
    MadeBodies made;
    make_bodies(b, density, 3, 0, 0, made);
    CHECK(made.bodies.at(0).mass == Approx(density * made.set.shapes.at(0).volume));
    return made.notes;
  };
  BodySpec angle = hull_of_mesh(folder, angle_mesh());
  REQUIRE(notes(angle, 700).size() == 1);
  CHECK(notes(angle, 700)[0].find("holds 25 % more than its own 4 m^3") != std::string::npos);
  CHECK(notes(of(box({{0, 0, 0}}, {{1, 1, 1}})), 700).empty());

  // Open, a mesh encloses nothing: the body is its hull, of which nothing is to be said.
  TriangleMesh open = angle_mesh();
  open.triangles.pop_back();
  CHECK(notes(hull_of_mesh(folder, open), 700).empty());
  CHECK(place_body(hull_of_mesh(folder, open), 3).shape.volume == Approx(5).epsilon(1e-6));
}
