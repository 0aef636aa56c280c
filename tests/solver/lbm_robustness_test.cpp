#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "support/running.h"

using namespace rtsim;
using Catch::Matchers::Contains;

namespace {

std::string scene(const std::string& stage, const std::string& objects, double dt) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
      "objects": [{{"name": "air", "kind": "grid", "spacing": 0.05, "min": [0, 0], "max": [1, 0.5]}}{}],
      "stages": [{{"type": "lbm", "grid": "air", {}}}], "output": []}})",
      dt, objects, stage);
}
std::string box(const char* name, const char* min, const char* max, const char* motion = "") {
  return fmt::format(
      R"(, {{"name": "{}", "kind": "boundary", "shape": {{"box": {{"min": {}, "max": {}}}}}{}}})",
      name, min, max, motion);
}

}  // namespace

TEST_CASE("lbm: an obstacle that fills the grid is refused") {
  CHECK_THAT(refusal(scene(R"("boundary": ["rock"])", box("rock", "[-1, -1]", "[2, 2]"), 0.01), 0),
             Contains("'air' has no cell of fluid: boundaries fill it"));
}

TEST_CASE("lbm: a wall too fast for the lattice is refused with the substeps that it takes") {
  CHECK_THAT(refusal(scene(R"("y_max": {"velocity": [2, 0]})", "", 0.01), 1),
             Contains("0.4 cells a step") && Contains("\"substeps\": 4"));
}

TEST_CASE("lbm: faces that contradict themselves are refused") {
  CHECK_THAT(refusal(scene(R"("x_min": {"type": "periodic"})", "", 0.01), 0),
             Contains("x_min: a face and its opposite, x_max"));
  CHECK_THAT(refusal(scene(R"("x_min": {"velocity": [1, 0]})", "", 0.01), 0),
             Contains("moves along itself only"));
  CHECK_THAT(refusal(scene(R"("x_min": {"pressure": 3})", "", 0.01), 0),
             Contains("\"pressure\" is for faces of type \"pressure\""));
}

TEST_CASE("lbm: what flows in without a way out is refused, and what flows through is not") {
  const auto told = [](const std::string& faces) {
    return refusal(scene(R"("kinematic_viscosity": 0.01, )" + faces, "", 0.01), 1);
  };
  const auto no_way = Contains("has no way out; make a face \"pressure\"");
  CHECK_THAT(told(R"("x_min": {"type": "inlet", "velocity": [0.1, 0]})"), no_way);
  CHECK_THAT(told(R"("y_max": {"type": "inlet", "velocity": [0.02, 0.1], "parabolic": true})"),
             no_way);
  CHECK_THAT(told(R"("x_min": {"type": "inlet", "velocity": [0.1, 0]},
                     "x_max": {"type": "inlet", "velocity": [-0.1, 0]})"),
             no_way);
  CHECK(told(R"("x_min": {"type": "inlet", "velocity": [0.1, 0]},
                "x_max": {"type": "inlet", "velocity": [0.1, 0]})") == "");
  CHECK(told(R"("x_min": {"type": "inlet", "velocity": [0.1, 0]},
                "y_max": {"type": "inlet", "velocity": [0, 0.05]})") == "");
  CHECK(told(R"("x_min": {"type": "inlet", "velocity": [0.15, 0], "parabolic": true},
                "x_max": {"type": "inlet", "velocity": [0.1, 0]})") == "");
  CHECK(
      told(R"("x_min": {"type": "inlet", "velocity": [0.1, 0]}, "y_min": {"type": "pressure"})") ==
      "");
  CHECK(told(R"("x_min": {"type": "inlet", "velocity": [0, 0.1]})") == "");  // along the face
}

TEST_CASE("lbm: a force that speeds the fluid up without end stops the run with a remedy") {
  CHECK_THAT(refusal(scene(R"("acceleration": [50, 0], "kinematic_viscosity": 1e-4,
      "x_min": {"type": "periodic"}, "x_max": {"type": "periodic"})",
                           "", 0.01),
                     400),
             Contains("velocity of row") && Contains("\"substeps\": 3"));
}

TEST_CASE("lbm: a wall one cell thick parts two fluids") {
  Running r(
      scene(R"("boundary": ["sheet"], "kinematic_viscosity": 1e-2, "y_max": {"velocity": [1, 0]})",
            box("sheet", "[-1, 0.2]", "[2, 0.25]"), 0.004),
      Exec::cpu(2));
  r.advance(300);
  const auto u = r.world().table("air").download<Vec<2>>("velocity");
  for (std::size_t c = 0; c < 20 * 5; ++c) CHECK(norm(u[c]) == 0);  // below, and the wall
  CHECK(r.measure("air.max_speed") > 0.3);
  CHECK(r.measure("sheet.force.x") < 0);  // where the flow returns
}

TEST_CASE("lbm: a wall thinner than a cell is not felt, and said to be") {
  Running r(scene(R"("boundary": ["sheet"])", box("sheet", "[0.2, 0.21]", "[0.8, 0.22]"), 0.01),
            Exec::cpu(2));
  r.advance(1);
  CHECK_THAT(r.sim.pipeline.back().stage->warning(r.world()),
             Contains("no cell of 'air' has its centre inside 'sheet'"));
}

TEST_CASE("lbm: a speed above a tenth of a cell a step is warned of") {
  Running r(scene(R"("y_max": {"velocity": [1, 0]})", "", 0.01), Exec::cpu(2));
  r.advance(1);
  CHECK_THAT(r.sim.pipeline.back().stage->warning(r.world()),
             Contains("0.2 cells a step") && Contains("\"substeps\": 2"));
}

// A piston that crosses the grid: cells come and go, and the fluid ahead of it moves along.
TEST_CASE("lbm: a moving obstacle pushes the fluid and leaves fluid behind") {
  Running r(
      scene(R"("boundary": ["block"], "kinematic_viscosity": 1e-2, "smagorinsky": 0.03)",
            box("block", "[0.1, 0.13]", "[0.32, 0.37]", R"(, "motion": {"velocity": [0.5, 0]})"),
            0.005),
      Exec::cpu(2));
  r.advance(200);  // half a metre
  const auto u = r.world().table("air").download<Vec<2>>("velocity");
  const auto at = [&](double x, double y) {
    return u[std::size_t(x / 0.05) + 20 * std::size_t(y / 0.05)];
  };
  CHECK(norm(at(0.71, 0.26)) == 0);        // inside the block now
  CHECK(double(at(0.9, 0.26)[0]) > 0.1);   // ahead
  CHECK(double(at(0.52, 0.26)[0]) > 0.2);  // behind, drawn along
  CHECK(double(at(0.71, 0.03)[0]) < 0);    // back round it
  CHECK(r.measure("block.force.x") < 0);
  CHECK(r.measure("air.max_speed") < 2);
}
