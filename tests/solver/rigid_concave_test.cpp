#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

#include "shapes/write_mesh.h"
#include "support/running.h"
#include "support/temporary_folder.h"
#include "unit/shapes_support.h"

using namespace rtsim;

// A ring of `size` m hangs on a peg, and another in it: where their tubes touch.
TEST_CASE("rigid_concave: rings of meshes hang on a peg, one in another", "[long]") {
  const TemporaryFolder folder;
  const std::string file = (folder.path / "ring.ply").string();
  std::ofstream(file, std::ios::binary) << ply_bytes(testing::torus_mesh(1, 0.25, 32), "");
  for (const auto& [size, rate] : {std::pair{1.0, 60.0}, {0.03, 240.0}, {7.0, 47.0}}) {
    INFO(size << " m, " << rate << " Hz");
    // The upper ring stands upright around z, the lower one around x.
    Running r(fmt::format(R"({{"rtsim": 1, "dim": 3, "gravity": [0, -9.81, 0],
        "time": {{"dt": {0}, "steps_per_frame": 1, "frames": 1000000}},
        "objects": [
          {{"name": "rings", "kind": "bodies", "density": 700, "bodies": [
            {{"convex_parts": 32, "shape": {{"mesh": {{"file": "{1}"}},
               "transform": {{"scale": {2}, "translate": [0, {3}, 0]}}}}}},
            {{"convex_parts": 32, "shape": {{"mesh": {{"file": "{1}"}},
               "transform": {{"scale": {2}, "axis": [0, 1, 0], "angle": 90,
                              "translate": [0, {4}, 0]}}}}}}]}},
          {{"name": "peg", "kind": "boundary", "shape":
            {{"capsule": {{"a": [0, 0, {5}], "b": [0, 0, {2}], "radius": {6}}}}}}}],
        "stages": [{{"type": "rigid", "bodies": "rings", "boundary": ["peg"], "friction": 0.5,
                     "linear_damping": {7}, "angular_damping": {7}}}], "output": []}})",
                          1 / rate, file, size, -0.6 * size, -2.05 * size, -size, 0.1 * size,
                          2 / std::sqrt(size)),
              Exec::cpu(2));
    r.advance(int(20 * std::sqrt(size) * rate));
    const auto x = r.world().table("rings").download<Vec<3>>("position");
    // Peg on the inside of the ring, and the tubes inside each other's.
    CHECK(x[0][1] / size == Approx(0.1 - 0.75).margin(0.02));
    CHECK(x[1][1] / size == Approx(0.1 - 0.75 - 1.5).margin(0.04));
    CHECK(r.measure("rings.kinetic_energy") < 1e-3 * r.measure("rings.mass") * size);
  }
}

TEST_CASE("rigid_concave: in the plane a cup holds a ball, and the cup's hull does not") {
  for (const auto& [size, rate] : {std::pair{1.0, 60.0}, {0.03, 240.0}, {7.0, 47.0}})
    for (const int parts : {8, 1}) {
      INFO(size << " m, " << parts << " parts");
      std::string outline;
      for (const auto& [x, y] : {std::pair{-1.0, 0.0},
                                 {1.0, 0.0},
                                 {1.0, 1.0},
                                 {0.8, 1.0},
                                 {0.8, 0.2},
                                 {-0.8, 0.2},
                                 {-0.8, 1.0},
                                 {-1.0, 1.0}})
        outline += fmt::format("{}[{}, {}]", outline.empty() ? "" : ", ", x * size, y * size);
      Running r(fmt::format(R"({{"rtsim": 1, "dim": 2, "gravity": [0, -9.81],
          "time": {{"dt": {0}, "steps_per_frame": 1, "frames": 1000000}},
          "objects": [
            {{"name": "b", "kind": "bodies", "density": 700, "bodies": [
              {{"convex_parts": {1}, "shape": {{"polygon": {{"points": [{2}]}}}}}},
              {{"shape": {{"sphere": {{"centre": [{3}, {4}], "radius": {3}}}}}}}]}},
            {{"name": "floor", "kind": "boundary",
              "shape": {{"plane": {{"point": [0, 0], "normal": [0, 1]}}}}}}],
          "stages": [{{"type": "rigid", "bodies": "b", "boundary": ["floor"], "friction": 0.5,
                       "rolling_resistance": {5}}}], "output": []}})",
                            1 / rate, parts, outline, 0.3 * size, 1.5 * size, 0.01 * size),
                Exec::cpu(2));
      r.advance(int(5 * std::sqrt(size) * rate));
      const auto x = r.world().table("b").download<Vec<2>>("position");
      CHECK(x[1][1] / size == Approx(parts > 1 ? 0.5 : 1.3).margin(0.01));
    }
}
