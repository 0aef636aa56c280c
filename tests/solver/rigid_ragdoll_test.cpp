#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "support/joined.h"

using namespace rtsim;

namespace {

constexpr double g = 9.81;

// A ball of 1 kg that turns about a joint in its centre, whose axis is x.
std::string turning(const Vec3d& w) {
  return fmt::format(
      R"({{"name": "s", "mass": 1, "shape": {{"sphere": {{"centre": [0, 0, 0], "radius": 0.1}}}},
                         "angular_velocity": [{}, {}, {}]}})",
      w[0], w[1], w[2]);
}
const char* limited = R"({"kind": "ball", "a": "s", "at": [0, 0, 0], "axis": [1, 0, 0],
                          "cone": 0.5, "twist": [-0.3, 0.4]})";

// The rotation vector [rad].
Vec3d turned(Joined& r) {
  const auto q = r.world().table("b").download<Vec<4>>("orientation")[0];
  const Vec3d u{{double(q[0]), double(q[1]), double(q[2])}};
  const double s = norm(u);
  return s > 0 ? (2 * std::atan2(s, double(q[3])) / s) * u : u;
}

}  // namespace

TEST_CASE(
    "rigid_ragdoll: swings stop at the cone whichever way they go, and twists at their ends") {
  // At a constant rate until the limit, which is met at a substep's end: 1 rad/s, 1/960 s. Then it
  // rests there, since limits do not bounce.
  struct Way {
    Vec3d along;
    double stops;
  };
  const double half = std::sqrt(0.5);
  for (const Way& way : {Way{{{0, 1, 0}}, 0.5},
                         {{{0, -1, 0}}, 0.5},
                         {{{0, 0, 1}}, 0.5},
                         {{{0, half, -half}}, 0.5},
                         {{{1, 0, 0}}, 0.4},
                         {{{-1, 0, 0}}, 0.3}}) {
    Joined r(3, "[0, 0, 0]", turning(way.along), limited, 1.0 / 240);
    CAPTURE(way.along[0], way.along[1], way.along[2]);
    for (int n = 1; n <= 240; ++n) {
      r.advance(1);
      const double angle = dot(turned(r), way.along), exact = std::min(n / 240.0, way.stops);
      REQUIRE(angle == Approx(exact).margin(1.1e-3));
    }
    CHECK(norm(r.at("angular_velocity")) < 1e-3);
  }
}

TEST_CASE("rigid_ragdoll: a limited twist has a cone, as opposite axes know no twist") {
  const auto swung = [](const char* more) {
    return Joined(3, "[0, 0, 0]", turning({{0, 3, 0.1}}),
                  fmt::format(R"({{"kind": "ball", "a": "s", "at": [0, 0, 0], "axis": [1, 0, 0],
                                  "twist": [-0.3, 0.4] {}}})",
                              more),
                  1.0 / 240);
  };
  Joined r = swung("");
  r.advance(480);
  CHECK(norm(turned(r)) == Approx(2.8).margin(0.02));
  CHECK_THROWS_WITH(swung(R"(, "cone": 3)"), Catch::Contains("cone: must be at most 2.8 rad"));
}

TEST_CASE("rigid_ragdoll: a rope from 0 to 1 m long lets its end go past the other") {
  Joined r(
      3, "[0, 0, 0]",
      R"({"name": "s", "mass": 1, "shape": {"sphere": {"centre": [0.5, 0, 0], "radius": 0.1}},
               "velocity": [-1, 0, 0]})",
      R"({"kind": "distance", "a": "s", "at": [0.5, 0, 0], "to": [0, 0, 0], "limits": [0, 1]})",
      1.0 / 240);
  r.advance(240);
  CHECK(r.at("position")[0] == Approx(-0.5).margin(1e-5));
  CHECK(r.at("velocity")[0] == Approx(-1).epsilon(1e-5));
}

TEST_CASE("rigid_ragdoll: an arm is driven to a pose and held there") {
  // The elbow's motor drives to its limit at 1 rad/s, against a forearm of 1.3 kg; the shoulder's
  // spring holds both. At rest each bears the moment of what hangs from it.
  const double k = 60, upper = 2, fore = 1.3;
  Joined r(3, "[0, -9.81, 0]",
           fmt::format(R"({{"name": "upper", "mass": {}, "shape": {{"capsule":
                 {{"a": [0.1, 0, 0], "b": [0.3, 0, 0], "radius": 0.05}}}}}},
               {{"name": "fore", "mass": {}, "shape": {{"capsule":
                 {{"a": [0.4, 0, 0], "b": [0.6, 0, 0], "radius": 0.045}}}}}})",
                       upper, fore),
           fmt::format(R"({{"name": "shoulder", "kind": "ball", "a": "upper", "at": [0, 0, 0],
                 "axis": [1, 0, 0], "cone": 1.5, "twist": [-1, 1],
                 "spring": {{"stiffness": {}, "damping": 5}}}},
               {{"name": "elbow", "kind": "hinge", "a": "upper", "b": "fore", "at": [0.35, 0, 0],
                 "axis": [0, 0, 1], "limits": [0, 1.2],
                 "motor": {{"speed": 1, "strength": 20}}}})",
                       k),
           1.0 / 240);
  r.advance(144);
  // It is on its way at its speed, as long as 20 N m are enough.
  CHECK(r.measure("b.elbow.angle") == Approx(0.6).margin(2e-3));
  r.advance(2400);
  CHECK(r.measure("b.elbow.angle") == Approx(1.2).margin(1e-3));
  CHECK(r.measure("b.kinetic_energy") < 1e-6);
  const Vec3d at_upper = r.at("position", 0), at_fore = r.at("position", 1);
  const double sag = std::atan2(-at_upper[1], at_upper[0]);
  CHECK(k * sag == Approx(g * (upper * at_upper[0] + fore * at_fore[0])).epsilon(2e-3));
  const double elbow_x = 0.35 * std::cos(sag);
  CHECK(r.measure("b.elbow.drive") == Approx(g * fore * (at_fore[0] - elbow_x)).epsilon(2e-3));
}

// Contacts have the mass of all that joints hang on them: a linkage that lands on one of its bodies
// stops as one body would, which without restitution does not rise again. What may be left is a
// fifth of a contact's speed, twice a substep, and what pushes overlaps out again.
TEST_CASE("rigid_ragdoll: a linkage that lands on its end stays there") {
  struct Pole {
    const char* joint;
    int bodies;
    double size, fps, speed, tilt;  // [m], [1/s], [m/s], [rad]
  };
  for (const Pole& p :
       {Pole{R"("kind": "fixed")", 12, 0.3, 60, 12, 0},
        Pole{R"("kind": "ball", "cone": 0.02, "twist": [-0.02, 0.02])", 9, 0.07, 240, 7, 0},
        Pole{R"("kind": "hinge", "limits": [0, 0.001])", 12, 0.3, 30, 12, 0},
        Pole{R"("kind": "fixed")", 17, 1.9, 100, 5, 0},
        Pole{R"("kind": "fixed")", 7, 0.13, 48, 3, 0.4}}) {
    CAPTURE(p.joint, p.bodies, p.size, p.fps);
    std::string bodies, joints;
    const double s = std::sin(p.tilt), c = std::cos(p.tilt);
    for (int k = 0; k < p.bodies; ++k) {
      const double y = k * p.size, j = y - 0.5 * p.size;
      bodies += fmt::format(
          R"({}{{"name": "b{}", "velocity": [0, {}, 0],
              "shape": {{"sphere": {{"centre": [{}, {}, 0], "radius": {}}}}}}})",
          k ? ", " : "", k, -p.speed, s * y, c * y, 0.45 * p.size);
      if (k > 0)
        joints += fmt::format(R"({}{{{}, "a": "b{}", "b": "b{}", "at": [{}, {}, 0]{}}})",
                              k > 1 ? ", " : "", p.joint, k - 1, k, s * j, c * j,
                              std::string(p.joint).find("fixed") == std::string::npos
                                  ? fmt::format(R"(, "axis": [{}, {}, {}])", p.tilt > 0 ? s : 0.0,
                                                p.tilt > 0 ? c : 1.0, 0.0)
                                  : std::string());
    }
    Running r(fmt::format(
                  R"({{"rtsim": 1, "dim": 3, "time": {{"fps": {}, "frames": 1000000}},
  "objects": [{{"name": "b", "kind": "bodies", "density": 1000, "bodies": [{}], "joints": [{}]}},
    {{"name": "floor", "kind": "boundary",
      "shape": {{"plane": {{"point": [0, {}, 0], "normal": [0, 1, 0]}}}}}}],
  "stages": [{{"type": "rigid", "bodies": "b", "boundary": ["floor"]}}]}})",
                  p.fps, bodies, joints, -0.56 * p.size),
              Exec::cpu(1));
    const auto energy = [&] {
      return r.measure("b.kinetic_energy") + r.measure("b.potential_energy");
    };
    const double landing = r.measure("b.kinetic_energy");
    double least = energy(), rise = 0, up = 0, deep = 0;
    for (int n = 0; n < int(0.4 * p.fps); ++n) {
      r.advance(1);
      least = std::min(least, energy()), rise = std::max(rise, energy() - least);
      up = std::max(up, r.measure("b.momentum.y") / r.measure("b.mass"));
      deep = std::max(deep, r.measure("b.penetration"));
    }
    CHECK(rise < 2e-3 * landing);
    CHECK(up < 0.02 * p.speed);
    CHECK(deep < 0.02 * p.size);
  }
}
