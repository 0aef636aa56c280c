#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

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

// What walls give, less what decays, is what the air gets; what stands on a wall gets nothing.
TEST_CASE("the warmth of the air grows by what its walls give") {
  const std::string block = R"(, {"name": "block", "kind": "boundary",
    "shape": {"box": {"min": [-0.1, 0.25], "max": [0.32, 0.68]}}})";
  for (const double decay : {0.0, 3.0})
    for (const bool stands : {false, true}) {
      INFO("decay " << decay << ", block " << stands);
      SmokeScene s = warm_and_cold("x_low", "y_high");
      s.dt = 0.05;
      s.more += fmt::format(R"(, "temperature_decay": {})", decay);
      if (stands) s.objects = block, s.more += R"(, "boundary": ["block"])";
      Running r(s.text(), Exec::cpu(2));
      double heat = 0, given = 0;
      for (int k = 0; k < 10; ++k) {
        r.advance(1);
        const double now = r.measure("air.heating.x_low") + r.measure("air.heating.y_high");
        heat = std::exp(-decay * s.dt) * heat + s.dt * now, given += s.dt * now;
      }
      CHECK(given > 0.01);
      CHECK(r.measure("air.heat") == Approx(heat).epsilon(1e-4));  // the solve's tolerance: 1e-5
    }
}

// The maximum principle, with MacCormack's limits: a plume from a warm floor under a cold lid.
TEST_CASE("no air becomes warmer than the warm wall or colder than the cold one") {
  SmokeScene s{.dt = 0.05, .spacing = 1. / 32, .gravity = "[0, -9.81]"};
  s.more = R"(, "temperature_diffusivity": 1e-4, "weight": 0,
    "initial": [{"shape": {"box": {"min": [0.3, 0], "max": [0.6, 0.1]}}, "temperature": 1}],
    "sides": {"y_low": {"temperature": 1}, "y_high": {"temperature": 0}})";
  Running r(s.text(), Exec::cpu(2));
  double low = 0, high = 0;
  for (int k = 0; k < 300; ++k) {
    r.advance(1);
    for (const Real t : cells(r, "temperature"))
      low = std::min(low, double(t)), high = std::max(high, double(t));
  }
  CHECK(high < 1 + 1e-4);
  CHECK(low > -1e-4);
  CHECK(r.measure("air.max_speed") > 0.05);  // it did rise
}

namespace {

// The rate at which rolls grow between a warm floor and a cold lid, 1 m apart and 0.001 m^2/s.
double growth(double rayleigh, int n, double dt, const char* scheme) {
  const double h = 1.0 / n, width = std::round(2.016 * n) * h, nu = 1e-3;
  const SmokeScene s{
      .dt = dt,
      .spacing = h,
      .max = fmt::format("[{}, 1]", width),
      .gravity = "[0, -9.81]",
      .more = fmt::format(
          R"(, "rest_density": 1, "weight": 0, "kinematic_viscosity": {0}, "temperature_diffusivity": {0},
          "viscosity_scheme": "{1}", "thermal_expansion": {2}, "pressure": {{"tolerance": 1e-6}},
          "sides": {{{3}, "y_low": {{"temperature": 0.5}}, "y_high": {{"temperature": -0.5}}}},
          "initial": [{{"shape": {{"box": {{"min": [-9, -9], "max": [9, 9]}}}}, "temperature": 0,
                        "temperature_slope": [0, -1]}}],
          "sources": [{{"schedule": [{{"start": 0, "stop": {4}}}], "temperature_rate": 1e-3,
                        "splat": {{"centre": [{5}, 0.5], "radius": 0.3}}}}])",
          nu, scheme, rayleigh * nu * nu / 9.81, periodic_sides, 1.5 * dt, width / 4)};
  Running r(s.text(), Exec::cpu(2));
  r.advance(long(150 / dt));
  const double before = r.measure("air.kinetic_energy");
  r.advance(long(50 / dt));
  return std::log(r.measure("air.kinetic_energy") / before) / (2 * 50);
}

}  // namespace

// Pellew & Southwell 1940: 1707.762 between rigid walls, at a wave length of 2.016. The splitting
// of a step must not move what is steady: with viscosity that did not see the pressure, and a lift
// ahead of the diffusion, steps of 1 s gave 1652.
TEST_CASE("smoke: rolls begin at the Rayleigh number of 1708, at large steps too") {
  for (const char* scheme : {"crank_nicolson", "implicit_euler"})
    for (const double dt : {1.0, 0.37}) {
      const double below = growth(1650, 32, dt, scheme), above = growth(1800, 32, dt, scheme);
      const double onset = 1650 - 150 * below / (above - below);
      INFO(scheme << " " << dt << ": " << onset);
      CHECK(onset == Approx(1707.762).epsilon(0.01));
    }
}
