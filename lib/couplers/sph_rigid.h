#pragma once
#include "stage/stage_type.h"

namespace rtsim {

enum class Coupling { strong, weak };

struct SphRigidParams {
  ObjectName fluid, bodies;
  Coupling coupling = Coupling::strong;
};

StageType sph_rigid_type();

}  // namespace rtsim
