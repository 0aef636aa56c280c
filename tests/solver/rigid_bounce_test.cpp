#include <catch2/catch.hpp>

#include "support/rigid_floor.h"

using namespace rtsim;

namespace {

constexpr double e = 0.8, radius = 0.1;

// A ball whose lowest point falls by 1 m.
Floor dropped(double dt, double threshold) {
  return {3, ball(0, 1 + radius, radius),
          fmt::format(R"(, "restitution": {}, "restitution_threshold": {})", e, threshold), dt};
}

}  // namespace

TEST_CASE("rigid_bounce: a ball bounces to e^2 of its height each time") {
  // Blows fall at their own time in a substep of 0.125 ms. One that were off by all of it would be
  // off by v h (1 - e^2) = 0.2 mm of 1 m, and by ever more of what is left: 3 % in six bounces.
  Floor r = dropped(5e-4, 0.1);
  double before = -1, expected = 1;
  for (int bounce = 0, n = 0; bounce < 6; ++n) {
    REQUIRE(n < 20000);
    r.advance(1);
    const double v = r.all("velocity")[0][1];
    if (before > 0 && v <= 0) {
      expected *= e * e, ++bounce;
      CAPTURE(bounce);
      CHECK(r.all("position")[0][1] - radius == Approx(expected).epsilon(1e-3));
    }
    before = v;
  }
}

TEST_CASE("rigid_bounce: all bounces together take sqrt(2 h / g) (1 + e) / (1 - e)") {
  // 4.063713 s. The last bounce comes at 5 to 6.25 mm/s, and those past it, which are left out,
  // would take another 2 v e / (g (1 - e)) <= 5.1 ms; each of the 30 may be off by a substep.
  const double dt = 5e-4, all = std::sqrt(2 / g) * (1 + e) / (1 - e);
  Floor r = dropped(dt, 5e-3);
  double last = 0;
  for (int n = 0; n < 9000; ++n) {
    r.advance(1);
    if (r.all("velocity")[0][1] > 2.5e-3) last = r.time();
  }
  CHECK(last == Approx(all).margin(5.1e-3 + 30 * dt / 4));
}

TEST_CASE("rigid_bounce: what hardly bounces does not fall through the ground instead") {
  // Blows that leave with less than gravity gives in the rest of a substep h still stop the ball:
  // it sinks by no more than g h^2 = 0.17 mm, and by what the contact's spring takes.
  for (const double of : {1e-4, 1e-3, 0.004, 0.01, 0.1}) {
    CAPTURE(of);
    Floor r(3, ball(0, 1 + radius, radius), fmt::format(R"(, "restitution": {})", of), 1.0 / 60);
    double deepest = 0;
    for (int n = 0; n < 60; ++n) {
      r.advance(1);
      deepest = std::min(deepest, r.all("position")[0][1] - radius);
    }
    CHECK(deepest > -5e-4);
  }
}
