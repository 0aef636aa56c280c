#pragma once
#include "sph_forces/sph_forces.h"

namespace rtsim::sph_forces {

// c v x d, added to s.
template <class F>
[[gnu::always_inline]] RTSIM_HD inline void add_cross(F c, F x, F y, F z,
                                                      const sph::Separation<F>& d, F* s) {
  s[0] = fma(c, y * d.z - z * d.y, s[0]);
  s[1] = fma(c, z * d.x - x * d.z, s[1]);
  s[2] = fma(c, x * d.y - y * d.x, s[2]);
}

// omega_i = curl v = sum_j m/rho_j (v_i - v_j) x grad W_ij; in the plane only z is not zero.
struct CurlPass {
  static constexpr int sums = 3;
  sph::Medium medium;
  Span<Row4> curls;

  RTSIM_HD Row4 self(Index, const Row4&, const Row4& v) const { return v; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4& v, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    add_cross(medium.gradient(d.r2) / u.w, F(v.x) - u.x, F(v.y) - u.y, F(v.z) - u.z, d, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4&, const sph::Separation<F>&, const Q&,
                                            const Q&, F*) const {}
  RTSIM_HD void store(Index i, const Row4&, const Real* s) const {
    const Real m = medium.mass, x = m * s[0], y = m * s[1], z = m * s[2];
    curls[i] = {x, y, z, root(x * x + y * y + z * z)};
  }
};

// Vorticity confinement, Macklin & Müller, "Position Based Fluids", SIGGRAPH 2013, eq. 15-16, after
// Fedkiw, Stam, Jensen, "Visual Simulation of Smoke", SIGGRAPH 2001, eq. 9-11:
//
//   eta = grad |omega|,   N = eta / |eta|,   a = eps N x omega
//
// |eta| is at least |omega| / (10 H), so that where vorticity is even nothing is made of noise.
// m/rho0 stands for the volumes of neighbours.
struct ConfinementPass {
  static constexpr int sums = 3;
  sph::Medium medium;
  Real strength_dt;  // eps dt [m]
  Span<Row4> motion;

  RTSIM_HD Row4 self(Index, const Row4&, const Row4& w) const { return w; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4& w, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    const F c = medium.gradient(d.r2) * (u.w - F(w.w));
    s[0] = fma(c, d.x, s[0]), s[1] = fma(c, d.y, s[1]), s[2] = fma(c, d.z, s[2]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4&, const sph::Separation<F>&, const Q&,
                                            const Q&, F*) const {}
  RTSIM_HD void store(Index i, const Row4& w, const Real* s) const {
    const Real m = 1 / medium.wall_mass, x = m * s[0], y = m * s[1], z = m * s[2];
    const Real length = root(x * x + y * y + z * z);
    const Real least = Real(0.1) * medium.kernel.inv_support * w.w;
    const Real most = length > least ? length : least;
    if (!(most > 0)) return;
    const Real c = strength_dt / most;
    Row4& v = motion[i];
    v.x = fma(c, y * w.z - z * w.y, v.x);
    v.y = fma(c, z * w.x - x * w.z, v.y);
    v.z = fma(c, x * w.y - y * w.x, v.z);
  }
};

}  // namespace rtsim::sph_forces
