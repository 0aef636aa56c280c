#pragma once
#include <optional>

#include "shapes/shape.h"
#include "stage/stage_type.h"

namespace rtsim {

struct RemoveParams {
  ObjectName fluid;
  std::optional<ShapeSpec> shape;  // required
  bool outside = false;
  MotionSpec motion;
};

void describe(Describe&, RemoveParams&);

StageType remove_type();

}  // namespace rtsim
