#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "support/running.h"

using namespace rtsim;

namespace {

// How much of its potential energy half a ring of voussoirs of thickness t and mean radius R keeps.
double kept_by_arch(double ratio, double radius, int stones, double friction, double rate) {
  const double in = radius * (1 - 0.5 * ratio), out = radius * (1 + 0.5 * ratio);
  std::string bodies;
  for (int k = 0; k < stones; ++k) {
    std::string points;
    for (const double at : {k, k + 1})
      for (const double r : {in, out})
        for (const double z : {-0.2, 0.2})
          points += fmt::format("{}[{}, {}, {}]", points.empty() ? "" : ", ",
                                r * std::cos(std::numbers::pi * at / stones),
                                r * std::sin(std::numbers::pi * at / stones), z * radius);
    bodies += fmt::format(R"({}{{"hull": {{"points": [{}]}}}})", k ? ", " : "", points);
  }
  Running r(
      fmt::format(
          R"({{"rtsim": 1, "dim": 3, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1000000}},
      "objects": [{{"name": "b", "kind": "bodies", "density": 2400, "bodies": [{}]}},
                  {{"name": "floor", "kind": "boundary", "shape": {{"plane": {{}}}}}}],
      "stages": [{{"type": "rigid", "bodies": "b", "boundary": ["floor"], "friction": {}}}],
      "output": []}})",
          1 / rate, bodies, friction),
      Exec::cpu(2));
  const double start = r.measure("b.potential_energy");
  r.advance(int(5 * std::sqrt(radius) * rate));
  return r.measure("b.potential_energy") / start;
}

}  // namespace

// Half a ring stands from t/R = 0.106 on: J. Heyman, "The safety of masonry arches", International
// Journal of Mechanical Sciences 11, 1969.
TEST_CASE("rigid_arch: a semicircle of voussoirs stands at t/R of 0.13 and falls at 0.09") {
  struct Arch {
    double radius;
    int stones;
    double friction, rate;
  };
  for (const Arch& a :
       {Arch{1, 15, 1, 120}, {1, 15, 0.7, 97}, {0.13, 11, 0.8, 240}, {7, 21, 1, 60}}) {
    INFO(a.radius << " m, " << a.stones << " stones, friction " << a.friction);
    CHECK(kept_by_arch(0.13, a.radius, a.stones, a.friction, a.rate) == Approx(1).margin(0.01));
    CHECK(kept_by_arch(0.09, a.radius, a.stones, a.friction, a.rate) < 0.3);
  }
}
