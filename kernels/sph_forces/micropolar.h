#pragma once
#include "sph_forces/vorticity.h"

namespace rtsim::sph_forces {

// Bender, Koschier, Kugelstadt, Weiler, "A Micropolar Material Model for Turbulent SPH Fluids",
// SCA 2017, eq. 9-13: particles spin by themselves, at omega,
//
//   dv/dt = nu_t curl omega,   Theta domega/dt = nu_t (curl v - 2 omega)
//
// and omega is smoothed as XSPH smooths velocities. The curl of omega is the symmetric one,
//
//   curl omega_i = -rho0 sum_j m (omega_i / rho_i^2 + omega_j / rho_j^2) x grad W_ij,
//
// so that momentum is kept, and that of v its transpose, so that the transfer does no work:
//
//   curl v_i = rho0 / rho_i^2 sum_j m (v_i - v_j) x grad W_ij.

// Motion rows are spin rows.
struct SpinToFlowPass {
  static constexpr int sums = 6;
  Micropolar law;
  Span<Row4> motion, smoothed;

  RTSIM_HD Row4 self(Index, const Row4&, const Row4& w) const { return w; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4& w, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    const F own = F(1 / (w.w * w.w)), its = F(1) / (u.w * u.w);
    add_cross(law.medium.gradient(d.r2), fma(own, F(w.x), its * u.x), fma(own, F(w.y), its * u.y),
              fma(own, F(w.z), its * u.z), d, s);
    const F near = law.medium.kernel.shape(d.r2) / (F(w.w) + u.w);
    s[3] = fma(near, u.x - F(w.x), s[3]);
    s[4] = fma(near, u.y - F(w.y), s[4]);
    s[5] = fma(near, u.z - F(w.z), s[5]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4&, const sph::Separation<F>&, const Q&,
                                            const Q&, F*) const {}
  RTSIM_HD void store(Index i, const Row4& w, const Real* s) const {
    const Real m = law.medium.mass, c = -law.dt * law.transfer * law.medium.rest_density * m;
    Row4& v = motion[i];
    v.x = fma(c, s[0], v.x), v.y = fma(c, s[1], v.y), v.z = fma(c, s[2], v.z);
    const Real zeta = 2 * law.viscosity * m * law.medium.kernel.scale;
    smoothed[i] = {fma(zeta, s[3], w.x), fma(zeta, s[4], w.y), fma(zeta, s[5], w.z), w.w};
  }
};

// Implicit in omega, so that no transfer is too fast.
template <int D>
struct FlowToSpinPass {
  static constexpr int sums = 3;
  Micropolar law;
  Span<const Row4> smoothed;
  Span<Vec<D == 2 ? 1 : 3>> omega;

  RTSIM_HD Row4 self(Index, const Row4&, const Row4& v) const { return v; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4& v, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    add_cross(law.medium.gradient(d.r2), F(v.x) - u.x, F(v.y) - u.y, F(v.z) - u.z, d, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4&, const sph::Separation<F>&, const Q&,
                                            const Q&, F*) const {}
  RTSIM_HD void store(Index i, const Row4& v, const Real* s) const {
    const Real rate = law.dt * law.transfer * law.inverse_inertia;
    const Real c = rate * law.medium.rest_density * law.medium.mass / (v.w * v.w);
    const Real inv = 1 / (1 + 2 * rate);
    const Row4 w = smoothed[i];
    if constexpr (D == 2) {
      omega[i] = {{inv * fma(c, s[2], w.z)}};
    } else {
      omega[i] = {{inv * fma(c, s[0], w.x), inv * fma(c, s[1], w.y), inv * fma(c, s[2], w.z)}};
    }
  }
};

}  // namespace rtsim::sph_forces
