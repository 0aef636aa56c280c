#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "support/running.h"

// What the sound speed of a fluid follows from, where the scene does not say it.
using namespace rtsim;

namespace {

// A pool 1 m wide; the greatest step that it allows [s] is that of its sound speed.
double allowed(const std::string& fill, const std::string& objects, const std::string& boundaries,
               const std::string& before, const std::string& more) {
  Running r(fmt::format(R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 1e-4, "frames": 1}}, "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.02{}}},
      {{"name": "tank", "kind": "boundary",
        "shape": {{"box": {{"min": [0, 0], "max": [1, 2]}}, "inside": true}}}}{}],
    "stages": [{}{{"type": "wcsph", "fluid": "water", "boundary": ["tank"{}]{}}}],
    "output": []}})",
                        fill, objects, before, boundaries, more),
            Exec::cpu(1));
  return r.sim.pipeline.back().stage->stable_dt(r.world());
}

const std::string pool = R"(, "fill": {"box": {"min": [0, 0], "max": [1, 0.2]}})";

}  // namespace

TEST_CASE("wcsph: its sound is faster than what a jet brings and a paddle pushes") {
  const auto at = [](double speed) {
    return allowed(pool, "", "", "", fmt::format(R"(, "max_speed": {})", speed));
  };
  const double g = 9.81;
  CHECK(allowed(pool, "", "", "", "") == Approx(at(std::sqrt(2 * g * 0.2))).epsilon(0.05));
  // Layers leave from the middle of the shape.
  const char* jet =
      R"({"type": "emit", "fluid": "water", "velocity": [1, -7], "max_particles": 9000,
    "shape": {"box": {"min": [0.4, 1.1], "max": [0.6, 1.3]}}}, )";
  const double falls = at(std::sqrt(50 + 2 * g * 1.25));
  for (const std::string& fill : {pool, std::string()})
    CHECK(allowed(fill, "", "", jet, "") == Approx(falls).epsilon(0.05));
  // At rest until 0.3 s, then 3 m in half a second, and it turns about its foot.
  const char* paddle = R"(, {"name": "paddle", "kind": "boundary",
    "shape": {"box": {"min": [-1, 0.5], "max": [-0.8, 1.5]}}, "motion": {"centre": [-0.9, 0],
    "keyframes": [{"time": 0.3}, {"time": 0.8, "translate": [3, 0]},
                  {"time": 0.9, "translate": [3, 0], "angle": 90}]}})";
  const double swings = 1.5 * 0.5 * M_PI / 0.1;
  CHECK(allowed(pool, paddle, R"(, "paddle")", "", "") ==
        Approx(at(std::sqrt(swings * swings + 2 * g * 0.2))).epsilon(0.05));
  // What turns about its own middle pushes nothing.
  const char* ball = R"(, {"name": "ball", "kind": "boundary",
    "shape": {"sphere": {"centre": [0.5, 0.6], "radius": 0.1}}, "motion": {"centre": [0.5, 0.6],
    "keyframes": [{"time": 0}, {"time": 0.1, "angle": 9000}]}})";
  CHECK(allowed(pool, ball, R"(, "ball")", "", "") ==
        Approx(at(std::sqrt(2 * g * 0.2))).epsilon(0.05));
}
