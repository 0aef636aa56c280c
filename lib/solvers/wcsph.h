#pragma once
#include <memory>
#include <optional>

#include "stage/stage_type.h"

namespace rtsim {

struct WcsphParams {
  ObjectName fluid;
  ObjectNames boundary;
  double rest_density = 1000;         // [kg/m^D]
  double kinematic_viscosity = 1e-6;  // [m^2/s]
  double artificial_viscosity = 0.1;  // alpha
  double max_density_error = 0.01;    // eta
  std::optional<double> max_speed;    // [m/s]
  double support = 2;                 // radius of the kernel in spacings
  int substeps = 1;
};

void describe(Describe&, WcsphParams&);

StageType wcsph_type();

}  // namespace rtsim
