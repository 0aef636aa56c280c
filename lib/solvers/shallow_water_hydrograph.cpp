#include "solvers/shallow_water_hydrograph.h"

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

Hydrograph::Hydrograph(const HydrographSpec& p) {
  if (!p.file.path.empty()) points_ = read_curve(p.file.path);
  for (std::size_t k = 0; k < p.times.size(); ++k) points_.emplace_back(p.times[k], p.values[k]);
  const auto what = p.file.path.empty() ? std::string("hydrograph") : p.file.path;
  if (points_.empty()) throw Error(ExitCode::bad_input, what + " has no points");
  for (std::size_t k = 1; k < points_.size(); ++k)
    if (!(points_[k].first > points_[k - 1].first))
      throw Error(ExitCode::bad_input, fmt::format("{}: time {} s does not come after {} s", what,
                                                   points_[k].first, points_[k - 1].first));
}

double Hydrograph::at(double time) const {
  const auto next = std::ranges::upper_bound(points_, time, {}, &std::pair<double, double>::first);
  if (next == points_.begin()) return points_.front().second;
  if (next == points_.end()) return points_.back().second;
  const auto& before = *(next - 1);
  const double share = (time - before.first) / (next->first - before.first);
  return before.second + share * (next->second - before.second);
}

double Hydrograph::least() const {
  return std::ranges::min_element(points_, {}, &std::pair<double, double>::second)->second;
}
double Hydrograph::greatest() const {
  return std::ranges::max_element(points_, {}, &std::pair<double, double>::second)->second;
}

}  // namespace rtsim
