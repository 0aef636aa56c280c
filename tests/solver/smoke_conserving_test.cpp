#include <catch2/catch.hpp>
#include <cmath>

#include "support/smoke_scenes.h"

// What a flow carries is neither made nor lost, whatever the grid, the step and the walls.
using namespace rtsim;

namespace {

// Rounding of each stage's sum over a cell and its faces, in the worst case all of one sense.
constexpr double kept = 1e-5;

struct Kept {
  double least = 1, most = 1;  // of an amount, in parts of that at the start
  double low = 0, high = 0;    // of the cells, at the end
};

Kept follow(Running& r, const std::string& series, const std::string& column, int steps) {
  const double start = r.measure("air." + series);
  Kept k;
  for (int n = 0; n < steps; ++n) {
    r.advance(1);
    const double now = r.measure("air." + series) / start;
    k.least = std::min(k.least, now), k.most = std::max(k.most, now);
  }
  for (const Real v : cells(r, column))
    k.low = std::min(k.low, double(v)), k.high = std::max(k.high, double(v));
  return k;
}

}  // namespace

TEST_CASE("smoke: vortices stir a dye and keep all of it, at any spacing, step and place") {
  struct Case {
    double spacing, dt, x, y;
  };
  for (const Case& c : {Case{1 / 64., 0.01, 0.4, 0.3}, Case{1 / 51., 0.013, 0.37, 0.81},
                        Case{1 / 32., 0.09, 0.53, 0.47}}) {
    const SmokeScene s{
        .dt = c.dt,
        .spacing = c.spacing,
        .more = fmt::format(R"(, "dyes": ["ink"], "vortices": {{"speed": 1}}, "sides": {{{}}},
            "initial": [{{"shape": {{"sphere": {{"centre": [{}, {}], "radius": 0.15}}}}, "dyes": [1]}}])",
                            all_periodic, c.x, c.y)};
    Running r(s.text(), Exec::cpu(2));
    const Kept k = follow(r, "ink", "ink", int(2 / c.dt));
    INFO(c.spacing << " " << k.least << " " << k.most << " " << k.low << " " << k.high);
    CHECK(k.least > 1 - kept);
    CHECK(k.most < 1 + kept);
    // Beyond them by as much as the pressure's tolerance leaves of the divergence, at most.
    CHECK(k.low > -1e-6);
    CHECK(k.high < 1.001);
  }
}

TEST_CASE("smoke: warm air that rises round a ball keeps its warmth, in cut cells and in stairs") {
  for (const bool cut : {true, false}) {
    const SmokeScene s{
        .dim = 3,
        .dt = 0.03,
        .spacing = 0.09,
        .min = "[0, 0, 0]",
        .max = "[1.08, 1.44, 0.99]",
        .gravity = "[0, -9.81, 0]",
        .more = fmt::format(
            R"(, "boundary": ["ball"], "cut_cells": {}, "temperature_diffusivity": 1e-4, "initial":
            [{{"shape": {{"sphere": {{"centre": [0.5, 0.3, 0.5], "radius": 0.25}}}}, "density": 0.2, "temperature": 300}}])",
            cut),
        .objects = R"(, {"name": "ball", "kind": "boundary",
            "shape": {"sphere": {"centre": [0.52, 0.8, 0.47], "radius": 0.22}}})"};
    Running r(s.text(), Exec::cpu(2));
    const Kept k = follow(r, "heat", "temperature", 60);
    INFO(cut << " " << k.least << " " << k.most << " " << k.low << " " << k.high);
    CHECK(k.least > 1 - kept);
    CHECK(k.most < 1 + kept);
    CHECK(k.low > -0.1);
    CHECK(k.high < 300.1);
  }
}

TEST_CASE("smoke: what is level everywhere stays so beside walls that move") {
  const SmokeScene s{
      .dt = 0.02,
      .spacing = 0.05,
      .more = R"(, "dyes": ["ink"], "boundary": ["ball"], "sides": {"x_high": {"kind": "open"},
          "x_low": {"kind": "open"}}, "pressure": {"tolerance": 1e-6},
          "initial": [{"shape": {"box": {"min": [-9, -9], "max": [9, 9]}}, "dyes": [1]}])",
      .objects = R"(, {"name": "ball", "kind": "boundary", "motion": {"velocity": [0.31, 0]},
          "shape": {"sphere": {"centre": [0.3, 0.52], "radius": 0.17}}})"};
  Running r(s.text(), Exec::cpu(2));
  r.advance(60);
  const auto ink = cells(r, "ink");
  for (const Real v : ink) CHECK((v == 0 || std::abs(double(v) - 1) < 1e-3));
}
