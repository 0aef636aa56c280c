#pragma once
#include "lanes/row4.h"

namespace rtsim::sph {

// A repulsive force of walls, which keeps spray in. A lone particle has too little density for
// pressure, and would fall through a layer of samples; so each sample nearer than l pushes with
//
//   a_i += K (1 - r/l)^2_+ x_ib / r,
//
// the gradient of the potential K l/3 (1 - r/l)^3. In the spirit of Monaghan, "Simulating Free
// Surface Flows with SPH", J. Comput. Phys. 110, 1994, sec. 5.
struct BoundaryRepulsion {
  Real strength;   // K [m/s^2]
  Real inv_range;  // 1/l [1/m]
  Real least_r2;   // [m^2]

  // The factor of x_ib.
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F scale(F r2) const {
    const F r = root(max(r2, F(least_r2)));
    const F depth = max(F(1) - r * F(inv_range), F(0));
    return F(strength) * depth * depth / r;
  }
};

}  // namespace rtsim::sph
