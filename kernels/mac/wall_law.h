#pragma once
#include <cmath>

#include "base/types.h"

namespace rtsim::mac {

// What a wall takes of a flow at `speed` along it [m/s], at `way` from it [m], over what it would
// take of a laminar one, nu speed / way: with u+ = y+ up to y+ = 11.81, and 8.3 y+^(1/7) beyond
// (Werner & Wengle, "Large-eddy simulation of turbulent flow over and around a cube in a plate
// channel", Turbulent Shear Flows 8, 1993). So layers much thinner than a cell hold a flow back as
// they do where they are seen.
RTSIM_HD inline Real wall_friction(Real speed, Real way, Real viscosity) {
  const Real reynolds = speed * way / viscosity;  // y+ u+
  const Real laminar = Real(139.5);               // 11.81^2
  if (!(reynolds > laminar)) return 1;
  const Real y = std::pow(reynolds / Real(8.3), Real(0.875));  // y+
  return y * y / reynolds;
}

}  // namespace rtsim::mac
