#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "cache/checkpoint.h"
#include "support/still_particles.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

const char* all_groups =
    R"("implicit_viscosity": {"kinematic_viscosity": 0.05}, "vorticity": {"strength": 0.05},
       "cohesion": {"strength": 10, "adhesion": 100}, "micropolar": {}, "drag": {"wind": [2, 0, 0]})";
const std::string with_capillary =
    all_groups + std::string(R"(, "capillary": {"surface_tension": 0.5})");

std::string wet_scene(const std::string& solver) {
  const bool capillary = solver != "sph_bodin" && solver != "sph_clavet";
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": 20}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.02,
        "fill": {{"box": {{"min": [0, 0, 0], "max": [0.16, 0.2, 0.12]}}}}}},
      {{"name": "tank", "kind": "boundary",
        "shape": {{"box": {{"min": [0, 0, 0], "max": [0.4, 0.4, 0.12]}}, "inside": true}}}}],
    "stages": [{{"type": "{}", "fluid": "water", "boundary": ["tank"], "substeps": {}, {}}}],
    "output": []}})",
      solver, solver == "wcsph" || solver == "sph_mueller" ? 4 : 1,
      capillary ? with_capillary : all_groups);
}

}  // namespace

TEST_CASE("sph_forces: every solver runs with all groups, resumes and threads to the same bytes",
          "[long]") {
  for (const char* solver :
       {"dfsph", "iisph", "pcisph", "wcsph", "sph_mueller", "pbf", "sph_bodin", "sph_clavet"}) {
    INFO(solver);
    const TemporaryFolder folder;
    Running whole(wet_scene(solver), Exec::cpu(2)), half(wet_scene(solver), Exec::cpu(1)),
        again(wet_scene(solver), Exec::cpu(2)),
        device(wet_scene(solver), Exec::cpu(2).device_shaped());
    whole.advance(10);
    half.advance(5);
    save_checkpoint(folder.path, half.world(), {.step = 5});
    std::string warnings;
    load_checkpoint(find_checkpoint(folder.path, warnings).value().file, again.world());
    again.steps = 5;
    again.refresh();
    again.advance(5);
    CHECK(again.world().state_hash() == whole.world().state_hash());
    half.advance(5);
    CHECK(half.world().state_hash() == whole.world().state_hash());
    device.advance(10);  // sums in another order
    CHECK(device.measure("water.kinetic_energy") ==
          Approx(whole.measure("water.kinetic_energy")).epsilon(1e-3));
  }
}

// The wind alone changes the momentum along x of a block that falls, and by the same in a first
// step, before solvers have moved the rows that it sees.
TEST_CASE("sph_forces: wind pushes a falling block alike in every solver") {
  const auto push = [](const std::string& solver) {
    Running r(fmt::format(R"({{"rtsim": 1, "dim": 2,
      "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 100}},
      "objects": [{{"name": "water", "kind": "particles", "spacing": 0.02,
        "fill": {{"box": {{"min": [0, 0], "max": [0.4, 0.4]}}}}}}],
      "stages": [{{"type": "{}", "fluid": "water", "support": 2, "substeps": 1{},
        "drag": {{"wind": [20, 0]}}}}], "output": []}})",
                          solver, solver == "wcsph" ? R"(, "max_speed": 2)" : ""),
              Exec::cpu(1));
    r.advance(1);
    return r.measure("water.momentum.x");
  };
  const double expected = push("wcsph");
  CHECK(expected > 0);
  // Velocities from moved positions are rounded: eps x / (v dt) is about 1e-3.
  for (const char* solver : {"dfsph", "pbf", "sph_bodin", "sph_clavet"}) {
    INFO(solver);
    CHECK(push(solver) == Approx(expected).epsilon(2e-3));
  }
}
