#pragma once
#include "stage/stage_type.h"

namespace rtsim {

StageType pcisph_type();

}  // namespace rtsim
