#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "support/running.h"

// Scenes of smoke that tests share, and fields of a grid by row and column.
namespace rtsim {

// `more`: further keys of the stage; `objects`: boundaries, each with a comma in front.
struct SmokeScene {
  int dim = 2;
  double dt = 0.01, spacing = 0.1;
  std::string min = "[0, 0]", max = "[1, 1]";
  std::string gravity = "[0, 0]";
  std::string more = {};
  std::string objects = {};

  std::string text() const {
    return fmt::format(
        R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "air", "kind": "grid", "spacing": {}, "min": {}, "max": {}}}{}],
    "stages": [{{"type": "smoke", "grid": "air"{}}}], "output": []}})",
        dim, gravity, dt, spacing, min, max, objects, more);
  }
};

inline std::vector<Real> cells(Running& r, const std::string& column) {
  return r.world().table("air").download<Real>(column);
}
// The component of the velocity across an axis, by rows of its faces.
inline std::vector<Real> faces(Running& r, int axis) {
  return r.world().table(std::string("air.faces_") + "xyz"[axis]).download<Real>("velocity");
}
inline const GridShape& grid_of(Running& r) { return *r.world().object("air").grid; }

// Writes a column of the cells, before the first step.
template <class Value>
void set_cells(Running& r, const std::string& column, const Value& value) {
  std::vector<Real> values(std::size_t(grid_of(r).rows()));
  for (std::size_t c = 0; c < values.size(); ++c)
    values[c] = Real(value(grid_of(r).centre(Index(c))));
  r.world().exec.upload(r.world().table("air").column<Real>(column).data, values.data(),
                        values.size() * sizeof(Real));
}

constexpr const char* periodic_sides =
    R"("x_low": {"kind": "periodic"}, "x_high": {"kind": "periodic"})";
constexpr const char* all_periodic =
    R"("x_low": {"kind": "periodic"}, "x_high": {"kind": "periodic"}, "y_low": {"kind": "periodic"}, "y_high": {"kind": "periodic"})";

}  // namespace rtsim
