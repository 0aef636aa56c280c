#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "support/running.h"

using namespace rtsim;

namespace {

std::string scene(const std::string& solver, const std::string& more) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 1e-4, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "water", "kind": "particles", "spacing": 0.05,
      "fill": {{"box": {{"min": [0, 0], "max": [0.4, 0.4]}}}}}}],
    "stages": [{{"type": "{}", "fluid": "water",
      "implicit_viscosity": {{"kinematic_viscosity": 0.1}}{}}}], "output": []}})",
      solver, more);
}

}  // namespace

TEST_CASE("probes: names of the series that a fluid has of its own are refused") {
  for (const std::string solver :
       {"wcsph", "dfsph", "iisph", "pcisph", "sph_mueller", "pbf", "sph_bodin", "sph_clavet"}) {
    Running r(scene(solver, solver == "sph_clavet" ? R"(, "springs": {})" : ""), Exec::cpu(1));
    const std::string prefix = solver + ".water.";
    int own = 0;
    for (const Measurement& m : measure(r.sim)) {
      if (!m.name.starts_with(prefix)) continue;
      const std::string name = m.name.substr(prefix.size());
      if (name.find('.') != name.npos) continue;  // no probe's name has a point
      INFO(m.name);
      ++own;
      const std::string probe =
          fmt::format(R"(, "probes": [{{"name": "{}", "at": [0, 0]}}])", name);
      CHECK_THROWS_WITH(Running(scene(solver, probe), Exec::cpu(1)),
                        Catch::Contains("\"" + name + "\" is a series that fluids have"));
    }
    CHECK(own >= 10);
  }
}
