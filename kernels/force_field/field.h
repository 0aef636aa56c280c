#pragma once
#include <cmath>

#include "force_field/force_field.h"

namespace rtsim::force_field {

// Accelerations at x; r = x - centre, e: softening.
//
//   constant   g
//   point      -s r / (r^2 + e^2)^(3/2)      Plummer's attractor; e keeps its centre finite
//   vortex     s n x r / (r_n^2 + e^2)       r_n the distance from the axis n through the centre
//   linear     -k r
struct Field {
  Fields f;

  RTSIM_HD bool acts_at(const Real* x) const {
    if (f.sphere_radius >= 0) {
      Real r2 = 0;
      for (int a = 0; a < 3; ++a) r2 += (x[a] - f.sphere_centre[a]) * (x[a] - f.sphere_centre[a]);
      if (r2 > f.sphere_radius * f.sphere_radius) return false;
    }
    for (int a = 0; a < f.box_axes; ++a)
      if (x[a] < f.box_min[a] || x[a] > f.box_max[a]) return false;
    return true;
  }

  RTSIM_HD void acceleration(const Real* x, Real* a) const {
    for (int k = 0; k < 3; ++k) a[k] = f.constant[k] - f.linear_rate2 * (x[k] - f.linear_centre[k]);
    add_point(x, a);
    add_vortex(x, a);
  }

 private:
  RTSIM_HD void add_point(const Real* x, Real* a) const {
    Real r[3], r2 = f.point_softening * f.point_softening;
    for (int k = 0; k < 3; ++k) r[k] = x[k] - f.point_centre[k], r2 += r[k] * r[k];
    if (!(r2 > 0)) return;
    const Real c = f.point_strength / (r2 * std::sqrt(r2));
    for (int k = 0; k < 3; ++k) a[k] -= c * r[k];
  }
  RTSIM_HD void add_vortex(const Real* x, Real* a) const {
    const Real* n = f.vortex_axis;
    Real r[3];
    for (int k = 0; k < 3; ++k) r[k] = x[k] - f.vortex_centre[k];
    const Real c[3] = {n[1] * r[2] - n[2] * r[1], n[2] * r[0] - n[0] * r[2],
                       n[0] * r[1] - n[1] * r[0]};  // |c| = r_n
    const Real r2 =
        c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + f.vortex_softening * f.vortex_softening;
    if (!(r2 > 0)) return;
    for (int k = 0; k < 3; ++k) a[k] += f.vortex_strength / r2 * c[k];
  }
};

}  // namespace rtsim::force_field
