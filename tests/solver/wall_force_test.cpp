#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "support/running.h"

using namespace rtsim;

namespace {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());

// A block that falls on a floor and against a wall, with the forces on both.
template <int D>
Running splash(const std::string& type, int substeps) {
  const bool plane = D == 2;
  return Running(
      fmt::format(
          R"({{"rtsim": 1, "dim": {}, "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 300}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05, "velocity": {}, "fill": {{"box": {}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {}, "inside": true}}}},
      {{"name": "plate", "kind": "boundary", "shape": {{"box": {}}}, "motion": {{"velocity": {}}}}}],
    "stages": [{{"type": "{}", "fluid": "water", "boundary": ["tank", "plate"], "substeps": {},
                 "boundary_forces": true}}], "output": []}})",
          D, plane ? "[1, 0]" : "[1, 0, 0.5]",
          plane ? R"({"min": [0, 0.05], "max": [0.4, 0.5]})"
                : R"({"min": [0, 0.05, 0], "max": [0.4, 0.4, 0.3]})",
          plane ? R"({"min": [0, 0], "max": [0.8, 1]})"
                : R"({"min": [0, 0, 0], "max": [0.8, 1, 0.3]})",
          plane ? R"({"min": [0.6, 0.1], "max": [0.65, 0.4]})"
                : R"({"min": [0.6, 0.1, 0.05], "max": [0.65, 0.4, 0.25]})",
          plane ? "[-0.3, 0]" : "[-0.3, 0, 0]", type, substeps),
      Exec::cpu(2));
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("wall force: what walls get, the fluid has lost, to round-off", "",
                       ((int D), D), 2, 3) {
  for (const auto& [type, substeps] :
       {std::pair("wcsph", 4), std::pair("sph_mueller", 4), std::pair("dfsph", 1),
        std::pair("iisph", 1), std::pair("pcisph", 2)}) {
    INFO(type);
    Running r = splash<D>(type, substeps);
    const double mass = r.measure("water.mass"), dt = r.dt();
    double most = 0;
    for (int k = 0; k < 300; ++k) {
      const double x0 = r.measure("water.momentum.x"), y0 = r.measure("water.momentum.y");
      r.advance(1);
      const double fx = r.measure("tank.force.x") + r.measure("plate.force.x");
      const double fy = r.measure("tank.force.y") + r.measure("plate.force.y");
      most = std::max(most, std::hypot(fx, fy));
      // Each of the wall's and the fluid's sums rounds on its own; both are at most the force,
      // which large opposite ones between tank and plate can exceed tenfold.
      const double round_off = 200 * eps * (most * dt + mass * r.measure("water.max_speed"));
      REQUIRE(std::abs(r.measure("water.momentum.x") - x0 + fx * dt) <= round_off);
      REQUIRE(std::abs(r.measure("water.momentum.y") - y0 + fy * dt + 9.81 * mass * dt) <=
              round_off);
    }
    CHECK(most > 9.81 * mass);  // it did hit
  }
}

TEST_CASE("wall force: water at rest weighs on the floor what it weighs") {
  for (const auto& [type, substeps] : {std::pair("wcsph", 6), std::pair("dfsph", 1)}) {
    INFO(type);
    Running r(
        fmt::format(
            R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": 1500}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05, "fill": {{"box": {{"min": [0, 0], "max": [1, 1]}}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [1, 2]}}, "inside": true}}}}],
    "stages": [{{"type": "{}", "fluid": "water", "boundary": ["tank"], "substeps": {},
                "kinematic_viscosity": 0.05, "boundary_forces": true}}], "output": []}})",
            type, substeps),
        Exec::cpu(2));
    r.advance(1000);
    double mean = 0, sideways = 0;
    for (int k = 0; k < 500; ++k) {
      r.advance(1);
      mean += r.measure("tank.force.y") / 500, sideways += r.measure("tank.force.x") / 500;
    }
    CHECK(-mean == Approx(9.81 * r.measure("water.mass")).epsilon(0.01));  // the gate for a floor
    CHECK(std::abs(sideways) < 0.01 * 9.81 * r.measure("water.mass"));
  }
}
