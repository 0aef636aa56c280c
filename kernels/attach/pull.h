#pragma once
#include "base/vec.h"

namespace rtsim::attach {

// Velocity of a point x on a damped spring to a place p that moves with v_p, after a step of
// implicit Euler, stable for any stiffness k [N/m] and damping c [N s/m]:
//   v' = v_p + ((v - v_p) + dt k/m (p_begin - x)) / (1 + dt c/m + dt^2 k/m),  p_begin = p - dt v_p
RTSIM_HD inline Vec<3> pulled(const Vec<3>& x, const Vec<3>& v, const Vec<3>& p, const Vec<3>& v_p,
                              Real k_over_m, Real c_over_m, Real dt) {
  const Vec<3> begin = p - dt * v_p;
  const Real s = Real(1) / (1 + dt * c_over_m + dt * dt * k_over_m);
  return v_p + s * ((v - v_p) + (dt * k_over_m) * (begin - x));
}

}  // namespace rtsim::attach
