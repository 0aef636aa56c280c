#pragma once
#include "deformables/position_based.h"
#include "stage/stage_type.h"

namespace rtsim {

struct PbdParams {
  PbdParams() { shared.iterations = 10; }

  PositionBasedParams shared;
  double stretch_stiffness = 1;
  double bending_stiffness = 0;
  double volume_stiffness = 1;
};

void describe(Describe&, PbdParams&);
double row_bytes(const PbdParams&, const GridShape&);

StageType pbd_type();

}  // namespace rtsim
