#pragma once
#include <optional>

#include "particles/sph_forces.h"
#include "stage/stage_type.h"

namespace rtsim {

struct PbfParams {
  SphParams sph;
  SphForcesParams forces;
  int iterations = 4;
  std::optional<double> density_error_mean, density_error_max;  // relative to rest density
  int max_iterations = 100;
  double relaxation = 0.5;
  double tension = 0;
  double artificial_pressure = 0;
  double artificial_distance = 0.2;
  int artificial_power = 4;
  double xsph = 0.1;
  double vorticity_confinement = 0;  // [m/s]
  int substeps = 1;
};

void describe(Describe&, PbfParams&);
BoundaryMemory boundary_memory(const PbfParams&, int dim);

StageType pbf_type();

}  // namespace rtsim
