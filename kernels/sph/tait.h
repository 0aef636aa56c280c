#pragma once
#include "base/types.h"

namespace rtsim::sph {

// Tait equation of state, Becker & Teschner, "Weakly compressible SPH for free surface flows",
// SCA 2007, eq. 7, gamma = 7:
//
//   p = B ((rho / rho0)^7 - 1),   B = rho0 c^2 / 7
//
// Below rest density p = 0, since a free surface cannot be pulled and densities near it lack what
// is not there. Tension is that of a stretch s (tension.h), which stands for 1 - rho / rho0.
struct Tait {
  Real stiffness;         // B [Pa]
  Real inv_rest_density;  // 1/rho0 [m^D/kg]

  RTSIM_HD Real pressure(Real rho) const {
    const Real p = uncut(rho * inv_rest_density);
    return p > 0 ? p : 0;
  }
  RTSIM_HD Real tension(Real stretch) const { return uncut(1 - stretch); }
  RTSIM_HD Real uncut(Real s) const {
    const Real s2 = s * s, s4 = s2 * s2;
    return stiffness * (s4 * s2 * s - 1);
  }

  // Energy per mass [J/kg], the integral of p/rho^2 from rho0: B/rho0 (s^6/6 + 1/s - 7/6).
  RTSIM_HD double energy(double rho) const {
    const double s = rho * double(inv_rest_density);
    return s <= 1 ? 0 : uncut_energy(s);
  }
  RTSIM_HD double energy_of_stretch(double stretch) const { return uncut_energy(1 - stretch); }
  RTSIM_HD double uncut_energy(double s) const {
    return double(stiffness) * double(inv_rest_density) *
           (s * s * s * s * s * s / 6 + 1 / s - 7.0 / 6);
  }
};

}  // namespace rtsim::sph
