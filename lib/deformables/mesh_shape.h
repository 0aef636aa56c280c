#pragma once
#include "stage/stage_type.h"

namespace rtsim {

struct MeshShapeParams {
  ObjectName mesh;
};

void describe(Describe&, MeshShapeParams&);

StageType mesh_shape_type();

}  // namespace rtsim
