#include <catch2/catch.hpp>
#include <cmath>

#include "support/sliding_points.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

constexpr double g = 9.81;
const std::string level_floor =
    R"(, {"name": "floor", "kind": "boundary", "shape": {"plane": {}}})";

// A plane that falls along x, through the origin; points stand on it with their thickness.
struct Incline {
  double angle;  // [deg]
  double friction;
  double speed = 0;  // downhill [m/s]

  double radians() const { return angle * 3.14159265358979 / 180; }
  Vec3d down() const { return {{std::cos(radians()), -std::sin(radians()), 0}}; }
  Running run() const {
    const Vec3d n{{std::sin(radians()), std::cos(radians()), 0}};
    const Vec3d p = 0.01 * n, v = speed * down();
    Points s;
    s.at = fmt::format("[{}, {}, 0], [{}, {}, 1]", p[0], p[1], p[0], p[1]);
    s.velocity = fmt::format("[{}, {}, 0]", v[0], v[1]);
    s.boundaries = fmt::format(
        R"(, {{"name": "floor", "kind": "boundary", "shape": {{"plane": {{"normal": [{}, {}, 0]}}}}}})",
        n[0], n[1]);
    s.names = R"("floor")";
    s.more = fmt::format(R"(, "thickness": 0.01, "friction": {})", friction);
    return s.run();
  }
};

double slid(const Incline& i, double seconds) {
  Running r = i.run();
  const Vec3d start = positions(r)[0];
  r.advance(std::lround(seconds / r.dt()));
  return dot(positions(r)[0] - start, i.down());
}

}  // namespace

TEST_CASE("contact: a point that slides on a floor stops where Coulomb says") {
  // v0^2 / (2 mu g), less v0 h / 2 as each substep of symplectic Euler moves with its last speed.
  CHECK(slid({0, 0.4, 2}, 1) == Approx(4 / (2 * 0.4 * g) - 0.5 * 2 * 1e-3).margin(1e-4));
}

TEST_CASE("contact: a point stays on a slope that is flatter than its friction") {
  CHECK(std::abs(slid({30, 0.6}, 10)) < 1e-4);
}

TEST_CASE("contact: a point slides down a steeper slope at the rate of the law") {
  for (const double mu : {0.0, 0.2, 0.5}) {
    const double a = g * (std::sin(0.5235987756) - mu * std::cos(0.5235987756));
    // First order in the substep of 1 ms: 1/2 a t^2 (1 + h / t).
    CHECK(slid({30, mu}, 1) == Approx(0.5 * a).epsilon(2e-3));
  }
}

TEST_CASE("contact: a belt takes along what stands on it, up to its speed") {
  Points s;
  s.at = "[0, 0.01, 0], [0, 0.01, 0.1]";
  s.boundaries =
      R"(, {"name": "belt", "kind": "boundary", "shape": {"plane": {}}, "motion": {"velocity": [1, 0, 0]}})";
  s.names = R"("belt")";
  s.more = R"(, "thickness": 0.01, "friction": 0.5)";
  Running r = s.run();
  r.advance(100);
  // mu g t until it has the belt's speed at t = 1 / (mu g): 1 s less half of that.
  const double t = 1 / (0.5 * g);
  CHECK(positions(r)[0][0] == Approx(1 - t / 2).margin(2e-3));
  CHECK(velocities(r)[0][0] == Approx(1).margin(1e-3));
}

TEST_CASE("contact: a bounce returns the part of the speed that it is asked to, and rubs") {
  Points s;
  s.at = "[0, 1.01, 0], [0, 1.01, 1]";
  s.velocity = "[3, 0, 0]";
  s.boundaries = level_floor, s.names = R"("floor")";
  s.more = R"(, "thickness": 0.01, "friction": 0.1, "restitution": 0.8)";
  s.dt = 0.001, s.substeps = 1;
  Running r = s.run();
  r.advance(500);  // it lands after sqrt(2 / g) = 0.4515 s, at 4.4294 m/s
  const double rise = velocities(r)[0][1] + g * (0.5 - 0.4515);
  CHECK(rise == Approx(0.8 * 4.4294).epsilon(0.01));
  CHECK(velocities(r)[0][0] == Approx(3 - 0.1 * 1.8 * 4.4294).epsilon(0.01));
}
