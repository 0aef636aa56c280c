#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "support/running.h"

// Ropes and sheets of springs for tests.
namespace rtsim {

constexpr double pi = 3.14159265358979323846;

// Points on a line along x, one metre apart, of 1 kg each, joined by springs; `held` are
// points that do not move.
struct Rope {
  int segments = 1;
  double stiffness = 1;  // [N/m]
  double dt = 0.01;
  std::string held = "[0]";
  std::string stage;  // more of the stage, with a comma in front
  std::string gravity = "[0, 0, 0]";
  std::string velocity = "[0, 0, 0]";

  std::string text() const {
    const std::string hold =
        held == "[]" ? ""
                     : fmt::format(R"({{"type": "attach", "mesh": "rope", "points": {}}},)", held);
    return fmt::format(
        R"({{"rtsim": 1, "dim": 3, "gravity": {}, "time": {{"dt": {:.17g}, "frames": 100000}},
    "objects": [{{"name": "rope", "kind": "mesh", "vertex_mass": 1, "velocity": {},
      "mesh": {{"line": {{"from": [0, 0, 0], "to": [{}, 0, 0], "segments": {}}}}}}}],
    "stages": [{} {{"type": "mass_spring", "mesh": "rope", "stiffness": {} {}}}], "output": []}})",
        gravity, dt, velocity, segments, segments, hold, stiffness, stage);
  }
};

inline std::vector<Vec<3>> positions(Running& r, const std::string& mesh) {
  return r.world().table(mesh).download<Vec<3>>("position");
}

template <class T>
void set(Running& r, const std::string& mesh, const char* column, const std::vector<T>& values) {
  const Span<T> to = r.world().table(mesh).column<T>(column);
  r.world().exec.upload(to.data, values.data(), values.size() * sizeof(T));
}

}  // namespace rtsim
