#include "solvers/shallow_water/shallow_water_hydrograph.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "param/curve_file.h"

namespace rtsim {

void describe(Describe& d, HydrographSpec& p) {
  d("times", p.times, "s", any(), "Growing.");
  d("values", p.values, "m^2/s or m", any(), "Discharge per metre, or level, at each of them.");
  d("file", p.file, "Instead: a line for each, time and value; the first may name them.");
  if (p.file.path.empty() == p.times.empty())
    d.fault("times", "one of \"times\" with \"values\" and \"file\" says how the edge changes");
  if (p.times.size() != p.values.size())
    d.fault("values",
            fmt::format("has {} entries for {} \"times\"", p.values.size(), p.times.size()));
}

Hydrograph::Hydrograph(const HydrographSpec& p)
    : points_(read_history(p.times, p.values, p.file.path)) {}

double Hydrograph::at(double time) const { return interpolated(points_, time); }

double Hydrograph::least() const {
  return std::ranges::min_element(points_, {}, &std::pair<double, double>::second)->second;
}
double Hydrograph::greatest() const {
  return std::ranges::max_element(points_, {}, &std::pair<double, double>::second)->second;
}

}  // namespace rtsim
