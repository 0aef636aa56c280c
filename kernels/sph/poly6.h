#pragma once
#include "lanes/row4.h"

namespace rtsim::sph {

// Poly6 of Müller et al., "Particle-Based Fluid Simulation for Interactive Applications", SCA 2003,
// eq. 20; in 2D normalised over the disc. q = r / H:
//
//   W(r) = k (1 - q^2)^3_+,      k = 4/(pi H^2) in 2D, 315/(64 pi H^3) in 3D
//   W'(r) = -6 k/H q (1 - q^2)^2_+
//
// The slope vanishes where particles meet. Poly6h replaces that q by one: Nilsson, "Constraint
// fluids on GPU", Umeå 2009; it is no gradient of W, but pushes coinciding particles apart.
struct Poly6 {
  Real support;      // H [m]
  Real inv_support;  // [1/m]
  Real scale;        // k [1/m^D]

  static Poly6 of(int dim, double support) {
    const double pi = 3.14159265358979323846;
    const double k =
        dim == 2 ? 4 / (pi * support * support) : 315 / (64 * pi * support * support * support);
    return {Real(support), Real(1 / support), Real(k)};
  }

  // 1 - q^2
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F depth(F r2) const {
    return max(F(1) - r2 * F(inv_support * inv_support), F(0));
  }
  // W / k
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F shape(F r2) const {
    const F a = depth(r2);
    return a * a * a;
  }
  // W' H / k
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F slope(F r) const {
    const F a = depth(r * r);
    return F(-6 * inv_support) * r * a * a;
  }
  // The same for poly6h.
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F slope_h(F r2) const {
    const F a = depth(r2);
    return F(-6) * a * a;
  }
};

}  // namespace rtsim::sph
