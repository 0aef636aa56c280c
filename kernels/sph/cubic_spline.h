#pragma once
#include "lanes/row4.h"

namespace rtsim::sph {

// Cubic spline, Monaghan, "Smoothed Particle Hydrodynamics", ARA&A 30, 1992, written on its support
// radius H (twice Monaghan's smoothing length), q = r / H:
//
//   W(r)  = k [ 2 (1 - q)^3_+ - 8 (1/2 - q)^3_+ ],      k = 40/(7 pi H^2) in 2D, 8/(pi H^3) in 3D
//   W'(r) = k/H [ 24 (1/2 - q)^2_+ - 6 (1 - q)^2_+ ]
//
// The plus parts make it free of branches. F is Real or Lanes<Real>.
struct CubicSpline {
  Real support;      // H [m]
  Real inv_support;  // [1/m]
  Real scale;        // k [1/m^D]

  static CubicSpline of(int dim, double support) {
    const double pi = 3.14159265358979323846;
    const double k =
        dim == 2 ? 40 / (7 * pi * support * support) : 8 / (pi * support * support * support);
    return {Real(support), Real(1 / support), Real(k)};
  }

  // W / k
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F shape(F r2) const {
    const F q = root(r2) * F(inv_support);
    const F a = max(F(1) - q, F(0)), b = max(F(Real(0.5)) - q, F(0));
    return fma(F(2) * a, a * a, F(-8) * b * (b * b));
  }
  // W' H / k
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F slope(F r) const {
    const F q = r * F(inv_support);
    const F a = max(F(1) - q, F(0)), b = max(F(Real(0.5)) - q, F(0));
    return fma(F(24) * b, b, F(-6) * a * a);
  }
  // W'(r)/r as r goes to 0, where it is least [1/m^(D+2)].
  RTSIM_HD Real middle_gradient() const { return -12 * scale * inv_support * inv_support; }
};

}  // namespace rtsim::sph
