#pragma once
#include "exec/span.h"
#include "lanes/lanes.h"

namespace rtsim::rigid {

// Rows [0, n) of a table; where a list says so, only those of its eights, of which number e has the
// rows 8 e to 8 e + 7. Launches go through places: the row at one may lie behind the last.
struct Rows {
  Index n = 0;
  bool listed = false;
  Span<const Index> eights = {};  // ascending

  RTSIM_HD Index places() const { return listed ? lane_count * eights.size : n; }
  RTSIM_HD Index at(Index place) const {
    return listed ? lane_count * eights[place / lane_count] + place % lane_count : place;
  }
};

}  // namespace rtsim::rigid
