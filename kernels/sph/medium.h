#pragma once
#include "sph/cubic_spline.h"

namespace rtsim::sph {

// What the pair laws of one fluid share.
struct Medium {
  CubicSpline kernel;
  Real mass;          // m [kg]
  Real rest_density;  // rho0 [kg/m^D]
  Real wall_mass;     // rho0 / m [1/m^D]: what a wall's volume counts for in units of m
  Real least_r2;      // [m^2]; nearer pairs push nowhere, since x_ij is then zero

  static Medium of(int dim, double mass, double support, double rest_density) {
    return {CubicSpline::of(dim, support), Real(mass), Real(rest_density),
            Real(rest_density / mass), Real(1e-10 * support * support)};
  }

  // W'(r) / r, so that the gradient of W_ij at i is this times x_ij [1/m^(D+2)].
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F gradient(F r2) const {
    const F r = root(max(r2, F(least_r2)));
    return F(kernel.scale * kernel.inv_support) * kernel.slope(r) / r;
  }
};

}  // namespace rtsim::sph
