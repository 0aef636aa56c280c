#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "rigid/body.h"
#include "support/running.h"

using namespace rtsim;

namespace {

constexpr double g = 9.81;

// Bodies alone in space.
struct Flight : Running {
  Flight(int dim, const std::string& gravity, const std::string& body, double dt,
         const std::string& stage = "")
      : Running(fmt::format(R"({{"rtsim": 1, "dim": {}, "gravity": {},
          "time": {{"dt": {}, "frames": 1000000}},
          "objects": [{{"name": "b", "kind": "bodies", "density": 1000, "bodies": [{}]}}],
          "stages": [{{"type": "rigid", "bodies": "b" {}}}]}})",
                            dim, gravity, dt, body, stage),
                Exec::cpu(1)) {}
  template <int D>
  Vec3d at(const char* column) {
    return widen(world().table("b").download<Vec<D>>(column)[0]);
  }
  double spin() {
    const Vec3d l{{measure("b.angular_momentum.x"), measure("b.angular_momentum.y"),
                   measure("b.angular_momentum.z")}};
    return norm(l);
  }
};

const char* racket =
    R"({"shape": {"box": {"min": [-0.15, -0.35, -0.01], "max": [0.15, 0.35, 0.01]}},
                         "angular_velocity": [10, 0.01, 0.02]})";

}  // namespace

TEST_CASE("rigid: a free body flies on the parabola itself, at any number of substeps") {
  for (const int substeps : {1, 4}) {
    const double dt = 0.01;
    Flight r(
        3, "[0, -9.81, 0]",
        R"({"shape": {"sphere": {"centre": [0, 10, 0], "radius": 0.1}}, "velocity": [2, 5, -1]})",
        dt, fmt::format(R"(, "substeps": {})", substeps));
    r.advance(100);
    // In floats each of 100 steps may round a height of 10 m by 5e-7 and a speed of 5 m/s by 2e-7
    // a substep, which the height then sums.
    const Vec3d x = r.at<3>("position");
    const double rounding = sizeof(Real) == 4 ? 1e-4 : 1e-12;
    CHECK(x[0] == Approx(2).margin(rounding));
    CHECK(x[1] == Approx(10 + 5 - g / 2).margin(rounding));
    CHECK(x[2] == Approx(-1).margin(rounding));
  }
}

TEST_CASE("rigid: flight in the plane turns as it did and falls on the parabola") {
  Flight r(
      2, "[0, -9.81]",
      R"({"shape": {"box": {"min": [0, 0], "max": [1, 0.5]}}, "velocity": [1, 2], "angular_velocity": [3]})",
      0.01);
  r.advance(100);
  const Vec3d x = r.at<2>("position");
  CHECK(x[0] == Approx(1.5).margin(1e-4));
  CHECK(x[1] == Approx(0.25 + 2 - g / 2).margin(1e-4));
  const auto q = r.world().table("b").download<rigid::Orientation<2>>("orientation")[0];
  CHECK(std::atan2(double(q[1]), double(q[0])) == Approx(3.0).margin(1e-4));
}

TEST_CASE("rigid: a tennis racket flips over, and keeps its energy and angular momentum") {
  // About the middle axis of inertia a turn is unstable. 100 s at 60 steps a second.
  const double kept = sizeof(Real) == 4 ? 1e-3 : 1e-6;
  Flight r(3, "[0, 0, 0]", racket, 1.0 / 60);
  const double energy = r.measure("b.kinetic_energy"), spin = r.spin();
  int flips = 0;
  double sign = 1, worst_energy = 0, worst_spin = 0;
  for (int n = 0; n < 6000; ++n) {
    r.advance(1);
    const auto q = r.world().table("b").download<rigid::Orientation<3>>("orientation")[0];
    const auto w = r.world().table("b").download<Vec<3>>("angular_velocity")[0];
    const double about_own = double(rigid::rotated_back(q, w)[0]);  // of the middle axis
    if (about_own * sign < -1) ++flips, sign = -sign;
    worst_energy = std::max(worst_energy, std::abs(r.measure("b.kinetic_energy") / energy - 1));
    worst_spin = std::max(worst_spin, std::abs(r.spin() / spin - 1));
  }
  CAPTURE(flips, worst_energy, worst_spin);
  CHECK(flips > 20);
  CHECK(worst_energy < kept);
  CHECK(worst_spin < kept);
}

TEST_CASE("rigid: a needle that spins at 1e4 rad/s keeps its energy") {
  Flight r(3, "[0, 0, 0]",
           R"({"shape": {"box": {"min": [0, 0, 0], "max": [1, 0.001, 0.002]}},
               "angular_velocity": [10000, 3000, 10]})",
           1.0 / 60);
  const double energy = r.measure("b.kinetic_energy");
  r.advance(60);
  CHECK(r.measure("b.kinetic_energy") == Approx(energy).epsilon(1e-3));
}

TEST_CASE("rigid: forces and torques of others act for one step") {
  Flight r(3, "[0, 0, 0]", R"({"shape": {"box": {"min": [0, 0, 0], "max": [1, 1, 1]}}})", 0.01);
  Table& t = r.world().table("b");
  t.column<Vec<3>>("force")[0] = {{500, 0, 0}};
  t.column<Vec<3>>("torque")[0] = {{0, 250, 0}};
  r.advance(2);
  CHECK(r.at<3>("velocity")[0] == Approx(500 * 0.01 / 1000).epsilon(1e-5));
  CHECK(r.at<3>("angular_velocity")[1] == Approx(250 * 0.01 / (1000 / 6.0)).epsilon(1e-5));
}

TEST_CASE("rigid: damping is exponential") {
  Flight r(
      3, "[0, 0, 0]",
      R"({"shape": {"box": {"min": [0, 0, 0], "max": [1, 1, 1]}}, "velocity": [4, 0, 0], "angular_velocity": [0, 0, 2]})",
      0.01, R"(, "linear_damping": 2, "angular_damping": 0.5)");
  r.advance(100);
  CHECK(r.at<3>("velocity")[0] == Approx(4 * std::exp(-2.0)).epsilon(1e-4));
  CHECK(r.at<3>("angular_velocity")[2] == Approx(2 * std::exp(-0.5)).epsilon(1e-4));
}
