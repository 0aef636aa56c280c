#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "support/running.h"

// Scenes that ask too much of a particle fluid: it goes on with every particle and finite numbers,
// or stops with Diverged, whose message names what to change.
using namespace rtsim;

namespace {

constexpr std::pair<const char*, int> solvers[] = {
    {"wcsph", 6}, {"dfsph", 1}, {"iisph", 1}, {"pcisph", 1}, {"sph_mueller", 4}, {"sph_bodin", 1}};

struct Asked {
  double dt = 0.002;
  std::string fill = R"({"min": [0, 0], "max": [0.4, 0.5]})";
  std::string press = {};  // further keys of a press above the fluid
  std::string more = {};   // of the stage
  bool inside = false;     // every particle must end in the tank
};

std::string scene(const std::string& type, int substeps, const Asked& a) {
  const std::string press = a.press.empty() ? ""
                                            : R"(, {"name": "press", "kind": "boundary",
      "shape": {"box": {"min": [0, 0.6], "max": [0.8, 0.8]}}, )" +
                                                  a.press + "}";
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 300}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05, "fill": {{"box": {}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [0.8, 1]}}, "inside": true}}}}{}],
    "stages": [{{"type": "{}", "fluid": "water", "boundary": ["tank"{}], "substeps": {}{}}}],
    "output": []}})",
      a.dt, a.fill, press, type, a.press.empty() ? "" : R"(, "press")", substeps, a.more);
}

// Runs it, and says whether it came to the end.
bool survives(const std::string& type, int substeps, const Asked& a, int steps) {
  INFO(type);
  Running r(scene(type, substeps, a), Exec::cpu(2));
  const Index rows = r.world().table("water").rows();
  try {
    r.advance(steps);
  } catch (const Diverged& e) {
    CHECK_THAT(e.what(), Catch::Contains("try \"substeps\": "));
    return false;
  }
  CHECK(r.world().table("water").rows() == rows);
  for (const auto& x : r.world().table("water").download<Vec<2>>("position"))
    for (int k = 0; k < 2; ++k) {
      REQUIRE(std::isfinite(x[k]));
      if (a.inside) REQUIRE(std::abs(double(x[k]) - 0.4) < (k == 0 ? 0.4 : 0.6));
    }
  return true;
}

}  // namespace

TEST_CASE("robustness: one particle falls and stays in its tank") {
  for (const auto& [type, substeps] : solvers)
    for (const char* more : {"", R"(, "boundary_method": "volume_map")"})
      CHECK(survives(
          type, substeps,
          {.fill = R"({"min": [0.2, 0.2], "max": [0.25, 0.25]})", .more = more, .inside = true},
          300));
}

TEST_CASE("robustness: particles a million times too light are dust, or too stiff with a remedy") {
  for (const auto& [type, substeps] : solvers)
    CHECK(survives(type, substeps, {.more = R"(, "particle_mass": 2.5e-6)"}, 200) !=
          (std::string(type) == "sph_mueller"));  // its stiffness acts on volumes
}

TEST_CASE("robustness: a step ten times too long is survived, or refused with a remedy") {
  for (const auto& [type, substeps] : solvers)
    for (const char* more : {"", R"(, "boundary_method": "volume_map")"}) {
      const bool survived = survives(type, substeps, {.dt = 0.02, .more = more}, 100);
      // Speed alone limits those: walls stop what is too fast.
      if (std::string(type) != "wcsph" && std::string(type) != "sph_mueller") CHECK(survived);
    }
}

TEST_CASE("robustness: a press that leaves no room loses no particle silently", "[long]") {
  for (const auto& [type, substeps] : solvers)
    for (const char* more : {"", R"(, "boundary_method": "volume_map")"})
      survives(type, substeps,
               {.fill = R"({"min": [0, 0], "max": [0.8, 0.5]})",
                .press = R"("motion": {"velocity": [0, -1]})",
                .more = more},
               250);
}

TEST_CASE("robustness: an incompressible fluid that is squeezed without room says so") {
  for (const std::string type : {"dfsph", "iisph", "pcisph"}) {
    INFO(type);
    Running r(
        fmt::format(
            R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": 200}},
      "objects": [
        {{"name": "water", "kind": "particles", "spacing": 0.05, "fill": {{"box": {{"min": [0, 0], "max": [0.5, 0.5]}}}}}},
        {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [0.5, 2]}}, "inside": true}}}},
        {{"name": "lid", "kind": "boundary", "shape": {{"box": {{"min": [0.001, 0.5], "max": [0.499, 0.6]}}}},
          "motion": {{"velocity": [0, -0.5]}}}}],
      "stages": [{{"type": "{}", "fluid": "water", "boundary": ["tank", "lid"], "max_iterations": 20}}], "output": []}})",
            type),
        Exec::cpu(2));
    std::string said;
    for (int k = 0; k < 200 && said.empty(); ++k) {
      r.advance(1);
      for (const PipelineStage& p : r.sim.pipeline) said += p.stage->warning(r.world());
    }
    CHECK(said.find("no room to go to") != said.npos);
  }
}
