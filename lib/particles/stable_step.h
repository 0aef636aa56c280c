#pragma once
#include <limits>

// The longest steps of a particle fluid, with h half the kernel's radius: Monaghan, "Smoothed
// particle hydrodynamics", Rep. Prog. Phys. 68, 2005, sec. 8.5. Sound and forces: explicit_stage.h;
// surface tension: sph_forces.h.
namespace rtsim {

// The CFL condition of fluids that speed alone limits: no row goes further than 0.4 h in a step.
inline double courant_dt(double h, double speed) {
  return speed > 0 ? 0.4 * h / speed : std::numeric_limits<double>::infinity();
}

// Viscosity nu in explicit steps: dt <= h^2 / (8 nu).
inline double viscous_dt(double h, double nu) {
  return nu > 0 ? 0.125 * h * h / nu : std::numeric_limits<double>::infinity();
}

}  // namespace rtsim
