#pragma once
#include "sph_forces/sph_forces.h"

namespace rtsim::sph_forces {

// Weiler, Koschier, Brand, Bender, "A Physically Consistent Implicit Viscosity Solver for SPH
// Fluids", CGF 37(2), 2018, eq. 9-12: backward Euler of
//
//   dv_i/dt = nu 2 (D + 2) sum_j (m / rho_ij) (v_ij . x_ij) / (|x_ij|^2 + 0.01 h^2) grad W_ij
//
// with rho_ij = (rho_i + rho_j) / 2, and rho_i beside walls, whose mass is rho0 V_b. So
//
//   A v' = v + (wall motion),   A = 1 - dt nu Laplacian,
//
// which is symmetric; A - 1 has no negative eigenvalue, since grad W_ij points against x_ij.

// -dt nu 2 (D + 2) m / rho_ij / (..) W'/r: what (v_ij . x_ij) x_ij is multiplied with, >= 0.
template <class F>
[[gnu::always_inline]] RTSIM_HD inline F tie(const Viscosity& law, Real strength, F densities,
                                             F r2) {
  const F weight = F(-strength * law.medium.mass) * law.medium.gradient(r2);
  return weight / (densities * (r2 + F(law.softening)));
}

// The inverse of 1 + sum_j tie_ij x_ij x_ij^T.
struct ViscousBlockPass {
  static constexpr int sums = block_size;
  Viscosity law;
  Span<Real> inverse;

  RTSIM_HD Real self(Index, const Row4&, const Row4& v) const { return v.w; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(Real rho, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    add(tie(law, law.fluid, F(rho) + u.w, d.r2), d, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(Real rho, const sph::Separation<F>& d, const Q& q,
                                            const Q&, F* s) const {
    add(F(law.medium.wall_mass) * q.w * tie(law, law.wall, F(2 * rho), d.r2), d, s);
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD void add(F c, const sph::Separation<F>& d, F* s) const {
    const F x = c * d.x, y = c * d.y, z = c * d.z;
    s[0] = fma(x, d.x, s[0]), s[1] = fma(x, d.y, s[1]), s[2] = fma(x, d.z, s[2]);
    s[3] = fma(y, d.y, s[3]), s[4] = fma(y, d.z, s[4]), s[5] = fma(z, d.z, s[5]);
  }
  // In double: ties may be large against the one, and what is left of minors must stay positive.
  RTSIM_HD void store(Index i, Real, const Real* s) const {
    const double a = 1.0 + s[0], b = s[1], c = s[2], d = 1.0 + s[3], e = s[4], f = 1.0 + s[5];
    const double A = d * f - e * e, B = c * e - b * f, C = b * e - c * d;
    const double inv = 1 / (a * A + b * B + c * C);
    Real* m = inverse.data + block_size * std::int64_t(i);
    m[0] = Real(A * inv), m[1] = Real(B * inv), m[2] = Real(C * inv);
    m[3] = Real((a * f - c * c) * inv), m[4] = Real((b * c - a * e) * inv);
    m[5] = Real((a * d - b * b) * inv);
  }
};

// out_i = identity v_i + sign sum_j tie_ij (v_ij . x_ij) x_ij; walls move, or are at rest.
struct ViscousProductPass {
  static constexpr int sums = 3;
  Viscosity law;
  Real identity, sign, wall_motion;
  Span<Row4> out;

  RTSIM_HD Row4 self(Index, const Row4&, const Row4& v) const { return v; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4& v, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    add(tie(law, law.fluid, F(v.w) + u.w, d.r2) * sph::approach(d, v, u), d, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4& v, const sph::Separation<F>& d, const Q& q,
                                            const Q& u, F* s) const {
    const F c = F(law.medium.wall_mass) * q.w * tie(law, law.wall, F(2 * v.w), d.r2);
    const F own = fma(d.z, F(v.z), fma(d.y, F(v.y), d.x * F(v.x)));
    const F its = fma(d.z, u.z, fma(d.y, u.y, d.x * u.x));
    add(c * (own - F(wall_motion) * its), d, s);
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD void add(F c, const sph::Separation<F>& d, F* s) const {
    s[0] = fma(c, d.x, s[0]), s[1] = fma(c, d.y, s[1]), s[2] = fma(c, d.z, s[2]);
  }
  RTSIM_HD void store(Index i, const Row4& v, const Real* s) const {
    out[i] = {fma(sign, s[0], identity * v.x), fma(sign, s[1], identity * v.y),
              fma(sign, s[2], identity * v.z), 0};
  }
};

}  // namespace rtsim::sph_forces
