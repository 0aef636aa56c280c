#pragma once
#include <optional>
#include <vector>

#include "param/describe.h"

namespace rtsim {

// A time in which a source of a grid acts.
struct TimeWindow {
  double start = 0;            // [s]
  std::optional<double> stop;  // [s]
};
void describe(Describe&, TimeWindow&);

// Whether a step that begins at `time` lies in one of them; in none: always.
bool acts(const std::vector<TimeWindow>&, double time, double dt);

}  // namespace rtsim
