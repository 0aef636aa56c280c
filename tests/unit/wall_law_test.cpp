#include "mac/wall_law.h"

#include <catch2/catch.hpp>

using namespace rtsim;

// u+ = y+ below y+ = 5, and ln(y+) / 0.41 + 5.2 above 30 (Pope, Turbulent Flows, 2000, sec. 7.1.4):
// the power law is within 3 % of that for the speed up to y+ = 1500, 6 % for what it holds with.
TEST_CASE("wall law: friction is that of the logarithmic law, and laminar close to the wall") {
  const Real nu = Real(1e-6), way = Real(0.01);
  for (const double y : {0.0, 0.1, 1.0, 5.0})
    CHECK(mac::wall_friction(Real(y * y) * nu / way, way, nu) == 1);
  for (const double y : {30.0, 60.0, 120.0, 300.0, 700.0, 1500.0}) {
    const double u = std::log(y) / 0.41 + 5.2;
    const double friction = y * y / (y * u);  // u_tau^2 over nu u / y
    CHECK(mac::wall_friction(Real(y * u) * nu / way, way, nu) == Approx(friction).epsilon(0.06));
  }
}

TEST_CASE("wall law: it has no step where turbulence begins") {
  const Real nu = Real(0.5), way = Real(2);
  const Real before = Real(139.4) * nu / way, after = Real(139.6) * nu / way;
  CHECK(mac::wall_friction(before, way, nu) == 1);
  CHECK(mac::wall_friction(after, way, nu) == Approx(1).epsilon(0.002));
  CHECK(mac::wall_friction(Real(0), way, nu) == 1);
}
