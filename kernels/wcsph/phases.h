#pragma once
#include "wcsph/force_pass.h"

namespace rtsim::wcsph {

// ForcePass for rows of several phases: see sph/phases.h. The sums are F_i / m of the first phase's
// m (Solenthaler & Pajarola 2008, eq. 9 to 11, where the mean of viscosities is the harmonic one:
// see pressure/phases.h), and
//
//   a_i = F_i / (m s_i) + g.
//
// Monaghan's viscosity on approaching pairs, m_i m_j 2 alpha c h / (rho_i + rho_j), is the harmonic
// mean of densities by itself. Rows have their rest volumes in both, contact accelerates all alike.
template <int D>
struct PhaseForcePass {
  static constexpr int sums = 3;
  Law law;
  PhaseLaw phases;
  Vec<D> gravity;
  Span<Vec<D>> acceleration;

  struct Self {
    Row4 v;
    Real pressure, mirrored;  // p_i / rho_i^2, p_i / rho0^2
    int phase;
  };
  RTSIM_HD Self self(Index i, const Row4& p, const Row4& v) const {
    const Real over = phases.density[i] / law.rest_density;
    return {v, p.w, p.w * over * over, sph::Phases::of(v.w)};
  }

  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Self& i, const sph::Separation<F>& d, const Q& q,
                                             const Q& u, F* s) const {
    const F nu = phases.all.pick(phases.viscosity.of[i.phase], u.w),
            more = phases.all.pick(phases.artificial.of[i.phase], u.w);
    add(scale(d, sph::approach(d, i.v, u), nu, more, F(i.pressure) + q.w, F(law.mass)), d, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Self& i, const sph::Separation<F>& d, const Q& q,
                                            const Q& u, F* s) const {
    const F pressures = F(i.pressure) + select_less(F(u.w), F(0), F(0) - u.w, F(i.mirrored)),
            nu(phases.viscosity.of[i.phase][i.phase]), more(phases.artificial.of[i.phase][i.phase]);
    const F c = scale(d, sph::approach(d, i.v, u), nu, more, pressures, F(law.rest_density) * q.w);
    add(c + F(phases.all.density[i.phase]) * law.contact.scale(d.r2), d, s);
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F scale(const sph::Separation<F>& d, F approach, F nu, F more,
                                          F pressures, F mass) const {
    return pair_scale_of(law, d.r2, approach, nu + select_less(approach, F(0), more, F(0)),
                         pressures, F(2 * law.rest_density), mass);
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD void add(F c, const sph::Separation<F>& d, F* s) const {
    s[0] = fma(c, d.x, s[0]), s[1] = fma(c, d.y, s[1]), s[2] = fma(c, d.z, s[2]);
  }
  RTSIM_HD void store(Index i, const Self& self, const Real* s) const {
    const Real w = phases.all.inv_density[self.phase];
    for (int k = 0; k < D; ++k) acceleration[i][k] = w * s[k] + gravity[k];
  }
};

}  // namespace rtsim::wcsph
