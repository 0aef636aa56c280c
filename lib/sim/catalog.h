#pragma once
#include <vector>

#include "stage/stage_type.h"

namespace rtsim {

std::vector<StageType> stage_catalog();

}  // namespace rtsim
