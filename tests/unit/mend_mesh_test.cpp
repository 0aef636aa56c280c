#include "shapes/mend_mesh.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "shapes/mesh_shape.h"
#include "shapes_support.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

// A ball without the triangles that lie wholly within `reach` of some places.
TriangleMesh holed(const std::vector<Vec3d>& places, double reach) {
  TriangleMesh mesh = sphere_mesh(1, 12);
  std::erase_if(mesh.triangles, [&](const auto& t) {
    for (const Vec3d& p : places) {
      bool near = true;
      for (const int v : t) near = near && norm(mesh.vertices[std::size_t(v)] - p) < reach;
      if (near) return true;
    }
    return false;
  });
  return mesh;
}

}  // namespace

TEST_CASE("mend_mesh: a ball with holes is a ball again, but for their caps") {
  for (const double reach : {0.2, 0.33}) {
    TriangleMesh mesh = holed({{{0, 1, 0}}, {{-0.6, 0, 0.8}}, {{0.3, -0.9, 0.1}}}, reach);
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 7)
      std::swap(mesh.triangles[t][0], mesh.triangles[t][1]);
    REQUIRE(open_edges(mesh) > 0);
    const MendedMesh m = mend_mesh(mesh);
    CHECK(m.refused == "");
    CHECK(m.holes == 3);
    CHECK(m.edges >= 12);
    CHECK(m.turned > 0);
    CHECK(open_edges(m.mesh) == 0);
    const auto whole = make_mesh_shape(sphere_mesh(1, 12)), mended = make_mesh_shape(m.mesh);
    const double cap = 1 - std::sqrt(1 - reach * reach);  // as deep as a hole's rim lies
    for (const Vec3d& x : scatter(2000, 1.4))
      CHECK(mended->distance(x) == Approx(whole->distance(x)).margin(1.5 * cap));
  }
}

TEST_CASE("mend_mesh: a closed mesh stays as it is") {
  const MendedMesh m = mend_mesh(sphere_mesh(1, 5));
  CHECK((m.holes == 0 && m.turned == 0 && m.refused.empty()));
  CHECK(m.mesh.triangles == sphere_mesh(1, 5).triangles);
}

TEST_CASE("mend_mesh: what has no inside is refused") {
  TriangleMesh sheet;
  sheet.vertices = {{{0, 0, 0}}, {{1, 0, 0}}, {{1, 1, 0.001}}, {{0, 1, 0}}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  CHECK(mend_mesh(sheet).refused == "it is a sheet");
  sheet.vertices.push_back({{0.5, 0.5, 1}});
  sheet.triangles.push_back({0, 2, 4});
  CHECK(mend_mesh(sheet).refused == "three triangles meet at one of its edges");
  TriangleMesh strip;  // a Moebius strip of five triangles
  for (int k = 0; k < 5; ++k)
    strip.vertices.push_back({{std::cos(1.2566 * k), std::sin(1.2566 * k), 0.3 * (k % 2)}});
  strip.triangles = {{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 0}, {4, 0, 1}};
  CHECK(mend_mesh(strip).refused == "its triangles cannot all face outwards");
}
