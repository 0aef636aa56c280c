#pragma once
#include <fmt/format.h>

#include <string>

#include "support/running.h"

// Scenes of liquid on a grid that tests share.
namespace rtsim {

// `more`: further keys of the stage; `objects` and `stages`: more of them; each with a comma in
// front.
struct LiquidScene {
  int dim = 2;
  double dt = 0.01, cell = 0.1;
  double spacing = 0;  // 0: half a cell
  std::string fill = R"("box": {"min": [0, 0], "max": [1, 0.5]})";
  std::string min = "[0, 0]", max = "[1, 1]";
  std::string gravity = "[0, -9.81]";
  std::string velocity = "[0, 0]";
  std::string more = {}, objects = {}, stages = {};

  std::string text() const {
    return fmt::format(
        R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": {:.12g}, "velocity": {}, "fill": {{{}}}}},
      {{"name": "room", "kind": "grid", "spacing": {:.12g}, "min": {}, "max": {}}}{}],
    "stages": [{{"type": "flip", "fluid": "water", "grid": "room"{}}}{}], "output": []}})",
        dim, gravity, dt, spacing > 0 ? spacing : cell / 2, velocity, fill, cell, min, max, objects,
        more, stages);
  }
};

template <int D>
std::vector<Vec<D>> particles(Running& r, const std::string& column) {
  return r.world().table("water").download<Vec<D>>(column);
}
template <int D>
void set_particles(Running& r, const std::string& column, const std::vector<Vec<D>>& values) {
  r.world().exec.upload(r.world().table("water").column<Vec<D>>(column).data, values.data(),
                        values.size() * sizeof(Vec<D>));
}

}  // namespace rtsim
