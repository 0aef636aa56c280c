#pragma once
#include "sph/poly6.h"
#include "sph/spiky.h"

namespace rtsim::pbf {

// Position based fluids: Macklin & Müller, "Position Based Fluids", ACM TOG 32(4), 2013. Each
// particle has the constraint that its density be rest density, and gradients of the spiky kernel:
//
//   C_i = rho_i / rho0 - 1                                                              eq. 1
//   lambda_i = -C_i / (sum_k |grad_k C_i|^2 + epsilon)                                  eq. 11
//   shift_i = sum_j V (lambda_i + lambda_j + s_ij) grad W_ij,  V = m / rho0             eq. 14
//   s_ij = -k (W(r) / W(dq))^n                                                          eq. 13
//
// Wall samples count with their volumes V_b for V, and do not move; some have a lambda of their own
// (pbf.h).
struct Law {
  sph::Poly6 density;
  sph::Spiky gradient;
  Real volume;         // V [m^D]
  Real wall_number;    // 1 / V: volumes of wall samples in particles [1/m^D]
  Real epsilon;        // [1/m^2]
  Real tension;        // part of a negative C that is corrected
  Real pressure;       // k [m^2]
  Real inv_shape;      // k_W / W(dq), so that W(r) / W(dq) is this times the shape
  int pressure_power;  // n
  Real least_r2;       // [m^2]; nearer pairs push nowhere, since x_ij is then zero

  // V W'(r) / r [1/m^2]
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F slope(F r2) const {
    const F r = root(max(r2, F(least_r2)));
    return F(volume * gradient.scale * gradient.inv_support) * gradient.slope(r) / r;
  }
  // s_ij
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F artificial(F r2) const {
    const F part = F(inv_shape) * density.shape(r2);
    F s(-pressure);
    for (int n = 0; n < pressure_power; ++n) s = s * part;
    return s;
  }
};

}  // namespace rtsim::pbf
