#include <catch2/catch.hpp>
#include <cmath>

#include "support/joined.h"

using namespace rtsim;

namespace {

constexpr double pi = 3.14159265358979323846;

// A ball of 2 kg and 0.1 m in empty space at the origin.
std::string ball(const std::string& more) {
  return R"({"name": "s", "mass": 2, "shape": {"sphere": {"centre": [0, 0, 0], "radius": 0.1}} )" +
         more + "}";
}
constexpr double inertia = 0.4 * 2 * 0.01;

}  // namespace

TEST_CASE("rigid: what a motor gives times its rate is the power that its load gains") {
  // Full torque all the way to its speed, 1.6 s or 640 substeps. Drifts after kicks are half a
  // substep ahead: 1 / 640 more. Then it has nothing left to do.
  const double spin = 4, torque = inertia * spin / 1.6;
  Joined r(3, "[0, 0, 0]", ball(""),
           fmt::format(R"({{"name": "axle", "kind": "hinge", "a": "s", "at": [0, 0, 0],
                           "axis": [0, 0, 1], "motor": {{"speed": {}, "strength": {}}}}})",
                       spin, torque),
           0.01);
  double work = 0, before = 0;
  for (int n = 0; n < 200; ++n) {
    r.advance(1);
    const double angle = r.measure("b.axle.angle");
    work += r.measure("b.axle.drive") * (angle - before);
    before = angle;
    if (n < 158) CHECK(r.measure("b.axle.drive") == Approx(torque).epsilon(1e-6));
  }
  CHECK(work == Approx(0.5 * inertia * spin * spin).epsilon(4e-3));
  CHECK(r.measure("b.kinetic_energy") == Approx(0.5 * inertia * spin * spin).epsilon(1e-4));
  CHECK(std::abs(r.measure("b.axle.drive")) < 1e-4 * torque);
}

TEST_CASE("rigid: a motor that lifts gives the moment of the weight") {
  // A level arm of 0.5 m that a motor of speed 0 holds: its torque is m g l, its axle bears m g.
  Joined r(
      3, "[0, -9.81, 0]",
      R"({"name": "s", "mass": 2, "shape": {"sphere": {"centre": [0.5, 0, 0], "radius": 0.1}}})",
      R"({"name": "axle", "kind": "hinge", "a": "s", "at": [0, 0, 0], "axis": [0, 0, 1],
               "motor": {"speed": 0, "strength": 50}})",
      0.01);
  r.advance(20);
  CHECK(r.measure("b.axle.drive") == Approx(2 * 9.81 * 0.5).epsilon(1e-4));
  CHECK(r.measure("b.axle.force") == Approx(2 * 9.81).epsilon(1e-4));
}

TEST_CASE("rigid: springs of balls swing and twist, and of hinges turn, at the root of k over I") {
  // Implicit springs: w h = 0.008 lowers the frequency by less than (w h)^2.
  const double k = 0.32, w = std::sqrt(k / inertia), dt = 1.0 / 200;
  const std::string
      joint =
          R"({"kind": "ball", "a": "s", "at": [0, 0, 0], "axis": [0, 0, 1], "spring": {"stiffness": 0.32}})",
      hinge =
          R"({"kind": "hinge", "a": "s", "at": [0, 0, 0], "axis": [0, 0, 1], "spring": {"stiffness": 0.32}})";
  for (const int axis : {0, 2, 3}) {
    const int a = axis == 3 ? 2 : axis;
    Joined r(
        3, "[0, 0, 0]",
        ball(a == 0 ? R"(, "angular_velocity": [2, 0, 0])" : R"(, "angular_velocity": [0, 0, 2])"),
        axis == 3 ? hinge : joint, dt);
    // Two quarters between the first two times that it stands still.
    double before = 2, still[2];
    int found = 0;
    for (int n = 1; n < 1000 && found < 2; ++n) {
      r.advance(1);
      const double now = r.at("angular_velocity")[a];
      if (before * now <= 0) still[found++] = dt * (n - 1 + before / (before - now));
      before = now;
    }
    CAPTURE(axis);
    REQUIRE(found == 2);
    CHECK(still[1] - still[0] == Approx(pi / w).epsilon(1e-3));
  }
}

TEST_CASE("rigid: dampers of joints slow down as exp(-c t / I)") {
  // By implicit Euler, (1 + c h / I)^-n: c h / 2 I = 0.16 % of the exponent.
  for (const char* kind : {"ball", "hinge"}) {
    Joined r(3, "[0, 0, 0]", ball(R"(, "angular_velocity": [0, 0, 2])"),
             fmt::format(R"({{"kind": "{}", "a": "s", "at": [0, 0, 0], "axis": [0, 0, 1],
                             "spring": {{"damping": 0.02}}}})",
                         kind),
             1.0 / 200);
    r.advance(200);
    CAPTURE(kind);
    CHECK(std::log(r.at("angular_velocity")[2] / 2) == Approx(-0.02 / inertia).epsilon(2e-3));
  }
}

TEST_CASE("rigid: forces of joints are there right after a resume") {
  // What a checkpoint keeps is the state; a world that takes it over has not stepped yet.
  const auto make = [] {
    return Joined(
        3, "[0, -9.81, 0]",
        R"({"name": "s", "mass": 2, "shape": {"sphere": {"centre": [0, -1, 0], "radius": 0.1}}})",
        R"({"name": "top", "kind": "ball", "a": "s", "at": [0, 0, 0]})", 0.01);
  };
  Joined a = make(), b = make();
  a.advance(10);
  Table &from = a.world().table("rigid.joints"), &to = b.world().table("rigid.joints");
  for (const Column& c : from.columns()) {
    std::vector<std::byte> bytes(std::size_t(from.rows()) * c.type.bytes());
    a.world().exec.download(bytes.data(), c.bytes.data(), bytes.size());
    b.world().exec.upload(to.column_bytes(c.info.name).bytes.data(), bytes.data(), bytes.size());
  }
  b.refresh();
  CHECK(b.measure("b.top.force") == Approx(2 * 9.81).epsilon(1e-4));
}
