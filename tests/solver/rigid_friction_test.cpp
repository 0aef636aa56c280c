#include <catch2/catch.hpp>
#include <cmath>

#include "support/rigid_floor.h"

using namespace rtsim;

namespace {

// How far a box goes in 2 s on a ground that was tilted to 30 degrees within a second.
double slid(double static_friction, double hertz) {
  Floor r(3, box(0, 0.1, 0.1),
          fmt::format(R"(, "friction": 0.2, "static_friction": {}, "contact_hertz": {})",
                      static_friction, hertz),
          1.0 / 240);
  r.advance(60);
  const double start = r.all("position")[0][0];
  for (int n = 1; n <= 240; ++n) {
    const double angle = pi / 6 * n / 240;
    r.world().gravity = {g * std::sin(angle), -g * std::cos(angle), 0};
    r.advance(1);
  }
  r.advance(480);
  return std::abs(r.all("position")[0][0] - start);
}

// A plate's v and omega where friction is mu N (v, omega c) / |(v, omega c)|, the moment over c: by
// Runge and Kutta's fourth-order steps.
struct Puck {
  double v, spin;               // [m/s], [rad/s]
  double limit, lever, square;  // mu g, c, and that of its radius of gyration

  std::array<double, 2> slowed(double v, double w) const {
    const double size = std::hypot(v, w * lever);
    return {-limit * v / size, -limit * w * lever * lever / (size * square)};
  }
  void step(double h) {
    const auto a = slowed(v, spin), b = slowed(v + h / 2 * a[0], spin + h / 2 * a[1]),
               c = slowed(v + h / 2 * b[0], spin + h / 2 * b[1]),
               d = slowed(v + h * c[0], spin + h * c[1]);
    v += h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0]);
    spin += h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1]);
  }
};

}  // namespace

TEST_CASE("rigid_friction: a box holds up to its static limit, however stiff its contacts are") {
  // tan 30 degrees is 0.577.
  for (const double hertz : {25, 35, 60, 100}) {
    CAPTURE(hertz);
    CHECK(slid(0.59, hertz) < 1e-4);
    CHECK(slid(0.56, hertz) > 1);
  }
}

TEST_CASE("rigid_friction: what spins slides farther, by an ellipsoid of impulse and moment") {
  // A thin plate bears on its four corners, 0.5 sqrt(2) m from the middle; those in front bear 1 %
  // more than those behind, by its height.
  const double mu = 0.3, h = 1.0 / 240;
  for (const double spin : {0.0, 3.0, 12.0}) {
    Floor r(
        3,
        fmt::format(R"({{"shape": {{"box": {{"min": [-0.5, 0, -0.5], "max": [0.5, 0.01, 0.5]}}}},
                           "velocity": [2, 0, 0], "angular_velocity": [0, {}, 0]}})",
                    spin),
        fmt::format(R"(, "friction": {})", mu), h);
    Puck puck{2, spin, mu * g, std::sqrt(0.5), (1 + 1) / 12.0};
    for (int n = 0; n < 96; ++n) r.advance(1), puck.step(h);
    CAPTURE(spin, puck.v, puck.spin);
    CHECK(r.all("velocity")[0][0] == Approx(puck.v).epsilon(0.01));
    CHECK(r.all("angular_velocity")[0][1] == Approx(puck.spin).epsilon(0.01).margin(1e-3));
  }
}
