#pragma once
#include <optional>

#include "particles/sph_forces.h"
#include "stage/stage_type.h"

namespace rtsim {

struct SphBodinParams {
  // Of densities. The Jacobian is of poly6h, the derivative of the second alone.
  enum class Kernel { poly6, poly6h };

  SphParams sph;
  SphForcesParams forces;
  Kernel density_kernel = Kernel::poly6h;
  std::optional<double> self_contribution;  // beta
  std::optional<double> sound_speed;        // [m/s]
  double relaxation_steps = 3;              // d
  bool tension = true;
  double kinematic_viscosity = 1e-6;  // [m^2/s]
  int max_iterations = 15;
  double residual = 1e-4;  // relative to rest density, a step
  bool warm_start = true;
  int substeps = 1;
};

void describe(Describe&, SphBodinParams&);
BoundaryMemory boundary_memory(const SphBodinParams&, int dim);

StageType sph_bodin_type();

}  // namespace rtsim
