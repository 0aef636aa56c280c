#include <catch2/catch.hpp>

#include "rigid_bodies.h"

using namespace rtsim;

namespace {

constexpr double dt = 1.0 / 60;

// A body that flies along x at 300 m/s, 5 m within a step, past or into a thin wall 2 m away.
std::vector<rigid::Manifold<3>> shoot(const ConvexPart& part, double height) {
  Touched t(3);
  t.add(t.add_shape({part}), {{0, height, 0}}).velocity = {{300, 0, 0}};
  t.add(t.add_shape({box_part({{0.01, 1, 1}})}), {{2, 0, 0}});
  return t.find<3>(0.01, dt);
}

}  // namespace

TEST_CASE("rigid_fast: what will hit a thin wall within the step touches it from afar") {
  for (const ConvexPart& p : {sphere_part(0.1), box_part({{0.1, 0.1, 0.1}}),
                              capsule_part(0.1, 0.05), octahedron_part(0.1)}) {
    const auto m = shoot(p, 0.3);
    REQUIRE(m.size() == 1);
    CHECK(m[0].normal[0] == Approx(1));
    const double front = p.kind == ConvexPart::Kind::capsule ? 0.05 : 0.1;
    CHECK(m[0].separation(0) == Approx(1.99 - front).epsilon(1e-3));
  }
}

TEST_CASE("rigid_fast: what will fly past a wall touches nothing") {
  for (const ConvexPart& p :
       {sphere_part(0.1), box_part({{0.1, 0.1, 0.1}}), capsule_part(0.1, 0.05)}) {
    CHECK(shoot(p, 1.4).empty());
    CHECK(shoot(p, 1.0).size() == 1);
  }
}
