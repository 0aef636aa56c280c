#pragma once
#include <fmt/format.h>

#include <string>

#include "support/running.h"

namespace rtsim {

// Bodies "b" with joints, and nothing to touch.
struct Joined : Running {
  int dim;
  Joined(int dim, const std::string& gravity, const std::string& bodies, const std::string& joints,
         double dt, const std::string& stage = "", int threads = 1)
      : Running(fmt::format(R"({{"rtsim": 1, "dim": {}, "gravity": {},
          "time": {{"dt": {}, "frames": 1000000}},
          "objects": [{{"name": "b", "kind": "bodies", "density": 1000, "bodies": [{}],
                       "joints": [{}]}}],
          "stages": [{{"type": "rigid", "bodies": "b" {}}}]}})",
                            dim, gravity, dt, bodies, joints, stage),
                Exec::cpu(threads)),
        dim(dim) {}
  Vec3d at(const char* column, std::size_t row = 0) {
    if (dim == 2) return widen(world().table("b").download<Vec<2>>(column)[row]);
    return widen(world().table("b").download<Vec<3>>(column)[row]);
  }
  double energy() { return measure("b.kinetic_energy") + measure("b.potential_energy"); }
  Vec3d spin() {
    return {{dim == 3 ? measure("b.angular_momentum.x") : 0,
             dim == 3 ? measure("b.angular_momentum.y") : 0, measure("b.angular_momentum.z")}};
  }
};

}  // namespace rtsim
