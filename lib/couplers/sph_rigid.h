#pragma once
#include "stage/stage_type.h"

namespace rtsim {

struct SphRigidParams {
  ObjectName fluid, bodies;
};

StageType sph_rigid_type();

}  // namespace rtsim
