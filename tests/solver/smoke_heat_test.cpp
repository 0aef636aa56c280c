#include <catch2/catch.hpp>

#include "support/smoke_scenes.h"

using namespace rtsim;

namespace {

SmokeScene warm_and_cold(const char* low, const char* high) {
  return {.dt = 10,  // an implicit step is as good as rest: the slowest mode shrinks to 1/100
          .more = fmt::format(R"(, "temperature_diffusivity": 0.1, "sides": {{
    "{}": {{"temperature": 2}}, "{}": {{"temperature": -1}}}})",
                              low, high)};
}

}  // namespace

// Rest: T falls on a straight line from wall to wall, and kappa (T_low - T_high) / L x L comes in.
TEST_CASE("walls that keep their temperature conduct by Fourier's law", "[smoke]") {
  for (int axis = 0; axis < 2; ++axis) {
    const bool x = axis == 0;
    Running r(warm_and_cold(x ? "x_low" : "y_low", x ? "x_high" : "y_high").text(), Exec::cpu(2));
    r.advance(8);
    const std::vector<Real> t = cells(r, "temperature");
    for (std::size_t c = 0; c < t.size(); ++c) {
      const double along = grid_of(r).centre(Index(c))[axis];
      CHECK(double(t[c]) == Approx(2 - 3 * along).margin(1e-4));
    }
    const std::string way = x ? "x" : "y";
    CHECK(r.measure("air.heating." + way + "_low") == Approx(0.3).epsilon(1e-4));
    CHECK(r.measure("air.heating." + way + "_high") == Approx(-0.3).epsilon(1e-4));
  }
}

// What a wall gives is what the air gets.
TEST_CASE("the warmth of the air grows by what its walls give", "[smoke]") {
  SmokeScene s = warm_and_cold("x_low", "y_high");
  s.dt = 0.05;
  Running r(s.text(), Exec::cpu(2));
  double given = 0;
  for (int k = 0; k < 10; ++k) {
    r.advance(1);
    given += s.dt * (r.measure("air.heating.x_low") + r.measure("air.heating.y_high"));
  }
  CHECK(given > 0.01);
  CHECK(r.measure("air.heat") == Approx(given).epsilon(1e-4));  // the solve's tolerance is 1e-5
}
