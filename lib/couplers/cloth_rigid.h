#pragma once
#include "stage/stage_type.h"

namespace rtsim {

struct ClothRigidParams {
  ObjectName mesh, bodies;
};

StageType cloth_rigid_type();

}  // namespace rtsim
