#pragma once
#include "base/types.h"

namespace rtsim::sph_bodin {

// SPOOK: Lacoursière, "Ghosts and Machines", Umeå 2007; as in Bodin, Lacoursière & Servin,
// "Constraint Fluids", IEEE TVCG 18(3), 2012. Constraints g = 0 with Jacobian G, relaxed over d
// steps and soft by the compliance eps, give multipliers (impulses) lambda and velocities v' by
//
//   (G M^-1 G^T + e) lambda = -a g - b G v - G M^-1 dt f,     v' = v + M^-1 (dt f + G^T lambda)
//   a = 4 / (dt (1 + 4 d)),   b = 4 d / (1 + 4 d),   e = 4 eps / (dt^2 (1 + 4 d))
//
// Written with the velocity v' that the multipliers found so far give, the residual is
//
//   r = G v' + e lambda + a g - (1 - b) G v
//
// ("Computational Fluid Dynamics in 2D Game Environments", Umeå 2011, eq. 2.40 to 2.50; the last
// prints f / dt where dt f is meant.)
struct Spook {
  Real restore;   // a [1/s]
  Real keep;      // 1 - b = 1 / (1 + 4 d)
  Real softness;  // e [1/(kg m^2)]

  // `relaxation`: d; `compliance`: eps [1/J].
  static Spook of(double dt, double relaxation, double compliance) {
    const double keep = 1 / (1 + 4 * relaxation);
    return {Real(4 * keep / dt), Real(keep), Real(4 * compliance * keep / (dt * dt))};
  }
};

}  // namespace rtsim::sph_bodin
