#pragma once
#include "stage/stage_type.h"

namespace rtsim {

enum class Coupling { strong, weak };

struct SphRigidParams {
  ObjectName fluid, bodies;
  Coupling coupling = Coupling::strong;
};

// What bodies' samples need to give way.
BoundaryMemory boundary_memory(const SphRigidParams&, int dim);

StageType sph_rigid_type();

}  // namespace rtsim
