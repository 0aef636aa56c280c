#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

std::string scene(const std::string& mesh, const std::string& stage, const std::string& shape) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.01, "steps_per_frame": 1, "frames": 10000}},
          "objects": [{{"name": "m", "kind": "mesh", "mesh": {{{}}}, "density": 100}},
                      {{"name": "ground", "kind": "boundary", "shape": {{{}}}}}],
          "stages": [{{{}, "mesh": "m", "boundary": ["ground"], "thickness": 0.01,
                       "substeps": 4}}], "output": []}})",
      mesh, shape, stage);
}

const std::string floor_shape = R"("plane": {})";
const char* stages[] = {R"("type": "pbd")", R"("type": "xpbd")"};

}  // namespace

TEST_CASE("pbd_contact: what falls on a floor comes to rest on it") {
  const char* block =
      R"("block": {"min": [0, 0.1, 0], "max": [0.2, 0.3, 0.2], "cells": [2, 2, 2]})";
  for (const char* stage : stages) {
    INFO(stage);
    Running r(scene(block, stage, floor_shape), Exec::cpu(1));
    double lowest = 1;
    for (int n = 0; n < 200; ++n) {
      r.advance(1);
      for (const Vec3d& x : places(r)) lowest = std::min(lowest, x[1]);
    }
    CHECK(lowest > 0.0099);  // its thickness above the floor
    double top = 0;
    for (const Vec3d& x : places(r)) top = std::max(top, x[1]);
    CHECK(top == Approx(0.21).epsilon(0.01));
    CHECK(r.measure("m.kinetic_energy") < 1e-3 * 0.8 * g * 0.09);  // of its fall
  }
}

TEST_CASE("pbd_contact: cloth drapes over a ball, and no point is inside") {
  for (const char* stage : stages) {
    INFO(stage);
    Running r(scene(sheet(1, 16) + R"(, "transform": {"translate": [-0.5, 0.35, -0.5]})", stage,
                    R"("sphere": {"centre": [0, 0, 0], "radius": 0.3})"),
              Exec::cpu(1));
    for (int n = 0; n < 40; ++n) {
      r.advance(1);
      for (const Vec3d& x : places(r)) CHECK(norm(x) > 0.3099);
    }
    double low = 1;
    for (const Vec3d& x : places(r)) low = std::min(low, x[1]);
    CHECK(low < 0.1);  // its corners hang
  }
}
