#pragma once
#include <string>

namespace rtsim {

// Where bodies stood when the table `samples` was placed, and how fast they were: a row for each,
// with the state columns `position` [m] and `velocity` [m/s] of their centres of mass.
inline std::string placed_table(const std::string& samples) { return samples + ".bodies"; }

}  // namespace rtsim
