#include <catch2/catch.hpp>

#include "rigid_bodies.h"

using namespace rtsim;

TEST_CASE("rigid_collision: boxes on a plane and on each other touch at four corners") {
  Touched t(3);
  const int box = t.add_shape({box_part({{0.5, 0.5, 0.5}})});
  t.add(box, {{0, 0.499, 0}});
  t.add(box, {{0.1, 1.498, 0.2}});
  t.bound_by(PlaneSpec{});
  const auto m = t.find<3>(0.01);
  REQUIRE(m.size() == 2);
  CHECK((m[0].a == 0 && m[0].b == 1));
  CHECK((m[1].a == 0 && m[1].b == 2));
  for (const auto& k : m) {
    REQUIRE(k.points == 4);
    CHECK(std::abs(k.normal[1]) == Approx(1));
    for (int p = 0; p < 4; ++p) CHECK(k.separation[p] == Approx(-0.001).margin(1e-6));
  }
  CHECK(m[0].normal[1] == Approx(1));
  CHECK(m[1].normal[1] == Approx(-1));
}

TEST_CASE("rigid_collision: a ball meets a box at a face, an edge and a corner") {
  for (const int axes : {1, 2, 3}) {
    Touched t(3);
    const int box = t.add_shape({box_part({{0.5, 0.5, 0.5}})});
    const int ball = t.add_shape({sphere_part(0.2)});
    Vec3d x{}, n{};
    for (int a = 0; a < axes; ++a) n[a] = 1 / std::sqrt(double(axes)), x[a] = 0.5 + 0.19 * n[a];
    t.add(box, {{0, 0, 0}});
    t.add(ball, x);
    const auto m = t.find<3>(0.01);
    REQUIRE(m.size() == 1);
    REQUIRE(m[0].points == 1);
    CHECK(m[0].separation[0] == Approx(-0.01).margin(1e-6));
    for (int a = 0; a < 3; ++a) CHECK(m[0].normal[a] == Approx(n[a]).margin(1e-6));
  }
}
