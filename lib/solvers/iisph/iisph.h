#pragma once
#include "stage/stage_type.h"

namespace rtsim {

StageType iisph_type();

}  // namespace rtsim
