#pragma once
#include "deformables/position_based.h"
#include "stage/stage_type.h"

namespace rtsim {

struct XpbdParams {
  XpbdParams() { shared.substeps = 10; }

  PositionBasedParams shared;
  double stretch_compliance = 0;  // [m/N]
  double bending_stiffness = 0;   // B [N m]
  double compressibility = 0;     // [1/Pa]
};

void describe(Describe&, XpbdParams&);
double row_bytes(const XpbdParams&, const GridShape&);

StageType xpbd_type();

}  // namespace rtsim
