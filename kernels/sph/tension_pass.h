#pragma once
#include "sph/tension.h"

namespace rtsim::sph {

// The trace of M_i.
struct BearingPass {
  static constexpr int sums = 1;
  Bearing law;
  Span<Real> bears;

  RTSIM_HD Real self(Index, const Row4&, const Row4&) const { return 0; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(Real, const Separation<F>& d, const Q&, const Q& u,
                                             F* s) const {
    s[0] = s[0] - F(law.medium.mass) * law.medium.gradient(d.r2) * d.r2 / u.w;
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(Real, const Separation<F>& d, const Q& q, const Q&,
                                            F* s) const {
    s[0] = s[0] - q.w * law.medium.gradient(d.r2) * d.r2;
  }
  RTSIM_HD void store(Index i, Real, const Real* s) const {
    bears[i] = s[0] >= law.least_trace ? Real(1) : Real(0);
  }
};

// The same, and the rate of the density in units of m.
struct StretchPass {
  static constexpr int sums = 2;
  Bearing law;
  Real dt;
  Span<Real> stretch;

  RTSIM_HD Row4 self(Index, const Row4&, const Row4& v) const { return v; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4& v, const Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    const F g = law.medium.gradient(d.r2);
    s[0] = s[0] - F(law.medium.mass) * g * d.r2 / u.w;
    s[1] = fma(g, approach(d, v, u), s[1]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4& v, const Separation<F>& d, const Q& q,
                                            const Q& u, F* s) const {
    const F g = q.w * law.medium.gradient(d.r2);
    s[0] = s[0] - g * d.r2;
    s[1] = fma(F(law.medium.wall_mass) * g, approach(d, v, u), s[1]);
  }
  RTSIM_HD void store(Index i, const Row4& v, const Real* s) const {
    const Real rest = law.medium.rest_density;
    const Real most = max(1 - v.w / rest, Real(0));
    const Real now = max(stretch[i] - dt * law.medium.mass * s[1] / rest, Real(0));
    stretch[i] = s[0] >= law.least_trace ? min(now, most) : Real(0);
  }
};

}  // namespace rtsim::sph
