#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "lbm/storage.h"
#include "support/running.h"

// Populations in 16 bits.
using namespace rtsim;

TEST_CASE("lbm: 16 bits round up as often as what is cut off is large") {
  for (const double v : {1.0, 3.1415, -0.0271828, 1234.56, -2e-3}) {
    double sum = 0;
    const int steps = 4000;
    for (int n = 0; n < steps; ++n) {
      lbm::Half h;
      lbm::store(&h, Real(v), lbm::chance(lbm::chance_of(std::uint32_t(n), 5), 77));
      const double back = double(lbm::load(&h));
      REQUIRE(std::abs(back - v) < std::abs(v) / 1024);
      sum += back - v;
    }
    // A unit is at most v / 1024; chances are spread as evenly as random ones, or more.
    CHECK(std::abs(sum / steps) < 4 * 0.5 / std::sqrt(steps) * std::abs(v) / 1024);
  }
}

namespace {

// A square duct of side 1 m under 1 m/s^2, viscosity 0.1 m^2/s, 3D; the velocity at its middle.
double middle_of_duct(const char* storage, int cells, int steps_a_second, double seconds) {
  const double h = 1.0 / cells;
  Running r(fmt::format(
                R"({{"rtsim": 1, "dim": 3, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
      "objects": [{{"name": "f", "kind": "grid", "spacing": {}, "min": [0, 0, 0], "max": [{}, 1, 1]}}],
      "stages": [{{"type": "lbm", "grid": "f", "density": 1, "kinematic_viscosity": 0.1,
        "substeps": {}, "storage": "{}", "acceleration": [1, 0, 0],
        "x_min": {{"type": "periodic"}}, "x_max": {{"type": "periodic"}},
        "probes": [{{"name": "c", "at": [{}, 0.5, 0.5]}}]}}], "output": []}})",
                seconds / 20, h, 4 * h, int(steps_a_second * seconds / 20), storage, 2 * h),
            Exec::cpu(2));
  r.advance(20);
  return r.measure("f.c.velocity.x");
}

}  // namespace

// To the nearest, what the force adds in a step was lost in part: 5 % at 1000 steps a second, and
// more with smaller ones.
TEST_CASE("lbm: 16 bits carry a duct's flow to a thousandth, at small steps too") {
  for (const int steps : {500, 1700}) {
    const double full = middle_of_duct("float", 14, steps, 5),
                 half = middle_of_duct("half", 14, steps, 5);
    INFO(steps << ": " << full << " " << half);
    CHECK(full > 0.7);
    CHECK(half == Approx(full).margin(1e-3 * full));
  }
}
