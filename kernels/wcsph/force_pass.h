#pragma once
#include "base/vec.h"
#include "exec/span.h"
#include "sph/pairs.h"
#include "wcsph/pair_force.h"

namespace rtsim::wcsph {

// a_i from pressure, viscosity, walls and gravity. Position rows carry p/rho^2, motion rows rho;
// wall rows their volume, and their motion rows -p_b/rho_b^2 below zero, or zero where they mirror.
template <int D>
struct ForcePass {
  static constexpr int sums = 3;
  Law law;
  Vec<D> gravity;
  Span<Vec<D>> acceleration;

  struct Self {
    Row4 v;
    Real pressure;  // p_i / rho_i^2
  };
  RTSIM_HD Self self(Index, const Row4& p, const Row4& v) const { return {v, p.w}; }

  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Self& i, const sph::Separation<F>& d, const Q& q,
                                             const Q& u, F* s) const {
    add(pair_scale<F>(law, d.r2, sph::approach(d, i.v, u), F(i.pressure) + q.w, F(i.v.w) + u.w,
                      F(law.mass)),
        d, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Self& i, const sph::Separation<F>& d, const Q& q,
                                            const Q& u, F* s) const {
    const Real over = i.v.w / law.rest_density;
    const F mirrored(i.pressure * over * over);
    const F pressures = F(i.pressure) + select_less(F(u.w), F(0), F(0) - u.w, mirrored);
    const F c = pair_scale<F>(law, d.r2, sph::approach(d, i.v, u), pressures,
                              F(i.v.w + law.rest_density), F(law.rest_density) * q.w);
    add(c + law.contact.scale(d.r2), d, s);
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD void add(F c, const sph::Separation<F>& d, F* s) const {
    s[0] = fma(c, d.x, s[0]), s[1] = fma(c, d.y, s[1]), s[2] = fma(c, d.z, s[2]);
  }
  RTSIM_HD void store(Index i, const Self&, const Real* s) const {
    for (int k = 0; k < D; ++k) acceleration[i][k] = s[k] + gravity[k];
  }
};

}  // namespace rtsim::wcsph
