#pragma once
#include <optional>

#include "particles/sph_forces.h"
#include "stage/stage_type.h"

namespace rtsim {

struct WcsphParams {
  SphParams sph;
  SphForcesParams forces;
  double kinematic_viscosity = 1e-6;  // [m^2/s]
  double artificial_viscosity = 0.1;  // alpha
  double max_density_error = 0.01;    // eta
  std::optional<double> max_speed;    // [m/s]
  int substeps = 1;
  bool tension = false;

  double kernel_support(const World& w) const { return sph.kernel_support(w); }  // [m]
};

void describe(Describe&, WcsphParams&);
BoundaryMemory boundary_memory(const WcsphParams&, int dim);

StageType wcsph_type();

}  // namespace rtsim
