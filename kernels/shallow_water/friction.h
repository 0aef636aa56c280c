#pragma once
#include <cstdint>
#include <cstring>

#include "shallow_water/flow.h"

namespace rtsim::shallow_water {

// h^(-1/3) for h > 0: a guess from the exponent (as in the fast inverse square root), and Newton's
// steps y (4 - h y^3) / 3, which come from 4 % to 3e-10 in three. No call, so loops vectorise.
RTSIM_HD inline Real inverse_cube_root(Real h) {
  const float near = float(h);
  std::int32_t bits;
  std::memcpy(&bits, &near, sizeof bits);
  bits = 0x54a23000 - bits / 3;
  float guess;
  std::memcpy(&guess, &bits, sizeof guess);
  Real y = guess;
  for (int k = 0; k < 3; ++k) y = y * (4 - h * y * y * y) * Real(1.0 / 3);
  return y;
}

// What is left of the discharge after dt of friction on the ground, taken implicitly:
// 1 / (1 + dt g n^2 |u| / h^(4/3)), with Manning's n [s/m^(1/3)]. Momentum and velocity are those
// of the state that dt begins with, so that a uniform flow down a slope stays one: A. Chertock et
// al., "Steady state and sign preserving semi-implicit Runge-Kutta methods for ODEs with stiff
// damping term", SIAM J. Numer. Anal. 53, 2015, eq. 2.3. `strength` is dt g n^2.
RTSIM_HD inline Real left_by_friction(Real strength, Real h, Real u, Real v, Real dry) {
  const Real r = inverse_cube_root(max(h, dry)), r2 = r * r;
  return 1 / fma(strength * root(fma(u, u, v * v)), r2 * r2, Real(1));
}

}  // namespace rtsim::shallow_water
