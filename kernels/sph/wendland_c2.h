#pragma once
#include "lanes/row4.h"

namespace rtsim::sph {

// Wendland's C2 kernel: Dehnen & Aly, "Improving convergence in smoothed particle hydrodynamics
// simulations without pairing instability", MNRAS 425, 2012, table 1. q = r / H:
//
//   W(r) = k (1 - q)^4_+ (1 + 4 q),      k = 7/(pi H^2) in 2D, 21/(2 pi H^3) in 3D
//   W'(r) = -20 k/H q (1 - q)^3_+
struct WendlandC2 {
  Real support;      // H [m]
  Real inv_support;  // [1/m]
  Real scale;        // k [1/m^D]

  static WendlandC2 of(int dim, double support) {
    const double pi = 3.14159265358979323846;
    const double k =
        dim == 2 ? 7 / (pi * support * support) : 21 / (2 * pi * support * support * support);
    return {Real(support), Real(1 / support), Real(k)};
  }

  // W / k
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F shape(F r2) const {
    const F q = root(r2) * F(inv_support);
    const F a = max(F(1) - q, F(0));
    return a * a * (a * a) * fma(F(4), q, F(1));
  }
  // W' H / k
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F slope(F r) const {
    const F q = r * F(inv_support);
    const F a = max(F(1) - q, F(0));
    return F(-20) * q * a * (a * a);
  }
};

}  // namespace rtsim::sph
