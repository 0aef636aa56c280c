#pragma once
#include "lanes/row4.h"

namespace rtsim::sph {

// The pairs of kernels of double density relaxation: Clavet et al., "Particle-based Viscoelastic
// Fluid Simulation", SCA 2005, sec. 3.1; the near one is the steeper, so that it acts at short
// range. q = r / H, s = 1 - q or 1 - q^2:
//
//   normal    W = k (1 - q)^2,    near W = k (1 - q)^3        their slopes
//   squared   W = k (1 - q^2)^2,  near W = k (1 - q^2)^3      their slopes
//   hybrid    squared shapes, but slopes of the form of `normal` with 1 - q^2 for 1 - q, and the
//             constants of `normal`: not normalised, and no gradients ("Computational Fluid
//             Dynamics in 2D Game Environments", Umeå 2011, appendix A.3)
enum class DoubleDensityKernels { normal, hybrid, squared };

struct DoubleDensity {
  Real support, inv_support;       // H [m], [1/m]
  Real scale, near_scale;          // k [1/m^D]
  Real linear;                     // 1 where s = 1 - q, 0 where s = 1 - q^2
  Real slope_along_r, slope_flat;  // W' H / k = -2 s (flat + along q), near -3 s^2 (flat + along q)

  static DoubleDensity of(DoubleDensityKernels kernels, int dim, double support) {
    const double pi = 3.14159265358979323846, h2 = support * support, h3 = h2 * support;
    const bool squared = kernels == DoubleDensityKernels::squared;
    const double k = squared ? (dim == 2 ? 3 / (pi * h2) : 105 / (32 * pi * h3))
                             : (dim == 2 ? 6 / (pi * h2) : 15 / (2 * pi * h3));
    const double near = squared ? (dim == 2 ? 4 / (pi * h2) : 315 / (64 * pi * h3))
                                : (dim == 2 ? 10 / (pi * h2) : 15 / (pi * h3));
    return {Real(support),
            Real(1 / support),
            Real(k),
            Real(near),
            Real(kernels == DoubleDensityKernels::normal),
            Real(squared ? 2 : 0),
            Real(squared ? 0 : 1)};
  }

  // s; 0 beyond the support, and of far dummies, whose q^2 may be more than numbers hold.
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F closeness(F r2) const {
    const F q2 = min(r2 * F(inv_support * inv_support), F(1)), q = root(q2);
    return max(F(1) - fma(F(linear), q - q2, q2), F(0));
  }
  // s^2 = W / k and s^3 = near W / k_near.
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F shape(F r2) const {
    const F s = closeness(r2);
    return s * s;
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F near_shape(F r2) const {
    const F s = closeness(r2);
    return s * s * s;
  }
  // W' H / k and near W' H / k_near.
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F slope(F r) const {
    return F(-2) * closeness(r * r) * steepness(r);
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F near_slope(F r) const {
    const F s = closeness(r * r);
    return F(-3) * s * s * steepness(r);
  }

 private:
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F steepness(F r) const {
    return fma(F(slope_along_r * inv_support), r, F(slope_flat));
  }
};

}  // namespace rtsim::sph
