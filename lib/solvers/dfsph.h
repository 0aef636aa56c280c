#pragma once
#include "particles/sph_forces.h"
#include "stage/stage_type.h"

namespace rtsim {

struct DfsphParams {
  SphParams sph;
  SphForcesParams forces;
  double kinematic_viscosity = 1e-6;    // [m^2/s]
  double density_error_mean = 1e-4;     // relative to rest density
  double density_error_max = 0.01;      // relative to rest density
  double divergence_error_mean = 1e-4;  // relative to rest density, a step
  int max_iterations = 100;
  int substeps = 1;
};

void describe(Describe&, DfsphParams&);

StageType dfsph_type();

}  // namespace rtsim
