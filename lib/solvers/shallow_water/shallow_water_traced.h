#pragma once
#include "solvers/shallow_water/shallow_water.h"

namespace rtsim {

// shallow_water's scheme "traced".
std::unique_ptr<Stage> make_traced_water(const ShallowWaterParams&, World&);

}  // namespace rtsim
