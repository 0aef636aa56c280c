#pragma once
#include "sph/poly6.h"

namespace rtsim::sph {

// The kernel whose gradient poly6h is (see poly6.h): with q = r / H,
//
//   W(r) = k 6 (8/15 - q + 2/3 q^3 - 1/5 q^5)_+,      W'(r) = -6 k/H (1 - q^2)^2_+
//
// As with the spiky kernel it has a tip, so that coinciding particles part.
struct Poly6h {
  Real support;      // H [m]
  Real inv_support;  // [1/m]
  Real scale;        // k [1/m^D]

  // With an integral of 1: its mean of r |W'| over space is the dimension.
  static Poly6h of(int dim, double support) {
    const double pi = 3.14159265358979323846;
    const double k =
        dim == 2 ? 35 / (16 * pi * support * support) : 3 / (pi * support * support * support);
    return {Real(support), Real(1 / support), Real(k)};
  }

  // W / k
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F shape(F r2) const {
    const F q = min(root(r2) * F(inv_support), F(1)), q2 = q * q;
    return F(6) * (F(Real(8) / 15) - q * (F(1) - q2 * (F(Real(2) / 3) - F(Real(0.2)) * q2)));
  }
  // W' H / k
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F slope(F r) const {
    const F q = r * F(inv_support), a = max(F(1) - q * q, F(0));
    return F(-6) * a * a;
  }
};

}  // namespace rtsim::sph
