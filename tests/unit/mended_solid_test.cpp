#include "shapes/mended_solid.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.h"
#include "shapes/mesh_shape.h"
#include "shapes/winding.h"
#include "shapes_support.h"

using namespace rtsim;
using namespace rtsim::testing;
using Catch::Contains;
using Catch::EndsWith;

namespace {

void append(TriangleMesh& to, const TriangleMesh& m, const Vec3d& shift, double scale = 1) {
  const auto first = std::int32_t(to.vertices.size());
  for (const Vec3d& x : m.vertices) to.vertices.push_back(shift + scale * x);
  for (auto t : m.triangles) {
    for (auto& c : t) c += first;
    to.triangles.push_back(t);
  }
}

void turn(TriangleMesh& m) {
  for (auto& t : m.triangles) std::swap(t[1], t[2]);
}

std::unique_ptr<Shape> solid_of(const TriangleMesh& m, std::vector<std::string>& notes) {
  return make_mended_solid(m, 0.05, "ball.obj", notes);
}

int disagreements(const Shape& a, const Shape& b) {
  int count = 0;
  for (const Vec3d& x : scatter(2000, 1.4))
    count += std::abs(a.distance(x) - b.distance(x)) > 1e-12;
  return count;
}

}  // namespace

TEST_CASE("winding: 1 inside, 0 outside, and the parts of a triangle soup add up") {
  const TriangleTree tree(sphere_mesh(1, 24));
  const WindingNumbers winding(tree);
  double worst = 0;
  for (const Vec3d& x : scatter(2000, 2)) {
    double exact = 0;
    for (const auto& t : tree.mesh().triangles)
      exact += winding_of_triangle(tree.mesh().vertices[std::size_t(t[0])],
                                   tree.mesh().vertices[std::size_t(t[1])],
                                   tree.mesh().vertices[std::size_t(t[2])], x);
    if (std::abs(norm(x) - 1) > 0.02) CHECK(exact == Approx(norm(x) < 1).margin(1e-12));
    worst = std::max(worst, std::abs(winding.at(x) - exact));
  }
  CHECK(worst < 0.05);  // far less than the half that decides
}

TEST_CASE("winding: a triangle seen from a cube's corner takes up its share of the sphere") {
  // The octant: 1/8 of all directions.
  CHECK(std::abs(winding_of_triangle({{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}, {{0, 0, 0}})) ==
        Approx(1.0 / 8));
}

TEST_CASE("mended_solid: a closed mesh is what it was, whichever way it faces") {
  TriangleMesh mesh = sphere_mesh(1, 12);
  const auto whole = make_mesh_shape(mesh);
  std::vector<std::string> notes;
  CHECK(disagreements(*solid_of(mesh, notes), *whole) == 0);
  CHECK(notes.empty());
  CHECK(*solid_of(mesh, notes)->volume() == Approx(*whole->volume()).epsilon(1e-12));
  turn(mesh);
  CHECK(disagreements(*solid_of(mesh, notes), *whole) == 0);
  CHECK_THAT(notes.at(0), Contains("ball.obj was mended: 1 piece turned inside out"));
}

TEST_CASE("mended_solid: doubled and flipped triangles count for nothing") {
  const TriangleMesh clean = sphere_mesh(1, 12);
  const auto whole = make_mesh_shape(clean);
  TriangleMesh mesh = clean;
  for (std::size_t t = 0; t < clean.triangles.size(); t += 9) {
    std::swap(mesh.triangles[t][0], mesh.triangles[t][1]);
    mesh.triangles.push_back(clean.triangles[t + 1]);
  }
  std::vector<std::string> notes;
  CHECK(disagreements(*solid_of(mesh, notes), *whole) == 0);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Contains("doubled triangles left out; ") &&
                           Contains("triangles turned the way of their neighbours"));
}

TEST_CASE("mended_solid: small holes are closed, and said where they are") {
  TriangleMesh mesh = sphere_mesh(1, 16);
  const auto whole = make_mesh_shape(mesh);
  std::erase_if(mesh.triangles, [&](const auto& t) {
    return std::ranges::all_of(t, [&](int v) { return mesh.vertices[std::size_t(v)][1] > 0.93; });
  });
  std::vector<std::string> notes;
  const auto mended = solid_of(mesh, notes);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Contains("1 hole of ") && Contains("% of the area closed, about ("));
  for (const Vec3d& x : scatter(2000, 1.4))
    if (x[1] < 0.8) CHECK((mended->distance(x) < 0) == (whole->distance(x) < 0));
  CHECK(*mended->volume() == Approx(*whole->volume()).epsilon(0.02));
}

TEST_CASE("mended_solid: parts that overlap are one, and a hollow stays hollow") {
  TriangleMesh pair;
  append(pair, sphere_mesh(1, 12), {{0, 0, 0}});
  append(pair, sphere_mesh(1, 12), {{0.7, 0.3, 0}});
  const auto a = make_mesh_shape(sphere_mesh(1, 12));
  std::vector<std::string> notes;
  const auto both = solid_of(pair, notes);
  CHECK(notes.empty());
  for (const Vec3d& x : scatter(2000, 1.8))
    CHECK((both->distance(x) < 0) ==
          (a->distance(x) < 0 || a->distance(x - Vec3d{{0.7, 0.3, 0}}) < 0));

  TriangleMesh hollow, inner = sphere_mesh(1, 12);
  turn(inner);
  append(hollow, sphere_mesh(1, 12), {{0, 0, 0}});
  append(hollow, inner, {{0.1, 0, 0}}, 0.5);
  const auto check_shell = [&] {
    const auto shell = solid_of(hollow, notes);
    CHECK(shell->distance({{0.1, 0, 0}}) > 0.4);
    CHECK(shell->distance({{0, 0.75, 0}}) < 0);
  };
  check_shell();
  CHECK(notes.empty());
  turn(hollow);  // inside out as a whole
  check_shell();
  CHECK_THAT(notes.at(0), Contains("2 pieces turned inside out"));
}

TEST_CASE("mended_solid: an open surface is refused, with the place and size of its hole") {
  TriangleMesh bowl = sphere_mesh(1, 16);
  std::erase_if(bowl.triangles, [&](const auto& t) {
    return std::ranges::all_of(t, [&](int v) { return bowl.vertices[std::size_t(v)][1] > -1e-9; });
  });
  std::vector<std::string> notes;
  CHECK_THROWS_WITH(solid_of(bowl, notes), Contains("ball.obj: the surface is open: 1 hole of ") &&
                                               Contains("the largest about (") &&
                                               Contains(" m across; close it") &&
                                               Contains("raise \"largest_holes\" to 0."));
  // Of a belt the holes are larger than all of it: no share that may be asked for is enough.
  TriangleMesh belt;
  for (const double z : {0.0, 0.2})
    for (int k = 0; k < 4; ++k)
      belt.vertices.push_back({{k == 0 || k == 3 ? -1.0 : 1.0, k < 2 ? -1.0 : 1.0, z}});
  for (std::int32_t k = 0; k < 4; ++k) {
    const std::int32_t next = (k + 1) % 4;
    belt.triangles.insert(belt.triangles.end(), {{k, next, next + 4}, {k, next + 4, k + 4}});
  }
  CHECK_THROWS_WITH(solid_of(belt, notes),
                    Contains("2 holes of 500 % of its area") && EndsWith("close them in the mesh"));
  // Asked for, it is the half ball to the rim.
  const auto half = make_mended_solid(bowl, 0.6, "bowl.obj", notes);
  CHECK(half->distance({{0, -0.4, 0}}) < 0);
  CHECK(half->distance({{0, 0.4, 0}}) > 0);
}
