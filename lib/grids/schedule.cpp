#include "grids/schedule.h"

#include <fmt/format.h>

#include <algorithm>

namespace rtsim {

void describe(Describe& d, TimeWindow& p) {
  d("start", p.start, "s", at_least(0), "When it begins.");
  d("stop", p.stop, "s", above(0), "When it ends; never unless given.");
  if (p.stop && *p.stop <= p.start)
    d.fault("stop", fmt::format("must come after its start at {} s", p.start));
}

bool acts(const std::vector<TimeWindow>& schedule, double time, double dt) {
  // Times are index * dt: half a rounding must not shift a window by a step.
  const double t = time + 1e-6 * dt;
  return schedule.empty() ||
         std::any_of(schedule.begin(), schedule.end(),
                     [t](const TimeWindow& w) { return t >= w.start && (!w.stop || t < *w.stop); });
}

}  // namespace rtsim
