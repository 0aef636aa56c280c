#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "support/joined.h"

using namespace rtsim;

namespace {

constexpr double g = 9.81, pi = 3.14159265358979323846;
constexpr bool in_doubles = sizeof(Real) == 8;

// A ball of 0.1 m on a weightless arm of 1 m, held at the origin, at rest at so many degrees from
// straight down.
std::string bob(double degrees) {
  const double t = degrees * pi / 180;
  return fmt::format(R"({{"name": "bob", "mass": 2, "shape": {{"sphere": {{"centre": [{}, {}, 0],
                         "radius": 0.1}}}}}})",
                     std::sin(t), -std::cos(t));
}

// Quarter periods are between where the angle crosses zero, by interpolation.
double period(Joined& r, double dt) {
  double first = -1, before = r.at("position")[0];
  int crossings = 0;
  for (int n = 1; n < 100000; ++n) {
    r.advance(1);
    const double x = r.at("position")[0];
    if (before > 0 && x <= 0) {
      const double t = dt * (n - 1 + before / (before - x));
      if (first >= 0) return t - first;
      first = t;
      ++crossings;
    }
    before = x;
  }
  return -1;
}

}  // namespace

TEST_CASE("rigid: a pendulum swings with the period of its amplitude") {
  // T / T0 = 2 K(sin(a / 2)) / pi. A ball held at an arm l: T0 = 2 pi sqrt(I / (m g l)), with
  // I / (m l) = l + 2 r^2 / (5 l). Steps are of second order: 1/480 s in 4 substeps leave
  // (w h)^2 / 24 = 1e-7, and 20 times that at 150 degrees; floats round positions by 1e-7 of what
  // is passed in a substep near the turning points.
  const double t0 = 2 * pi * std::sqrt((1 + 0.4 * 0.01) / g);
  const double figures[][2] = {{10, 1.0019072}, {45, 1.0399733}, {90, 1.1803406}, {150, 1.7622037}};
  for (const auto& [degrees, ratio] : figures) {
    for (const char* kind : {"ball", "hinge", "distance"}) {
      // On a bar the ball itself does not turn.
      const bool bar = std::string(kind) == "distance";
      const double dt = 1.0 / 480, t = degrees * pi / 180;
      Joined r(
          3, "[0, -9.81, 0]", bob(degrees),
          bar ? fmt::format(
                    R"({{"kind": "distance", "a": "bob", "at": [{}, {}, 0], "to": [0, 0, 0]}})",
                    std::sin(t), -std::cos(t))
              : fmt::format(R"({{"kind": "{}", "a": "bob", "at": [0, 0, 0], "axis": [0, 0, 1]}})",
                            kind),
          dt);
      CAPTURE(degrees, kind);
      CHECK(period(r, dt) / (bar ? 2 * pi * std::sqrt(1 / g) : t0) ==
            Approx(ratio).epsilon(in_doubles ? 2e-5 : 2e-4));
    }
  }
}

TEST_CASE("rigid: a pendulum in the plane swings as in space") {
  const double dt = 1.0 / 480, t0 = 2 * pi * std::sqrt((1 + 0.5 * 0.01) / g);
  Joined r(2, "[0, -9.81]",
           R"({"name": "bob", "mass": 2, "shape": {"sphere": {"centre": [1, 0], "radius": 0.1}}})",
           R"({"kind": "hinge", "a": "bob", "at": [0, 0]})", dt);
  CHECK(period(r, dt) / t0 == Approx(1.1803406).epsilon(in_doubles ? 2e-5 : 2e-4));
}

// A rod on its end has next to no inertia about its own axis, and needs none to swing. Velocities
// are half a substep behind places, by up to m g v h / 2 of the energy, here 0.2 J of the 4.9 J
// that are exchanged. It lost 0.7 J in 3 s.
TEST_CASE("rigid: a slender pendulum keeps its energy at the frame's own step") {
  const double dt = 1.0 / 60;
  for (const double turn : {0., 0.4, 1.1}) {  // about x, with gravity
    Joined r(3, fmt::format("[0, {}, {}]", -g * std::cos(turn), -g * std::sin(turn)),
             R"({"name": "rod", "mass": 1, "shape": {"capsule": {"a": [0.05, 0, 0],
                 "b": [0.95, 0, 0], "radius": 0.05}}})",
             R"({"kind": "ball", "a": "rod", "at": [0, 0, 0]})", dt, R"(, "substeps": 1)");
    const double start = r.energy();
    r.advance(180);
    CAPTURE(turn, start, r.energy());
    CHECK(std::abs(r.energy() - start) < 0.5 * g * std::sqrt(1.5 * g) * dt / 2);
  }
}

// Five links between two points that are as far apart as the links are long: nothing may move.
TEST_CASE("rigid: a chain drawn taut between two points gains no energy and stays together") {
  Joined r(3, "[0, -9.81, 0]",
           R"({"name": "links", "mass": 0.1, "shape": {"capsule": {"a": [0.04, 0, 0],
               "b": [0.16, 0, 0], "radius": 0.02}},
               "array": {"count": [5, 1, 1], "step": [0.2, 0, 0]}})",
           R"({"kind": "ball", "a": "links[0]", "at": [0, 0, 0]},
              {"kind": "ball", "a": "links", "b": "links", "at": [0.2, 0, 0]},
              {"kind": "ball", "a": "links[-1]", "at": [1, 0, 0]})",
           1.0 / 60, R"(, "substeps": 1)");
  const double start = r.energy();
  double most = start, gap = 0;
  for (int n = 0; n < 120; ++n) {
    r.advance(1);
    most = std::max(most, r.energy()), gap = std::max(gap, r.measure("b.joint_error"));
  }
  CAPTURE(start, most, gap);
  CHECK(most - start < 0.2);  // it gained 7 J
  CHECK(gap < 1e-4);
}

TEST_CASE("rigid: a double pendulum keeps its energy, better by the square of the substep") {
  // Kicks before drifts leave velocities half a substep behind: with that half kick, p g h / 2 of
  // power, what is left of the error is of second order. Floats round each body's speed of up to 6
  // m/s by 2.4e-7 in a substep, m v dv, and 3000 of them at random to 1e-4 J.
  const std::string bodies =
      R"({"name": "u", "mass": 1, "shape": {"box": {"min": [0, -0.05, -0.05], "max": [1, 0.05, 0.05]}}},
         {"name": "l", "mass": 1, "shape": {"box": {"min": [1, -0.05, -0.05], "max": [2, 0.05, 0.05]}}})";
  const std::string joints =
      R"({"kind": "hinge", "a": "u", "at": [0, 0, 0], "axis": [0, 0, 1]},
         {"kind": "hinge", "a": "u", "b": "l", "at": [1, 0, 0], "axis": [0, 0, 1]})";
  double worst[2];
  for (int k = 0; k < 2; ++k) {
    const int substeps = k == 0 ? 10 : 20;
    Joined r(3, "[0, -9.81, 0]", bodies, joints, 0.01,
             fmt::format(R"(, "substeps": {})", substeps));
    const auto energy = [&] {
      return r.energy() - 0.5 * 0.01 / substeps * g * r.measure("b.momentum.y");
    };
    const double start = energy();
    worst[k] = 0;
    for (int n = 0; n < 150; ++n) {
      r.advance(1);
      worst[k] = std::max(worst[k], std::abs(energy() - start));
    }
  }
  CAPTURE(worst[0], worst[1]);
  CHECK(worst[1] < worst[0] / 3.5 + (in_doubles ? 0 : 1e-4));
}

TEST_CASE("rigid: joined bodies in free space keep momentum and angular momentum") {
  const std::string bodies =
      R"({"name": "a", "shape": {"box": {"min": [0, 0, 0], "max": [1, 0.2, 0.3]}}, "velocity": [1, 2, 0.5], "angular_velocity": [3, -2, 5]},
         {"name": "b", "shape": {"box": {"min": [1, 0, 0], "max": [1.5, 0.4, 0.3]}}, "velocity": [-1, 0, 0.5]},
         {"name": "c", "shape": {"box": {"min": [1.5, 0, 0], "max": [2, 0.2, 0.3]}}, "angular_velocity": [0, 4, 1]},
         {"name": "d", "shape": {"box": {"min": [2, 0, 0], "max": [2.2, 0.2, 0.7]}}},
         {"name": "e", "shape": {"box": {"min": [2, 1, 0], "max": [2.2, 1.2, 0.7]}}, "velocity": [0, 0, 4]})";
  const std::string joints =
      R"({"kind": "ball", "a": "a", "b": "b", "at": [1, 0.1, 0.1], "axis": [1, 0, 0], "cone": 0.5, "twist": [-0.3, 0.3]},
         {"kind": "hinge", "a": "b", "b": "c", "at": [1.5, 0.1, 0.1], "axis": [0, 1, 1], "limits": [-0.4, 1]},
         {"kind": "slider", "a": "c", "b": "d", "at": [2, 0.1, 0.1], "axis": [1, 0, 0], "spring": {"stiffness": 5000, "damping": 10}},
         {"kind": "distance", "a": "d", "b": "e", "at": [2.1, 0.1, 0.1], "to": [2.1, 1.1, 0.1], "limits": [0.5, 1.2]})";
  Joined r(3, "[0, 0, 0]", bodies, joints, 1.0 / 120);
  const auto momentum = [&] {
    return Vec3d{{r.measure("b.momentum.x"), r.measure("b.momentum.y"), r.measure("b.momentum.z")}};
  };
  // The first step stops what the joints do not allow, which is the hardest one.
  const Vec3d p = momentum(), l = r.spin();
  r.advance(240);
  // Each of 5 bodies is rounded in 960 substeps, by an eps of what it has, of either sign.
  const double kept = 4 * std::numeric_limits<Real>::epsilon() * std::sqrt(5 * 960.0);
  CAPTURE(norm(momentum() - p) / norm(p), norm(r.spin() - l) / norm(l));
  CHECK(norm(momentum() - p) < kept * norm(p));
  CHECK(norm(r.spin() - l) < kept * norm(l));
  CHECK(r.measure("b.joint_error") < 1e-3);
}

TEST_CASE("rigid: a fast top precesses at M g l / (I w)") {
  // A disc of 0.5 m on a tip 1 m below it, its axis at 30 degrees, started in steady precession:
  // I3 W w3 - (I1 - I3) W^2 cos = M g l with I1 about the tip; W = M g l / (I3 w) to 1 %.
  const double tilt = pi / 6, w = 300, rad = 0.5, half = 0.05, l = 1;
  const double i3 = 0.5 * rad * rad, i1 = 0.25 * rad * rad + half * half / 3 + l * l;
  const double wanted = g * l / (i3 * w);
  const Vec3d axis{{std::sin(tilt), std::cos(tilt), 0}};
  // w3 = W cos + spin; the angular velocity is W up + (w3 - W cos) axis.
  double precession = wanted;
  for (int n = 0; n < 20; ++n)
    precession = (g * l + (i1 - i3) * precession * precession * std::cos(tilt)) / (i3 * w);
  const double spin = w - precession * std::cos(tilt);
  const Vec3d a = (l - half) * axis, b = (l + half) * axis;
  Joined r(
      3, "[0, -9.81, 0]",
      fmt::format(
          R"({{"name": "top", "mass": 1, "shape": {{"cylinder": {{"a": [{}, {}, {}], "b": [{}, {}, {}],
                         "radius": {}}}}}, "angular_velocity": [{}, {}, {}],
                         "velocity": [0, 0, {}]}})",
          a[0], a[1], a[2], b[0], b[1], b[2], rad, spin * axis[0], spin * axis[1] + precession,
          spin * axis[2], -precession * l * std::sin(tilt)),
      R"({"kind": "ball", "a": "top", "at": [0, 0, 0]})", 1e-3);
  const int steps = 1000;
  r.advance(steps);
  const Vec3d x = r.at("position");
  const double turned = std::atan2(-x[2], x[0]);
  CAPTURE(turned, wanted);
  CHECK(turned / (steps * 1e-3) == Approx(wanted).epsilon(0.01));
  CHECK(x[1] == Approx(std::cos(tilt)).epsilon(1e-3));  // it does not nod
}

TEST_CASE("rigid: a gyroscope with a level axle goes round instead of falling") {
  const double w = 300, rad = 0.5, l = 1, wanted = g * l / (0.5 * rad * rad * w);
  Joined r(3, "[0, -9.81, 0]",
           fmt::format(R"({{"name": "disc", "mass": 1, "shape": {{"cylinder": {{"a": [0.95, 0, 0],
                         "b": [1.05, 0, 0], "radius": 0.5}}}}, "angular_velocity": [{}, {}, 0],
                         "velocity": [0, 0, {}]}})",
                       w, wanted, -wanted * l),
           R"({"kind": "ball", "a": "disc", "at": [0, 0, 0]})", 1e-3);
  r.advance(2000);
  const Vec3d x = r.at("position");
  CHECK(std::abs(x[1]) < 1e-3);
  CHECK(std::atan2(-x[2], x[0]) == Approx(2 * wanted).epsilon(0.01));
}

TEST_CASE("rigid: a slider falls along its axis alone") {
  for (const int dim : {2, 3}) {
    const double tilt = 0.4;
    const std::string z = dim == 2 ? "" : ", 0";
    Joined r(
        dim, fmt::format("[0, -9.81{}]", z),
        dim == 2
            ? R"({"name": "s", "shape": {"box": {"min": [-0.1, -0.2], "max": [0.3, 0.2]}}})"
            : R"({"name": "s", "shape": {"box": {"min": [-0.1, -0.2, -0.1], "max": [0.3, 0.2, 0.3]}}})",
        fmt::format(
            R"({{"name": "rail", "kind": "slider", "a": "s", "at": [1, 0{}], "axis": [{}, {}{}]}})",
            z, std::cos(tilt), -std::sin(tilt), z),
        0.01);
    const Vec3d start = r.at("position");
    r.advance(100);
    const Vec3d moved = r.at("position") - start;
    // Kick, then drift, in 400 substeps: (1 + 1 / 400) g sin t^2 / 2.
    const double s = 0.5 * g * std::sin(tilt) * (1 + 1 / 400.0);
    CAPTURE(dim);
    CHECK(moved[0] == Approx(s * std::cos(tilt)).epsilon(1e-4));
    CHECK(moved[1] == Approx(-s * std::sin(tilt)).epsilon(1e-4));
    CHECK(r.measure("b.rail.shift") == Approx(s).epsilon(1e-4));
  }
}

TEST_CASE("rigid: spring joints swing at the root of k over m") {
  // Implicit springs lower their frequency by (w h)^2 / 8 and more: w h = 0.006 here.
  const double k = 50, m = 2, w = std::sqrt(k / m), dt = 1.0 / 200;
  Joined r(
      3, "[0, 0, 0]",
      R"({"name": "s", "mass": 2, "shape": {"sphere": {"centre": [1.2, 0, 0], "radius": 0.1}}})",
      R"({"kind": "slider", "a": "s", "at": [1.2, 0, 0], "axis": [1, 0, 0], "name": "spring",
               "spring": {"stiffness": 50, "rest": -0.2}})",
      dt);
  double first = -1, before = 1, t = 0;
  for (int n = 1; n < 2000; ++n) {
    r.advance(1);
    const double x = r.at("position")[0] - 1;
    if (before > 0 && x <= 0) {
      const double now = dt * (n - 1 + before / (before - x));
      if (first >= 0) {
        t = now - first;
        break;
      }
      first = now;
    }
    before = x;
  }
  CHECK(t == Approx(2 * pi / w).epsilon(1e-3));
}

TEST_CASE("rigid: a motor gives no more than its torque, and reaches its speed") {
  // I about the axis of a cube of side 0.4 m and 3 kg.
  const double inertia = 3 * 0.4 * 0.4 / 6, torque = 0.2, speed = -4;
  Joined r(
      3, "[0, 0, 0]",
      R"({"name": "s", "mass": 3, "shape": {"box": {"min": [-0.2, -0.2, -0.2], "max": [0.2, 0.2, 0.2]}}})",
      R"({"name": "axle", "kind": "hinge", "a": "s", "at": [0, 0, 0], "axis": [0, 0, 1],
               "motor": {"speed": -4, "strength": 0.2}})",
      0.01);
  r.advance(50);
  CHECK(r.at("angular_velocity")[2] == Approx(-torque / inertia * 0.5).epsilon(1e-3));
  r.advance(250);
  CHECK(r.at("angular_velocity")[2] == Approx(speed).epsilon(1e-4));
  CHECK(r.measure("b.axle.angle") < -2 * pi);  // turns are counted
}

TEST_CASE("rigid: a brake holds up to its torque and slips above it") {
  // A bar of 1 kg and 1 m, level, hinged at its end: m g / 2.
  for (const double share : {0.98, 1.02}) {
    Joined r(
        3, "[0, -9.81, 0]",
        R"({"name": "s", "mass": 1, "shape": {"box": {"min": [0, -0.05, -0.05], "max": [1, 0.05, 0.05]}}})",
        fmt::format(
            R"({{"name": "axle", "kind": "hinge", "a": "s", "at": [0, 0, 0], "axis": [0, 0, 1],
                 "motor": {{"speed": 0, "strength": {}}}}})",
            share * g / 2),
        0.01);
    r.advance(50);
    const double fell = -r.at("position")[1];
    CAPTURE(share, fell);
    // Slipping begins at 2 % of m g / 2 over I = m / 3: 0.147 rad/s^2, for 0.5 s.
    CHECK((share < 1 ? fell > 0.005 : std::abs(fell) < 1e-6));
  }
}

TEST_CASE("rigid: hinges stop at their limits and do not stick to them") {
  Joined r(
      3, "[0, -9.81, 0]",
      R"({"name": "s", "mass": 1, "shape": {"box": {"min": [0, -0.05, -0.05], "max": [1, 0.05, 0.05]}}})",
      R"({"name": "axle", "kind": "hinge", "a": "s", "at": [0, 0, 0], "axis": [0, 0, 1],
               "limits": [-0.7, 0]})",
      0.01);
  r.advance(300);
  CHECK(r.measure("b.axle.angle") == Approx(-0.7).margin(1e-4));
  CHECK(norm(r.at("angular_velocity")) < 1e-3);
  r.world().table("b").column<Vec<3>>("torque")[0] = {{0, 0, 2000}};  // for one step
  r.advance(5);
  CHECK(r.measure("b.axle.angle") > -0.65);
}

TEST_CASE("rigid: cone and twist limits hold") {
  Joined r(
      3, "[0, -9.81, 0]",
      R"({"name": "s", "mass": 1, "shape": {"box": {"min": [0, -0.05, -0.1], "max": [1, 0.05, 0.1]}},
               "angular_velocity": [9, 0, 0]})",
      R"({"kind": "ball", "a": "s", "at": [0, 0, 0], "axis": [1, 0, 0], "cone": 0.5,
               "twist": [-0.3, 0.4]})",
      0.005);
  double widest = 0, most = 0;
  for (int n = 0; n < 400; ++n) {
    r.advance(1);
    const auto q = r.world().table("b").download<Vec<4>>("orientation")[0];
    const double swing = 2 * std::asin(std::hypot(double(q[1]), double(q[2])));
    widest = std::max(widest, swing);
    most = std::max(most, std::abs(2 * std::atan2(double(q[0]), double(q[3]))));
  }
  // Limits are met at the end of a substep, to second order in what is turned in one: 1e-2.
  CHECK(widest == Approx(0.5).margin(2e-3));
  CHECK(most < 0.4 + 2e-3);
  CHECK(most > 0.29);
}

TEST_CASE("rigid: a loop of four bars turns without opening") {
  // A crank of 0.2 m at (0, 0), a rod of 1 m and a rocker of 0.8 m at (1, 0): in space four hinges
  // say three things twice.
  const double x = 0, y = 0.2;  // the crank's end
  // Where circles of 1 m about it and of 0.8 m about (1, 0) meet.
  const double d = std::hypot(1 - x, y), along = (1 - 0.64 + d * d) / (2 * d),
               up = std::sqrt(1 - along * along);
  const double px = x + along * (1 - x) / d + up * y / d, py = y - along * y / d + up * (1 - x) / d;
  const auto bar = [](const char* name, double x0, double y0, double x1, double y1) {
    return fmt::format(
        R"({{"name": "{}", "mass": 1, "shape": {{"capsule": {{"a": [{}, {}, 0], "b": [{}, {}, 0],
                       "radius": 0.02}}}}}})",
        name, x0, y0, x1, y1);
  };
  const auto hinge = [](const char* a, const char* b, double x0, double y0, const char* more) {
    return fmt::format(
        R"({{"kind": "hinge", "a": "{}" {}, "at": [{}, {}, 0], "axis": [0, 0, 1] {}}})", a,
        *b ? fmt::format(R"(, "b": "{}")", b) : "", x0, y0, more);
  };
  Joined r(
      3, "[0, -9.81, 0]",
      bar("crank", 0, 0, x, y) + "," + bar("rod", x, y, px, py) + "," + bar("rocker", 1, 0, px, py),
      hinge("crank", "", 0, 0, R"(, "name": "axle", "motor": {"speed": -6, "strength": 100})") +
          "," + hinge("crank", "rod", x, y, "") + "," + hinge("rod", "rocker", px, py, "") + "," +
          hinge("rocker", "", 1, 0, ""),
      1.0 / 240);
  double worst = 0;
  for (int n = 0; n < 480; ++n) {
    r.advance(1);
    worst = std::max(worst, r.measure("b.joint_error"));
  }
  CHECK(worst < 1e-4);
  CHECK(r.measure("b.axle.angle") == Approx(-12).epsilon(1e-2));
}
