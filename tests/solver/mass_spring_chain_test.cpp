#include <catch2/catch.hpp>
#include <cmath>

#include "support/spring_scenes.h"

// Chains of N masses, 1 kg each, on springs of 1 N/m: modes and statics.
using namespace rtsim;

namespace {

// Period of the mode in which point i is off by shape(i) along `axis`, from the zero crossings of
// its projection in six periods.
template <class Shape>
double period(const Rope& rope, int axis, const Shape& shape, double expected) {
  Running r(rope.text(), Exec::cpu(1));
  const auto rest = positions(r, "rope");
  auto start = rest;
  for (std::size_t i = 0; i < rest.size(); ++i) start[i][axis] += Real(0.02 * shape(int(i)));
  set(r, "rope", "position", start);
  const auto projected = [&] {
    double sum = 0;
    const auto x = positions(r, "rope");
    for (std::size_t i = 0; i < rest.size(); ++i)
      sum += shape(int(i)) * double(x[i][axis] - rest[i][axis]);
    return sum;
  };
  double before = projected(), first = -1, last = -1;
  int crossings = 0;
  while (r.time() < 6.2 * expected) {
    r.advance(1);
    const double now = projected();
    if ((before < 0) != (now < 0)) {
      last = r.time() - rope.dt * now / (now - before);
      if (first < 0) first = last;
      ++crossings;
    }
    before = now;
  }
  return crossings > 1 ? 2 * (last - first) / (crossings - 1) : 0;
}

// Fixed at both ends, with N free points between them.
void check_fixed_fixed(int n, int k, int axis, double rest_scale, double softer) {
  const double w = 2 * std::sqrt(softer) * std::sin(k * pi / (2 * (n + 1)));
  Rope rope;
  rope.segments = n + 1;
  rope.held = fmt::format("[0, {}]", n + 1);
  rope.dt = 2 * pi / w / 200;
  rope.stage = fmt::format(R"(, "integrator": "rk4", "rest_scale": {})", rest_scale);
  const auto shape = [&](int i) { return std::sin(i * k * pi / (n + 1)); };
  INFO("mode " << k << " of " << n << " along " << axis);
  CHECK(period(rope, axis, shape, 2 * pi / w) == Approx(2 * pi / w).epsilon(1e-3));
}

}  // namespace

TEST_CASE("mass_spring: a chain fixed at both ends has its modes") {
  for (const int k : {1, 2, 7, 10}) check_fixed_fixed(10, k, 0, 1, 1);
  // Springs without rest length swing alike in all directions; of half the length, across them, at
  // the root of the strain: 0.02 m on 1 m stiffens that by 1e-4.
  for (const int k : {1, 5}) check_fixed_fixed(10, k, 1, 0, 1);
  for (const int k : {1, 2}) check_fixed_fixed(10, k, 2, 0.5, 0.5);
}

TEST_CASE("mass_spring: a chain with a free end has its modes") {
  const int n = 8;
  for (const int k : {1, 2, 8}) {
    const double w = 2 * std::sin((2 * k - 1) * pi / (2 * (2 * n + 1)));
    Rope rope;
    rope.segments = n;
    rope.dt = 2 * pi / w / 200;
    rope.stage = R"(, "integrator": "rk4")";
    const auto shape = [&](int i) { return std::sin(i * (2 * k - 1) * pi / (2 * n + 1)); };
    INFO("mode " << k);
    CHECK(period(rope, 0, shape, 2 * pi / w) == Approx(2 * pi / w).epsilon(1e-3));
  }
}

TEST_CASE("mass_spring: a hanging chain stretches by (m g / k) N (N + 1) / 2") {
  const int n = 12;
  for (const double k : {50.0, 5000.0}) {
    Rope rope;
    rope.segments = n;
    rope.stiffness = k;
    rope.dt = 0.5;
    rope.gravity = "[3, 0, 0]";  // along the chain
    rope.stage = R"(, "drag": 2, "newton_iterations": 10)";
    Running r(rope.text(), Exec::cpu(1));
    r.advance(200);
    const double stretch = double(positions(r, "rope").back()[0]) - n;
    // Positions near 12 m are known to 1e-6 m in float.
    CHECK(stretch == Approx(3 / k * n * (n + 1) / 2).epsilon(1e-3).margin(2e-6));
    CHECK(r.measure("rope.strain_max") == Approx(3 / k * n).epsilon(1e-3));
    CHECK(r.measure("rope.strain_mean") == Approx(3 / k * (n + 1) / 2).epsilon(1e-3));
  }
}

TEST_CASE("mass_spring: relative springs stretch a rope alike with any number of points") {
  for (const int n : {4, 32}) {
    // EA = 1000 N, 1 kg/m over 2 m, all in the segments' ends.
    Running r(
        fmt::format(
            R"({{"rtsim": 1, "dim": 3, "gravity": [0, -10, 0], "time": {{"dt": 0.2, "frames": 9}},
      "objects": [{{"name": "rope", "kind": "mesh", "density": 1,
        "mesh": {{"line": {{"from": [0, 0, 0], "to": [0, -2, 0], "segments": {}}}}}}}],
      "stages": [{{"type": "attach", "mesh": "rope", "points": [0]}},
                 {{"type": "mass_spring", "mesh": "rope", "law": "relative", "stiffness": 1000,
                   "drag": 5, "newton_iterations": 10}}], "output": []}})",
            n),
        Exec::cpu(1));
    r.advance(200);
    // The continuum: rho g L^2 / (2 EA) = 0.02 m. The lumped sum, sum (m_below g / k), is the same.
    CHECK(-2 - double(positions(r, "rope").back()[1]) == Approx(0.02).epsilon(1e-3));
  }
}

TEST_CASE("mass_spring: a slack chain hangs in a catenary") {
  // Length S = 1.5 over a span of 1: the sag is 0.5026333. 60 segments stretch by 1e-4.
  const int n = 60;
  Running r(
      fmt::format(
          R"({{"rtsim": 1, "dim": 3, "gravity": [0, -1, 0], "time": {{"dt": 0.1, "frames": 9}},
    "objects": [{{"name": "rope", "kind": "mesh", "density": 1,
      "mesh": {{"line": {{"from": [0, 0, 0], "to": [1.5, 0, 0], "segments": {}}}}}}}],
    "stages": [{{"type": "attach", "mesh": "rope", "points": [0]}},
               {{"type": "attach", "name": "end", "mesh": "rope", "points": [{}],
                 "motion": {{"keyframes": [{{"time": 0}}, {{"time": 2, "translate": [-0.5, 0, 0]}}]}}}},
               {{"type": "mass_spring", "mesh": "rope", "law": "relative", "stiffness": 10000,
                 "drag": 2, "newton_iterations": 10, "cg_iterations": 1000}}], "output": []}})",
          n, n),
      Exec::cpu(1));
  r.advance(400);
  double lowest = 0;
  for (const Vec<3>& x : positions(r, "rope")) lowest = std::min(lowest, double(x[1]));
  CHECK(-lowest == Approx(0.5026333).epsilon(5e-3));
}
