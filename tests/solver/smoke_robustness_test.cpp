#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "sim/records/snapshot.h"
#include "support/smoke_scenes.h"

// What smoke refuses and says, and scenes that ask too much of it.
using namespace rtsim;
using Catch::Contains;

namespace {

void refuses(const SmokeScene& s, const std::string& words) {
  INFO(words);
  CHECK_THROWS_WITH(Running(s.text(), Exec::cpu(1)), Contains(words));
}

std::string warning(Running& r) { return r.sim.pipeline.back().stage->warning(r.world()); }

const char* ball(const char* more = "") {
  static std::string text;
  text = fmt::format(R"(, {{"name": "ball", "kind": "boundary",
    "shape": {{"sphere": {{"centre": [0.5, 0.5], "radius": 0.2}}}}{}}})",
                     more);
  return text.c_str();
}
constexpr const char* with_ball = R"(, "boundary": ["ball"])";

}  // namespace

TEST_CASE("smoke: what cannot be is refused with the way out") {
  refuses(
      {.more = with_ball,
       .objects =
           R"(, {"name": "ball", "kind": "boundary", "shape": {"box": {"min": [-1, -1], "max": [2, 2]}}})"},
      "the boundaries leave no cell of the grid open");
  refuses({.more = R"(, "sources": [{"shape": {"box": {"min": [3, 3], "max": [4, 4]}}}])"},
          "sources/0 meets no cell of the grid");
  refuses({.more = R"(, "initial": [{"splat": {"centre": [9, 9], "radius": 0.1}}])"},
          "initial/0 meets no cell of the grid");
  refuses({.more = R"(, "sources": [{"density_rate": 1}])"}, "needs a \"shape\" or a \"splat\"");
  refuses(
      {.more =
           R"(, "sources": [{"splat": {"centre": [0, 0], "radius": 1}, "velocity": [1, 2, 3]}])"},
      "has 3 entries; 2 are needed");
  refuses({.more = R"(, "sources": [{"splat": {"centre": [0, 0], "radius": 1}, "dyes": [1]}])"},
          "the stage has 0 \"dyes\"");
  refuses({.more = R"(, "dyes": ["density"])"}, "give the dye another name");
  refuses({.more = R"(, "sides": {"x_low": {"kind": "periodic"}})"},
          "must stand at both x_low and x_high");
  refuses({.more = R"(, "sides": {"x_low": {"kind": "inflow", "velocity": [1, 0]}})"},
          "has no way out");
  refuses({.more = R"(, "sides": {"x_low": {"velocity": [1, 0]}})"}, "must lie along it");
  refuses({.max = "[0.3, 1]"}, "a flow needs 4 or more");
}

TEST_CASE("smoke: sides that lead in as much as out need no opening") {
  const SmokeScene s{
      .more = R"(, "velocity": [1, 0], "sides": {"x_low": {"kind": "inflow", "velocity": [1, 0]},
    "x_high": {"kind": "inflow", "velocity": [1, 0]}})"};
  Running r(s.text(), Exec::cpu(1));
  r.advance(5);
  CHECK(r.measure("air.divergence") < 1e-3);
}

TEST_CASE(
    "smoke: a wall too thin for the grid, and what is pressed into a closed box, are warned of") {
  Running thin(SmokeScene{.more = with_ball, .objects = R"(, {"name": "ball", "kind": "boundary",
    "shape": {"box": {"min": [0.42, 0.21], "max": [0.48, 0.29]}}})"}
                   .text(),
               Exec::cpu(1));
  CHECK_THAT(warning(thin), Contains("does not feel it"));
  // A ball that comes in through a wall takes room that nothing gives.
  Running pressed(SmokeScene{.more = with_ball, .objects = R"(, {"name": "ball", "kind": "boundary",
    "shape": {"sphere": {"centre": [-0.1, 0.5], "radius": 0.4}}, "motion": {"velocity": [1, 0]}})"}
                      .text(),
                  Exec::cpu(1));
  pressed.advance(1);
  CHECK_THAT(warning(pressed), Contains("make a side \"open\""));
}

namespace {

// Smoke under a ceiling from 0.5 m up, in cells of 0.05 m.
SmokeScene under_a_ceiling(double top) {
  return {.dt = 0.02,
          .spacing = 0.05,
          .gravity = "[0, -10]",
          .more = R"(, "boundary": ["ball"], "sources": [
      {"shape": {"box": {"min": [0, 0], "max": [1, 0.3]}}, "density": 1, "temperature": 100}])",
          .objects = fmt::format(R"(, {{"name": "ball", "kind": "boundary",
      "shape": {{"box": {{"min": [-1, 0.5], "max": [2, {}]}}}}}})",
                                 top)};
}

}  // namespace

TEST_CASE("smoke: walls of two cells part the fluid, and those of one are warned of") {
  Running r(under_a_ceiling(0.6).text(), Exec::cpu(2));
  r.advance(50);
  CHECK(warning(r) == "");
  const auto density = cells(r, "density");
  for (Index c = 240; c < 400; ++c) REQUIRE(density[std::size_t(c)] == 0);
  Running thin(under_a_ceiling(0.55).text(), Exec::cpu(2));
  CHECK_THAT(warning(thin), Contains("seeps through"));
}

TEST_CASE("smoke: steps of many cells stay finite, moving walls and all") {
  for (bool cut_cells : {true, false}) {
    const SmokeScene s{.dt = 0.2,
                       .spacing = 0.05,
                       .gravity = "[0, -10]",
                       .more = fmt::format(R"(, "boundary": ["ball"],
      "cut_cells": {}, "vorticity_confinement": 0.5, "sides": {{"y_high": {{"kind": "open"}}}}, "sources": [
      {{"shape": {{"box": {{"min": [0.3, 0.05], "max": [0.7, 0.3]}}}}, "density": 1, "temperature": 1000}}])",
                                           cut_cells),
                       .objects = ball(R"(, "motion": {"spin": 20, "centre": [0.4, 0.5]})")};
    Running r(s.text(), Exec::cpu(2));
    r.advance(30);
    CHECK(find_not_finite(r.world()) == "");
    CHECK(r.measure("air.divergence") * 0.05 < 1e-3 * r.measure("air.max_speed"));
    CHECK(r.dt() > 2 * r.sim.pipeline.back().stage->stable_dt(r.world()));
    for (Real d : cells(r, "density")) REQUIRE((d >= 0 && d <= 1));
  }
}

TEST_CASE("smoke: a push without bounds stops the run with a remedy") {
  const SmokeScene s{.more = fmt::format(
                         R"(, "sources": [{{"splat": {{"centre": [0.5, 0.5], "radius": 0.2}},
                            "acceleration": [{0}, {0}]}}])",
                         double(std::numeric_limits<Real>::max()) / 10)};
  Running r(s.text(), Exec::cpu(1));
  CHECK_THROWS_WITH(r.advance(50), Contains("is not finite") && Contains("try a smaller step"));
}

TEST_CASE("smoke: an obstacle that a grid of no motion holds stays at rest") {
  const SmokeScene s{.gravity = "[0, -10]", .more = with_ball, .objects = ball()};
  Running r(s.text(), Exec::cpu(1));
  r.advance(10);
  CHECK(r.measure("air.max_speed") == 0);
  CHECK(r.measure("air.pressure_iterations") == 0);
}
