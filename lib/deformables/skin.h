#pragma once
#include "stage/stage_type.h"

namespace rtsim {

struct SkinParams {
  ObjectName mesh;  // what moves
  ObjectName skin;  // what follows
};

void describe(Describe&, SkinParams&);

StageType skin_type();

}  // namespace rtsim
