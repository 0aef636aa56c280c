#pragma once
#include "stage/stage_type.h"

namespace rtsim {

enum class Coupling { strong, weak };

struct SphRigidParams {
  ObjectName fluid, bodies;
  Coupling coupling = Coupling::strong;
};

// The columns that strong coupling needs of bodies and their samples.
BoundaryMemory boundary_memory(const SphRigidParams&, int dim);

StageType sph_rigid_type();

}  // namespace rtsim
