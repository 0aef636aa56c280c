#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "support/running.h"

using namespace rtsim;

namespace {

constexpr double pi = 3.14159265358979323846, g = 9.81;

std::string scene(const std::string& mesh, const std::string& stage, double dt,
                  const std::string& held = "", const std::string& gravity = "[0, -9.81, 0]") {
  const std::string attach =
      held.empty() ? "" : fmt::format(R"({{"type": "attach", "mesh": "m", "points": {}}},)", held);
  return fmt::format(R"({{"rtsim": 1, "dim": 3, "gravity": {},
    "time": {{"dt": {}, "frames": 1000000}},
    "objects": [{{"name": "m", "kind": "mesh", "vertex_mass": 1, {}}}],
    "stages": [{}{{"type": "verlet", "mesh": "m", {}}}]}})",
                     gravity, dt, mesh, attach, stage);
}

std::string nodes(const std::string& positions, const std::string& edges) {
  return fmt::format(R"("mesh": {{"nodes": {{"positions": {}, "edges": {}}}}})", positions, edges);
}

std::vector<Vec3d> column(Running& r, const char* name) {
  std::vector<Vec3d> all;
  for (const auto& v : r.world().table("m").download<Vec<3>>(name)) all.push_back(widen(v));
  return all;
}

// Period of a pendulum of a stick of 1 m let go at an angle, from its passages.
double period(double angle, double dt) {
  const std::string at = fmt::format("[[0, 0, 0], [{}, {}, 0]]", std::sin(angle), -std::cos(angle));
  Running r(scene(nodes(at, "[0, 1]"), R"("drag": 0, "tolerance": 0, "iterations": 1)", dt, "[0]"),
            Exec::cpu(1));
  double before = std::sin(angle), first = 0, last = 0;
  int passages = 0;
  for (long n = 1; passages < 9; ++n) {
    r.advance(1);
    const double x = column(r, "position")[1][0];
    if (before * x < 0) {
      last = (double(n) - x / (x - before)) * dt;
      if (passages++ == 0) first = last;
    }
    before = x;
  }
  return 2 * (last - first) / (passages - 1);
}

}  // namespace

TEST_CASE("verlet: a fall is exact, and thrown up from far away no digits are lost") {
  // x = v t - g t^2 / 2 at every step: the method's differences of a parabola are exact, and so is
  // its start. At 100 m with steps of 0.2 ms a float's position has 8e-6 m, a step of g dt^2 4e-7
  // m.
  const double dt = 2e-4;
  Running r(scene(nodes("[[0, 100, 0], [1, 100, 0]]", "[0, 1]") + R"(, "velocity": [0, 3, 0])",
                  R"("drag": 0, "iterations": 1)", dt),
            Exec::cpu(1));
  r.advance(2000);
  const double t = 2000 * dt;
  // Rounding of 2000 additions to 100 m at worst in one sense, half a digit each.
  CHECK(column(r, "position")[0][1] == Approx(100 + 3 * t - g * t * t / 2).margin(2000 * 4e-6));
  CHECK(column(r, "velocity")[0][1] == Approx(3 - g * (t - dt / 2)).epsilon(1e-4));
}

TEST_CASE("verlet: a pendulum has its period at small and large amplitudes") {
  // T / T0 by the complete elliptic integral. A stick draws its end straight back to the circle,
  // and of a turn by w h is left atan(w h): energy falls by some 2/3 (w h)^2 a step, the period of
  // wide swings with it, of first order in the step.
  const double t0 = 2 * pi / std::sqrt(g), wide = 1.1803406 * t0;
  CHECK(period(10 * pi / 180, 1e-3) == Approx(1.0019072 * t0).epsilon(1e-3));
  const double coarse = wide - period(pi / 2, 1e-3), fine = wide - period(pi / 2, 2.5e-4);
  CHECK(fine / wide < 6e-3);
  CHECK(coarse / fine == Approx(4).epsilon(0.2));
}

TEST_CASE("verlet: a rope hangs as a catenary") {
  // Length 1.5 over a span of 1: sag 0.5026333. Sixty sticks of one length, so that its points lie
  // on the chain's own curve, which differs from the rope's by less than 1 / 60^2.
  const int n = 60;
  std::string positions = "[", edges = "[";
  for (int i = 0; i <= n; ++i) {
    const double s = 1.5 * i / n, half = std::min(s, 1.5 - s);  // a V to start from
    positions += fmt::format("{}[{}, {}, 0]", i ? ", " : "", double(i) / n,
                             -std::sqrt(std::max(0.0, half * half - std::pow(half / 1.5, 2))));
    if (i < n) edges += fmt::format("{}{}, {}", i ? ", " : "", i, i + 1);
  }
  Running r(scene(nodes(positions + "]", edges + "]"), R"("drag": 5, "iterations": 400)", 0.01,
                  fmt::format("[0, {}]", n)),
            Exec::cpu(1));
  r.advance(1500);
  double sag = 0;
  for (const Vec3d& x : column(r, "position")) sag = std::min(sag, x[1]);
  CHECK(-sag == Approx(0.5026333).epsilon(5e-3));
}

TEST_CASE("verlet: sticks conserve momentum, by their ends' masses") {
  Running r(
      scene(
          R"("mesh": {"nodes": {"positions": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]],
                     "edges": [0,1,0,2,0,3,1,2,1,3,2,3], "masses": [1, 2, 5, 0.1]}})",
          R"("drag": 0, "iterations": 20, "sticks": [{"points": [0, 1], "kind": "at_least", "length": 1.2}])",
          0.01, "", "[0, 0, 0]"),
      Exec::cpu(1));
  r.advance(200);
  // Positions of order 1 with a float's 6e-8, moved 200 times over 0.01 s: 1e-5 at most each.
  for (const char* axis : {"x", "y", "z"})
    CHECK(r.measure(std::string("m.momentum.") + axis) == Approx(0).margin(8 * 1e-5));
}

TEST_CASE("verlet: limits hold what they forbid, and only that") {
  // A jackknife: the upper limb is held, the lower one falls; its end may not come nearer than 1 m
  // to the shoulder, so that the elbow stays at 60 degrees or more.
  Running r(scene(nodes("[[0, 0, 0], [1, 0, 0], [2, 0, 0]]", "[0, 1, 1, 2]"),
                  R"("drag": 0, "iterations": 200, "tolerance": 1e-4,
                     "sticks": [{"points": [0, 2], "kind": "at_least", "length": 1}])",
                  0.002, "[0, 1]"),
            Exec::cpu(1));
  double nearest = 2;
  for (int k = 0; k < 1000; ++k) {
    r.advance(1);
    const auto x = column(r, "position");
    nearest = std::min(nearest, norm(x[2] - x[0]));
    CHECK(norm(x[2] - x[1]) == Approx(1).epsilon(2e-3));
  }
  CHECK(nearest == Approx(1).epsilon(2e-3));  // it came there, and no nearer
}

TEST_CASE("verlet: lengths without a square root are the same at rest") {
  for (const char* root : {"true", "false"}) {
    Running r(
        scene(nodes("[[0, 0, 0], [1.05, 0, 0]]", "[0, 1]"),
              fmt::format(
                  R"("drag": 0, "square_root": {}, "iterations": 8, "tolerance": 0, "edges": false,
                       "sticks": [{{"points": [0, 1], "length": 1}}])",
                  root),
              0.01, "", "[0, 0, 0]"),
        Exec::cpu(1));
    r.advance(1);
    const auto x = column(r, "position");
    CHECK(norm(x[1] - x[0]) == Approx(1).epsilon(1e-6));
    CHECK(x[0][0] + x[1][0] == Approx(1.05).epsilon(1e-6));
  }
}

TEST_CASE("verlet: passes end when sticks are right") {
  Running r(
      scene(nodes("[[0, 0, 0], [1, 0, 0]]", "[0, 1]"), R"("drag": 0, "iterations": 50)", 0.01),
      Exec::cpu(1));
  r.advance(1);
  CHECK(r.measure("m.iterations") == 1);
}

TEST_CASE("verlet: a point that starts inside a wall leaves it slowly, and rests on it") {
  // 0.1 m inside a floor, at 0.5 m/s at most; whatever the passes, it is not thrown up.
  std::string text = scene(nodes("[[0, -0.1, 0], [1, -0.1, 0]]", "[0, 1]"),
                           R"("iterations": 20, "tolerance": 0, "boundary": ["floor"],
                              "thickness": 0.01)",
                           0.005);
  const std::string objects = R"("objects": [)";
  text.insert(text.find(objects) + objects.size(),
              R"({"name": "floor", "kind": "boundary", "shape": {"plane": {}}},)");
  Running r(text, Exec::cpu(1));
  double fastest = 0, highest = -1;
  for (int k = 0; k < 400; ++k) {
    r.advance(1);
    fastest = std::max(fastest, column(r, "velocity")[0][1]);
    highest = std::max(highest, column(r, "position")[0][1]);
  }
  CHECK(fastest < 0.55);
  CHECK(highest < 0.05);
  CHECK(column(r, "position")[0][1] == Approx(0.01).margin(1e-3));
}
