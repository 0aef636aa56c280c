#pragma once
#include "sph/poly6.h"

namespace rtsim::sph {

// The kernel whose slope is poly6h (see poly6.h): with q = r / H,
//
//   W(r) = k (1 - 15/8 q + 5/4 q^3 - 3/8 q^5)_+,      k = 7/(pi H^2) in 2D, 48/(5 pi H^3) in 3D
//   W'(r) = -15/8 k/H (1 - q^2)^2_+
//
// As the spiky kernel it has a tip, so that coinciding particles part.
struct Poly6h {
  Real support;      // H [m]
  Real inv_support;  // [1/m]
  Real scale;        // k [1/m^D]

  static Poly6h of(int dim, double support) {
    const double pi = 3.14159265358979323846;
    const double k =
        dim == 2 ? 7 / (pi * support * support) : 9.6 / (pi * support * support * support);
    return {Real(support), Real(1 / support), Real(k)};
  }
  // Of poly6h: the same slopes.
  Poly6 slopes() const { return {support, inv_support, Real(0.3125) * scale}; }

  // W / k
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F shape(F r2) const {
    const F q = min(root(r2) * F(inv_support), F(1)), q2 = q * q;
    return F(1) - q * (F(Real(1.875)) - q2 * (F(Real(1.25)) - F(Real(0.375)) * q2));
  }
  // W' H / k
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F slope(F r) const {
    const F q = r * F(inv_support), a = max(F(1) - q * q, F(0));
    return F(Real(-1.875)) * a * a;
  }
};

}  // namespace rtsim::sph
