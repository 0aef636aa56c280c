#pragma once
#include "base/types.h"

namespace rtsim::smoke {

// What smoke and warmth weigh (Fedkiw, Stam & Jensen, "Visual Simulation of Smoke", SIGGRAPH 2001,
// eq. 8, with the factors that Boussinesq's approximation gives them):
//   a = g (w s - e T)
// g: gravity [m/s^2]; s: density of smoke [kg/m^D]; T: temperature above the ambient one [K];
// w: weight of smoke [m^D/kg]; e: thermal expansion [1/K].
struct Buoyancy {
  Real gravity[3] = {};
  Real weight = 0, expansion = 0;

  RTSIM_HD Real acceleration(int axis, Real s, Real t) const {
    return gravity[axis] * (weight * s - expansion * t);
  }
};

}  // namespace rtsim::smoke
