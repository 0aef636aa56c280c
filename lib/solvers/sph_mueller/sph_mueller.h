#pragma once
#include <optional>

#include "particles/sph_forces.h"
#include "sph_mueller/sph_mueller.h"
#include "stage/stage_type.h"

namespace rtsim {

struct SphMuellerParams {
  SphParams sph;
  SphForcesParams forces;
  std::optional<double> self_contribution;  // beta
  std::optional<double> stiffness;          // k [m^2/s^2]
  sph_mueller::PressureForce pressure_force = sph_mueller::PressureForce::energy;
  double dynamic_viscosity = 0.1;          // mu [kg/(m^(D-2) s)]
  double surface_tension = 0;              // sigma [N/m^(D-2)]
  std::optional<double> normal_threshold;  // [1/m]
  int substeps = 1;

  double kernel_support(const World&) const;  // [m]
};

void describe(Describe&, SphMuellerParams&);

StageType sph_mueller_type();

}  // namespace rtsim
