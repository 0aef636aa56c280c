#pragma once
#include <optional>

#include "particles/sph_forces.h"
#include "solvers/sph_clavet/sph_clavet_springs.h"
#include "sph/double_density.h"
#include "stage/stage_type.h"

namespace rtsim {

struct SphClavetParams {
  // One layer of samples stands for all of a wall that rows half a spacing off it reach.
  SphClavetParams() { sph.support = 2; }

  SphParams sph;
  SphForcesParams forces;
  sph::DoubleDensityKernels kernels = sph::DoubleDensityKernels::normal;
  std::optional<double> rest_number;
  double k = 0.004;
  double k_near = 0.01;
  std::optional<double> acceleration_unit;  // [m/s^2]
  double tension = 0;
  double linear_viscosity = 0;     // [1/s]
  double quadratic_viscosity = 0;  // [1/m]
  double wall_friction = 0;
  double stickiness = 0;                 // [1/s^2]
  std::optional<double> stick_distance;  // [m]
  std::optional<SpringParams> springs;
  int passes = 2;
  int substeps = 1;
};

void describe(Describe&, SphClavetParams&);

StageType sph_clavet_type();

}  // namespace rtsim
