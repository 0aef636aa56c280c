#include "shapes/velocity_within.h"

#include <catch2/catch.hpp>
#include <functional>

using namespace rtsim;

namespace {

// A box whose corners were pulled about, so that no axis of it is one of the space.
TriangleMesh crooked_box() {
  TriangleMesh m;
  for (int k = 0; k < 8; ++k)
    m.vertices.push_back({{0.5 + (k & 1) + 0.1 * (k >> 1 & 1), 2.0 * (k >> 1 & 1) + 0.2 * (k & 1),
                           -1 + 0.7 * (k >> 2 & 1) - 0.05 * (k & 1)}});
  m.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                 {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return m;
}

VelocityWithin moved(const std::function<Vec3d(const Vec3d&)>& v) {
  const TriangleMesh m = crooked_box();
  std::vector<Vec3d> of_corners;
  for (const Vec3d& x : m.vertices) of_corners.push_back(v(x));
  return {m, of_corners};
}

}  // namespace

TEST_CASE("velocity within: what is linear in the place is exact, inside, outside and on it") {
  const auto v = [](const Vec3d& x) {
    return Vec3d{{1 + 2 * x[0] - x[1], 3 * x[2] - 0.5, x[0] + x[1] + 4 * x[2]}};
  };
  const VelocityWithin within = moved(v);
  for (const Vec3d& x : {Vec3d{{1, 1, -0.6}}, Vec3d{{0.6, 0.3, -0.9}}, Vec3d{{-3, 5, 2}},
                         crooked_box().vertices[3]}) {
    CHECK(norm(within.at(x) - v(x)) < 1e-12);
    CHECK(norm(within.linear().at(x) - v(x)) < 1e-12);
  }
}

TEST_CASE("velocity within: on the surface it is that of the triangle, whatever the corners do") {
  const auto v = [](const Vec3d& x) { return Vec3d{{x[0] * x[0], x[1] * x[2], 1 - x[0]}}; };
  const VelocityWithin within = moved(v);
  const TriangleMesh m = crooked_box();
  for (const auto& [a, b, c] : m.triangles) {
    const Vec3d &p = m.vertices[std::size_t(a)], &q = m.vertices[std::size_t(b)],
                &r = m.vertices[std::size_t(c)];
    const Vec3d middle = 0.2 * p + 0.3 * q + 0.5 * r;
    CHECK(norm(within.at(middle) - (0.2 * v(p) + 0.3 * v(q) + 0.5 * v(r))) < 1e-12);
  }
}

TEST_CASE("velocity within: the linear part does not know how fine the triangles are") {
  // One face cut into three about its middle, which moves as the face does there.
  TriangleMesh fine = crooked_box();
  const auto v = [](const Vec3d& x) { return Vec3d{{x[0] * x[0] * x[1], 0, x[2]}}; };
  std::vector<Vec3d> of_corners;
  for (const Vec3d& x : fine.vertices) of_corners.push_back(v(x));
  const VelocityWithin coarse(fine, of_corners);
  for (int k = 0; k < 200; ++k) fine.vertices.push_back(fine.vertices[3]), of_corners.push_back({});
  const VelocityWithin same(fine, of_corners);  // corners of no triangle have no share
  CHECK(norm(same.linear().velocity - coarse.linear().velocity) < 1e-12);
  CHECK(norm(same.linear().gradient[0] - coarse.linear().gradient[0]) < 1e-12);
}
