#pragma once
#include "shallow_water/shallow_water.h"

namespace rtsim::shallow_water {

// The CPU-shaped body of step().
Watch step_tiles(const Exec&, const Flow&, double dt, const Columns& from, const Columns& to);

}  // namespace rtsim::shallow_water
