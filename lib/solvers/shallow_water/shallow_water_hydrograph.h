#pragma once
#include <utility>
#include <vector>

#include "param/describe.h"

namespace rtsim {

// Discharge [m^2/s] or level [m] of an edge over time: a flood, a tide, a wave maker.
struct HydrographSpec {
  std::vector<double> times, values;
  FileName file;
};
void describe(Describe&, HydrographSpec&);

class Hydrograph {
 public:
  // Throws Error{bad_input} for a file that is missing or broken, and times that do not grow.
  explicit Hydrograph(const HydrographSpec&);

  // Linear between the points; before the first and after the last as they are.
  double at(double time) const;
  double least() const;
  double greatest() const;

 private:
  std::vector<std::pair<double, double>> points_;
};

}  // namespace rtsim
