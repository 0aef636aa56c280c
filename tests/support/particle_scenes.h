#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/vec.h"
#include "support/running.h"

// Scenes and sums that the tests of particle fluids share. `stage` is the stage's object without
// braces, its fluid being "water".
namespace rtsim {

// A block of 0.6 m at a spacing of 0.1 m with nothing near.
inline std::string block_scene(int dim, const std::string& stage, double dt, bool falls) {
  const char* zero = dim == 2 ? "[0, 0]" : "[0, 0, 0]";
  return fmt::format(
      R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "water", "kind": "particles", "spacing": 0.1,
                  "fill": {{"box": {{"min": {}, "max": {}}}}}}}],
    "stages": [{{{}, "fluid": "water"}}], "output": []}})",
      dim,
      !falls     ? zero
      : dim == 2 ? "[0, -9.81]"
                 : "[0, -9.81, 0]",
      dt, zero, dim == 2 ? "[0.6, 0.6]" : "[0.6, 0.6, 0.6]", stage);
}

// A 2D column of 1 m at a spacing of 0.05 m that fills the width of its tank.
inline std::string column_scene(const std::string& stage, double dt) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05, "fill": {{"box": {{"min": [0, 0], "max": [1, 1]}}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [1, 2]}}, "inside": true}}}}],
    "stages": [{{{}, "fluid": "water", "boundary": ["tank"]}}], "output": []}})",
      dt, stage);
}

// One particle of spacing 0.02 m in a 3D tank of 0.4 m, above the weakest place of its floor:
// between four samples.
inline std::string spray_scene(const std::string& stage, double dt, const std::string& velocity) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.02, "velocity": {},
        "fill": {{"box": {{"min": [0.19, 0.1, 0.19], "max": [0.21, 0.12, 0.21]}}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0, 0], "max": [0.4, 1, 0.4]}}, "inside": true}}}}],
    "stages": [{{{}, "fluid": "water", "boundary": ["tank"]}}], "output": []}})",
      dt, velocity, stage);
}

template <int D>
std::vector<Vec<D>> positions(Running& r) {
  return r.world().table("water").download<Vec<D>>("position");
}
template <int D>
std::vector<Vec<D>> velocities(Running& r) {
  return r.world().table("water").download<Vec<D>>("velocity");
}
template <int D>
void set(Running& r, const char* column, const std::vector<Vec<D>>& values) {
  Table& t = r.world().table("water");
  r.world().exec.upload(t.column<Vec<D>>(column).data, values.data(),
                        values.size() * sizeof(values[0]));
  r.refresh();
}

template <int D>
double mean_height(Running& r) {
  double sum = 0;
  const auto all = positions<D>(r);
  for (const auto& x : all) sum += double(x[1]);
  return sum / double(all.size());
}

}  // namespace rtsim
