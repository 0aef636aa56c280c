#pragma once
#include "sph/pairs.h"
#include "sph/poly6.h"

namespace rtsim::sph_bodin {

// Pressure from the virial of a constraint's forces, F_ij = G_ij lambda_i / dt along x_ij:
//
//   p_i = -(lambda_i / dt) / (D V) sum_j |G_ij| r_ij
//
// Where G is the derivative of the density, the sum is D and p_i = -lambda_i / (dt V). Poly6h is
// steeper, and does with smaller multipliers.
struct PressurePass {
  static constexpr int sums = 1;
  sph::Poly6 kernel;
  Real inv_volume;  // rho0 / m [1/m^D]
  Real scale;       // k / (H D), so that p_i = -(lambda_i / dt) scale sum_j -(W'_ij H / k) r_ij
  Span<const Real> multiplier;  // lambda / dt [J]
  Span<Real> pressure;

  struct Nothing {};
  RTSIM_HD Nothing self(Index, const Row4&, const Row4&) const { return {}; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Nothing&, const sph::Separation<F>& d, const Q&,
                                             const Q&, F* s) const {
    s[0] = fma(kernel.slope_h(d.r2), root(d.r2), s[0]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Nothing&, const sph::Separation<F>& d, const Q& q,
                                            const Q&, F* s) const {
    s[0] = fma(F(inv_volume) * q.w * kernel.slope_h(d.r2), root(d.r2), s[0]);
  }
  RTSIM_HD void store(Index i, const Nothing&, const Real* s) const {
    pressure[i] = multiplier[i] * scale * s[0];
  }
};

}  // namespace rtsim::sph_bodin
