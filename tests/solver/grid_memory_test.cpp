#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "grids/boundary_conditions.h"
#include "sim/build/build.h"
#include "support/running.h"

// What grids will take is known before they are built.
using namespace rtsim;

namespace {

struct Case {
  const char* what;
  int dim;
  const char* max;  // in cells of 1
  const char* stage;
};

// Bytes said beforehand over bytes held after two steps.
double said(const Case& c) {
  const Exec ex = Exec::cpu(1);
  const Scene scene = read_scene_text(
      fmt::format(
          R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "air", "kind": "grid", "spacing": 1, "min": {}, "max": {}}}],
    "stages": [{{{}, "grid": "air"}}], "output": []}})",
          c.dim, c.dim == 2 ? "[0, -9.81]" : "[0, -9.81, 0]", c.dim == 2 ? "[0, 0]" : "[0, 0, 0]",
          c.max, c.stage),
      "scene.json", ".", {}, stage_catalog());
  double bytes = 0;
  for (const ObjectEstimate& o : estimate(scene)) bytes += o.bytes;
  Running r(scene, ex);
  r.advance(2);
  return bytes / double(ex.peak_bytes());
}

}  // namespace

// Within a fifth, and rather too much than too little: grids thin and thick, in the plane and in
// space. In double, smoke in space is told 7 % too small.
TEST_CASE("grids: their memory is counted before the world is built") {
  const char* smoke = R"("type": "smoke", "kinematic_viscosity": 0.1)";
  const char* lbm = R"("type": "lbm", "kinematic_viscosity": 0.1)";
  const char* clouds = R"("type": "clouds")";
  for (const Case& c :
       {Case{"smoke", 2, "[256, 256]", smoke}, Case{"smoke", 3, "[48, 48, 48]", smoke},
        Case{"thin smoke", 3, "[128, 128, 4]", smoke}, Case{"clouds", 3, "[40, 48, 40]", clouds},
        Case{"lbm", 2, "[256, 256]", lbm}, Case{"lbm", 3, "[48, 48, 48]", lbm},
        Case{"thin lbm", 3, "[128, 128, 4]", lbm}, Case{"short lbm", 3, "[8, 128, 64]", lbm}}) {
    INFO(c.what << " " << c.max);
    const double share = said(c);
    CHECK(share > (sizeof(Real) == 4 ? 0.95 : 0.9));
    CHECK(share < 1.25);
  }
}

TEST_CASE("grids: a margin that takes a grid beyond what can be counted is refused") {
  GridShape thin;
  thin.cells[0] = thin.cells[1] = 20000, thin.cells[2] = 4;
  CHECK(thin.rows() < 2e9);
  CHECK_THROWS_WITH(make_domain(thin, 3, {}), Catch::Contains("more than 2^31 - 1"));
}
