#pragma once
#include <string>
#include <vector>

#include "param/json_text.h"
#include "sweep/status.h"
#include "sweep/sweep_spec.h"

namespace rtsim {

// A value of a parameter, and the place in the sweep file that gave it.
struct PointValue {
  std::string json;
  std::string at;
};
// One value of each parameter of an entry.
using Point = std::vector<PointValue>;

// What one entry of "axes" runs through.
struct AxisPoints {
  std::vector<SweepParameter> parameters;
  std::vector<Point> points;
};

// Adds a problem for what does not go together: columns of unequal length, names that are none.
AxisPoints points_of(const AxisEntry&, const std::string& pointer, std::vector<Problem>&);

}  // namespace rtsim
