#pragma once
#include "stage/stage_type.h"

namespace rtsim {

struct BodyContactParams {
  ObjectName mesh, bodies;
};

StageType body_contact_type();

}  // namespace rtsim
