#pragma once
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "shapes/rotation.h"
#include "support/running.h"

namespace rtsim {

inline constexpr double g = 9.81;

// Bodies over a floor at y = 0; gravity tilted by an angle, so that the floor is an incline that
// goes down along x.
struct Floor : Running {
  int dim;
  Floor(int dim, const std::string& bodies, const std::string& stage, double dt, double angle = 0,
        double strength = g, int threads = 1, int seed = 0)
      : Running(fmt::format(R"({{"rtsim": 1, "dim": {}, "seed": {}, "gravity": [{}, {} {}],
          "time": {{"dt": {}, "frames": 1000000}},
          "objects": [{{"name": "b", "kind": "bodies", "density": 1000, "bodies": [{}]}},
            {{"name": "floor", "kind": "boundary",
              "shape": {{"plane": {{"point": {}, "normal": {}}}}}}}],
          "stages": [{{"type": "rigid", "bodies": "b", "boundary": ["floor"] {}}}]}})",
                            dim, seed, strength * std::sin(angle), -strength * std::cos(angle),
                            dim == 2 ? "" : ", 0", dt, bodies, dim == 2 ? "[0, 0]" : "[0, 0, 0]",
                            dim == 2 ? "[0, 1]" : "[0, 1, 0]", stage),
                Exec::cpu(threads)),
        dim(dim) {}
  std::vector<Vec3d> all(const char* column) {
    std::vector<Vec3d> r;
    if (dim == 2)
      for (const auto& v : world().table("b").download<Vec<2>>(column)) r.push_back(widen(v));
    else
      for (const auto& v : world().table("b").download<Vec<3>>(column)) r.push_back(widen(v));
    return r;
  }
};

inline std::string box(double x, double y, double half, const std::string& more = "") {
  return fmt::format(R"({{"shape": {{"box": {{"min": [{}, {}, {}], "max": [{}, {}, {}]}}}} {}}})",
                     x - half, y - half, -half, x + half, y + half, half, more);
}
inline std::string ball(double x, double y, double radius, const std::string& more = "") {
  return fmt::format(R"({{"shape": {{"sphere": {{"centre": [{}, {}, 0], "radius": {}}}}} {}}})", x,
                     y, radius, more);
}
// Cubes of 1 m with gaps, each second one off by so much along x.
inline std::string column_of(int n, double gap, double off = 0) {
  std::string all;
  for (int k = 0; k < n; ++k)
    all += (k ? ", " : "") + box(k % 2 == 0 ? 0 : off, 0.5 + k * (1 + gap), 0.5);
  return all;
}

}  // namespace rtsim
