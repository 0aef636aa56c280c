#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "support/running.h"

// Probes of wall_pressure.
using namespace rtsim;

namespace {

std::string tank(const std::string& type, const std::string& more, const std::string& probes,
                 const std::string& motion = "") {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 2000}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05, "fill": {{"box": {{"min": [0, 0], "max": [1, 1]}}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [1, 1.5]}}, "inside": true}}{}}}],
    "stages": [{{"type": "{}", "fluid": "water", "boundary": ["tank"], "kinematic_viscosity": 0.05 {},
                 "probes": [{}]}}], "output": []}})",
      motion, type, more, probes);
}

void refused(const std::string& text, const std::string& why) {
  try {
    Running r(text, Exec::cpu(1));
    FAIL("no error: " + why);
  } catch (const Error& e) {
    CHECK(e.code() == ExitCode::bad_input);
    CHECK_THAT(e.what(), Catch::Contains(why));
  }
}

}  // namespace

TEST_CASE("wall gauge: water at rest presses on floor and sides with rho g depth") {
  for (const auto& [type, more] : {std::pair("wcsph", R"(, "substeps": 4)"), std::pair("dfsph", ""),
                                   std::pair("iisph", ""), std::pair("pcisph", "")}) {
    INFO(type);
    Running r(tank(type, more, R"(
        {"name": "floor", "quantity": "wall_pressure", "at": [0.5, 0], "radius": 0.3},
        {"name": "side", "quantity": "wall_pressure", "at": [1, 0.5], "radius": 0.2})"),
              Exec::cpu(2));
    r.advance(1000);
    double floor = 0, side = 0;
    for (int k = 0; k < 500; ++k) {
      r.advance(1);
      floor += r.measure("water.floor") / 500, side += r.measure("water.side") / 500;
    }
    // What sound and circulation leave.
    CHECK(floor == Approx(9810).epsilon(0.03));
    CHECK(side == Approx(4905).margin(0.03 * 9810));
  }
}

TEST_CASE("wall gauge: a thin wall with water on both sides has a gauge on each, an edge its own") {
  Running r(
      R"({"rtsim": 1, "dim": 2, "time": {"dt": 0.002, "steps_per_frame": 1, "frames": 1000},
    "objects": [
      {"name": "water", "kind": "particles", "spacing": 0.05,
        "fill": [{"box": {"min": [0, 0], "max": [0.5, 0.8]}}, {"box": {"min": [0.6, 0], "max": [1.1, 0.8]}}]},
      {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0], "max": [1.1, 1.2]}, "inside": true}},
      {"name": "wall", "kind": "boundary", "shape": {"box": {"min": [0.5, -0.1], "max": [0.6, 1.2]}}}],
    "stages": [{"type": "dfsph", "fluid": "water", "boundary": ["tank", "wall"], "kinematic_viscosity": 0.05,
      "probes": [
        {"name": "left", "quantity": "wall_pressure", "at": [0.5, 0.4], "radius": 0.2},
        {"name": "right", "quantity": "wall_pressure", "at": [0.6, 0.4], "radius": 0.2},
        {"name": "corner", "quantity": "wall_pressure", "at": [1.1, 0.125], "radius": 0.1},
        {"name": "level", "quantity": "height", "at": [0.85, 0]}]}], "output": []})",
      Exec::cpu(2));
  r.advance(500);
  double left = 0, right = 0, corner = 0, level = 0;
  for (int k = 0; k < 500; ++k) {
    r.advance(1);
    left += r.measure("water.left") / 500, right += r.measure("water.right") / 500;
    corner += r.measure("water.corner") / 500, level += r.measure("water.level") / 500;
  }
  // With the other side's samples the two would read nothing.
  CHECK(left == Approx(3924).epsilon(0.05));
  CHECK(right == Approx(left).epsilon(0.03));
  // The edge, a radius below, is no part of the wall.
  CHECK(corner == Approx(9810 * (level - 0.125)).epsilon(0.08));
}

TEST_CASE("wall gauge: places without a wall, small radii and other methods are refused") {
  const auto probe = [](const char* rest) {
    return fmt::format(R"({{"name": "p", "quantity": "wall_pressure", {}}})", rest);
  };
  const std::string floor = R"("at": [0.5, 0])";
  refused(tank("dfsph", "", probe(R"("at": [0.5, 0.2])")), "0.2 m away");
  refused(tank("dfsph", "", probe(R"("at": [0.5, 0], "radius": 0.06)")), "two spacings");
  refused(tank("dfsph", "", probe(floor.c_str()), R"(, "motion": {"velocity": [0, 1]})"),
          "stands still");
  refused(tank("dfsph", R"(, "boundary_method": "volume_map")", probe(floor.c_str())), "samples");
}
