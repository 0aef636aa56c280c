#pragma once
#include "stage/stage_type.h"

namespace rtsim {

enum class Coupling { strong, weak };

struct CoupleParams {
  ObjectName fluid, solid;
  Coupling coupling = Coupling::strong;
};

// The columns that strong coupling needs of bodies and their samples.
BoundaryMemory boundary_memory(const CoupleParams&, int dim);

StageType couple_type();

}  // namespace rtsim
