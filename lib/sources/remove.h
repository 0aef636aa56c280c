#pragma once
#include <optional>

#include "shapes/deforming_mesh.h"
#include "shapes/shape.h"
#include "stage/stage_type.h"

namespace rtsim {

struct RemoveParams {
  ObjectName fluid;
  std::optional<ShapeSpec> shape;  // required
  bool outside = false;
  MotionSpec motion;
  std::optional<DeformationSpec> deformation;
};

void describe(Describe&, RemoveParams&);

StageType remove_type();

}  // namespace rtsim
