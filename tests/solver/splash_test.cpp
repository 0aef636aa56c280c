#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "support/running.h"

using namespace rtsim;

namespace {

constexpr double g = 9.81;

// A block of water that falls on the floor of a tank with a tilted box and a disc in it, and is
// thrown against the far wall, in steps that its speed only just allows.
struct Splash {
  std::mt19937 random;
  double size, height, speed;
  std::string text;

  Splash(const std::string& stage, unsigned seed, double size_, double courant)
      : random(seed), size(size_) {
    const double spacing = size / in(35, 55), width = size * in(0.8, 1.7), up = size * in(0.1, 0.5),
                 tall = size * in(0.2, 0.6);
    height = up + tall, speed = std::sqrt(2 * g * height);
    text = fmt::format(
        R"({{"rtsim": 1, "dim": 2, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 100000}},
             "objects": [
               {{"name": "water", "kind": "particles", "spacing": {},
                 "fill": {{"box": {{"min": [0, {}], "max": [{}, {}]}}}}}},
               {{"name": "tank", "kind": "boundary",
                 "shape": {{"box": {{"min": [0, 0], "max": [{}, {}]}}, "inside": true}}}},
               {{"name": "ramp", "kind": "boundary",
                 "shape": {{"box": {{"min": [{}, {}], "max": [{}, {}]}},
                            "transform": {{"angle": {}, "translate": [{}, {}]}}}}}},
               {{"name": "pillar", "kind": "boundary",
                 "shape": {{"sphere": {{"centre": [{}, {}], "radius": {}}}}}}}],
             "stages": [{{"type": "{}", "fluid": "water", "boundary": ["tank", "ramp", "pillar"]}}],
             "output": []}})",
        courant * 0.8 * spacing / speed, spacing, up, width * in(0.2, 0.35), height, width,
        1.3 * size, -size * 0.1, -size * 0.06, size * in(0.05, 0.2), size * in(0.05, 0.1),
        in(-70, 70), width * in(0.65, 0.8), size * in(0, 0.3), width * in(0.85, 1),
        size * in(0, 0.4), size * in(0.05, 0.15), stage);
  }
  double in(double from, double to) {
    return from + (to - from) * double(random() >> 8) / double(1 << 24);
  }
};

}  // namespace

// No more than its fall can give: kinetic and potential energy together stay below what there was,
// but for rounding. A jet out of a closing gap gathers the energy of many rows, so that no theory
// bounds its speed: the fastest rows of 900 such splashes, drawn at random, were 1.4 to 2.74 times
// as fast as they fell, seven of them over 2.5 times, without a gain of energy; one that burst was
// 7 times.
TEST_CASE("splash: water that strikes in the longest steps has no more energy than it fell with",
          "[long]") {
  for (const char* stage : {"dfsph", "iisph", "pcisph"})
    for (unsigned seed = 1; seed <= 8; ++seed)
      for (const double size : {0.13, 1., 7.7}) {
        Splash s(stage, seed, size, seed % 2 == 0 ? 0.99 : 0.61);
        INFO(stage << ", seed " << seed << ", size " << size);
        Running r(s.text, Exec::cpu(2));
        const auto energy = [&] {
          return r.measure("water.kinetic_energy") + r.measure("water.potential_energy");
        };
        const double first = energy(), fall = r.measure("water.mass") * g * s.height;
        double most = first, fastest = 0;
        while (r.time() < 3 * std::sqrt(2 * s.height / g)) {
          r.advance(1);
          most = std::max(most, energy());
          fastest = std::max(fastest, r.measure("water.max_speed"));
        }
        CHECK(most < first + 1e-6 * fall);
        CHECK(fastest < 3.5 * s.speed);
      }
}
