#include <catch2/catch.hpp>
#include <cmath>

#include "support/joined.h"

using namespace rtsim;

namespace {
constexpr double g = 9.81;
}

TEST_CASE("rigid: a rotor on its axle turns at 1e4 rad/s and stays there") {
  // Ten radians a substep: nothing slows it but rounding, 6e-8 of its speed in each of 1920.
  Joined r(3, "[0, -9.81, 0]",
           R"({"name": "s", "mass": 1, "shape": {"cylinder": {"a": [0, 0, -0.02], "b": [0, 0, 0.02],
               "radius": 0.1}}, "angular_velocity": [0, 0, 1e4]})",
           R"({"name": "axle", "kind": "hinge", "a": "s", "at": [0, 0, 0], "axis": [0, 0, 1]})",
           1.0 / 240);
  r.advance(480);
  CHECK(r.at("angular_velocity")[2] == Approx(1e4).epsilon(6e-8 * 1920));
  CHECK(norm(r.at("position")) < 1e-6);
  CHECK(r.measure("b.axle.force") == Approx(g).epsilon(1e-3));
}

TEST_CASE("rigid: joints hold bodies of a million times each other's mass, either way up") {
  // Light above heavy, and heavy above light: forces are the weights below, and nothing stretches.
  for (const double upper : {1e-3, 1e3}) {
    const double lower = 1 / upper;
    Joined r(
        3, "[0, -9.81, 0]",
        fmt::format(
            R"({{"name": "u", "mass": {}, "shape": {{"capsule": {{"a": [0, -0.2, 0], "b": [0, -0.8, 0], "radius": 0.1}}}}}},
                    {{"name": "l", "mass": {}, "shape": {{"sphere": {{"centre": [0, -1.5, 0], "radius": 0.3}}}},
                      "velocity": [1, 0, 0]}})",
            upper, lower),
        R"({"name": "top", "kind": "ball", "a": "u", "at": [0, 0, 0]},
                {"name": "mid", "kind": "ball", "a": "u", "b": "l", "at": [0, -1, 0]})",
        1.0 / 240);
    // The first solve stops what the joints do not allow; from there energy stays, but for half a
    // kick of power, h / 2 m g v.
    r.advance(1);
    const double start = r.energy();
    double worst = 0, error = 0, tension = 0;
    for (int n = 0; n < 480; ++n) {
      r.advance(1);
      worst = std::max(worst, std::abs(r.energy() - start));
      error = std::max(error, r.measure("b.joint_error"));
      tension += r.measure("b.top.force") / 480;
    }
    CAPTURE(upper, worst, error, tension);
    CHECK(worst < 1.0 / 960 * (upper + lower) * g);
    CHECK(error < 1e-4);
    // A swing of 0.2 rad or less bears the weight and up to 1 + a^2 / 4 of it in the mean.
    CHECK(tension == Approx((upper + lower) * g).epsilon(0.02));
  }
}

TEST_CASE("rigid: joined bodies that overlap hold still, unless they are to collide") {
  const auto run = [](const char* collide) {
    Joined r(
        3, "[0, 0, 0]",
        R"({"name": "a", "mass": 1, "shape": {"box": {"min": [0, 0, 0], "max": [1, 0.2, 0.2]}}},
                {"name": "b", "mass": 1, "shape": {"box": {"min": [0.9, 0, 0], "max": [1.9, 0.2, 0.2]}}})",
        fmt::format(R"({{"kind": "ball", "a": "a", "b": "b", "at": [0.95, 0.1, 0.1]
                             {}}})",
                    collide),
        1.0 / 240);
    double fastest = 0, error = 0;
    for (int n = 0; n < 480; ++n) {
      r.advance(1);
      fastest = std::max(fastest, r.measure("b.kinetic_energy"));
      error = std::max(error, r.measure("b.joint_error"));
    }
    CHECK(error < 1e-4);
    return fastest;
  };
  CHECK(run("") < 1e-9);
  // Contacts push with 3 m/s at most, and the joint does not let them: less than one such push.
  CHECK(run(R"(, "collide": true)") < 2 * 0.5 * 3 * 3);
}

TEST_CASE("rigid: what joints hold sleeps and wakes as one") {
  // Two bodies hang at rest: they touch nothing. The joint above goes on bearing both.
  Joined r(3, "[0, -9.81, 0]",
           R"({"name": "u", "mass": 1, "shape": {"sphere": {"centre": [0, -1, 0], "radius": 0.2}}},
              {"name": "l", "mass": 2, "shape": {"sphere": {"centre": [0, -2, 0], "radius": 0.2}}},
              {"name": "far", "mass": 1, "shape": {"sphere": {"centre": [9, -1, 0], "radius": 0.2}}})",
           R"({"name": "top", "kind": "ball", "a": "u", "at": [0, 0, 0]},
              {"kind": "ball", "a": "u", "b": "l", "at": [0, -1.5, 0]},
              {"kind": "ball", "a": "far", "at": [9, 0, 0]})",
           1.0 / 60, R"(, "sleep_after": 0.5)");
  r.advance(60);
  REQUIRE(r.measure("b.asleep") == 3);
  const auto x = r.world().table("b").download<Vec<3>>("position");
  r.advance(60);
  CHECK(r.world().table("b").download<Vec<3>>("position") == x);
  CHECK(r.measure("b.top.force") == Approx(3 * g).epsilon(1e-4));
  r.world().table("b").column<Vec<3>>("force")[0] = {{30, 0, 0}};  // for one step
  r.advance(1);
  CHECK(r.measure("b.asleep") == 1);
  CHECK(norm(r.at("velocity", 1)) > 0);
  // 0.5 N s on the upper body: I / r = 0.25 m of it on the way to the lower one.
  r.advance(20);
  CHECK(r.measure("b.joint_error") < 1e-4);
  CHECK(r.measure("b.asleep") == 1);
}
