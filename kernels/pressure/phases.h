#pragma once
#include "pressure/passes.h"

// The passes of passes.h for rows of several phases: see sph/phases.h. With w_i = rho0 / rho0_i,
//
//   a_i = w_i (-sum_j m (k_i + k_j) grad W_ij - sum_b (rho0 V_b k_i + m k_b) grad W_ib),
//
// where k = p / rho^2 with the density that the sums give, that of the first phase; so pairs push
// each other equally (Solenthaler & Pajarola 2008, eq. 9), and p is the pressure in Pa. Rates of
// density are sums without masses, and remain as they are.
namespace rtsim::pressure {

struct PhasePushPass : PushPass {
  sph::Phases phases;

  struct Self {
    Real k, w;
  };
  RTSIM_HD Self self(Index, const Row4& p, const Row4& v) const {
    return {p.w, phases.inv_density[sph::Phases::of(v.w)]};
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Self& i, const F& g, const sph::Separation<F>& d,
                                             const Q& q, const Q& u, F* s) const {
    PushPass::fluid(i.k, g, d, q, u, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Self& i, const sph::Separation<F>& d, const Q& q,
                                            const Q& u, F* s) const {
    PushPass::wall(i.k, d, q, u, s);
  }
  RTSIM_HD void store(Index i, const Self& self, const Real* s) const {
    const Real c = -dt * medium.mass * self.w;
    Row4& v = motion[i];
    v.x = fma(c, s[0], v.x), v.y = fma(c, s[1], v.y), v.z = fma(c, s[2], v.z);
  }
};

// D_i = w_i |sum_j m grad W_ij + sum_b rho0 V_b grad W_ib|^2 + sum_j w_j |m grad W_ij|^2, and no
// push on the way: neighbours' motion rows are read.
struct PhaseDiagonalPass {
  static constexpr int sums = 4;
  static constexpr sph::Gradients gradients = sph::Gradients::left;
  sph::Medium medium;
  sph::Phases phases;
  Span<Real> diagonal;

  RTSIM_HD Real self(Index, const Row4&, const Row4& v) const {
    return phases.inv_density[sph::Phases::of(v.w)];
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(Real, const F& g, const sph::Separation<F>& d,
                                             const Q&, const Q& u, F* s) const {
    add(g, d, s);
    s[3] = fma(g * g * phases.pick(phases.inv_density, u.w), d.r2, s[3]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(Real, const sph::Separation<F>& d, const Q& q, const Q&,
                                            F* s) const {
    add(F(medium.wall_mass) * q.w * medium.gradient(d.r2), d, s);
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD void add(F g, const sph::Separation<F>& d, F* s) const {
    s[0] = s[0] + g * d.x, s[1] = s[1] + g * d.y, s[2] = s[2] + g * d.z;
  }
  RTSIM_HD void store(Index i, Real w, const Real* s) const {
    const Real m = medium.mass;
    diagonal[i] = m * m * (w * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) + s[3]);
  }
};

// PredictPass with the harmonic mean of a pair's dynamic viscosities, 2 mu_i mu_j / (mu_i + mu_j),
// with which shear stress is continuous across an interface (Cleary & Monaghan, "Conduction
// Modelling Using Smoothed Particle Hydrodynamics", J. Comput. Phys. 148, 1999, sec. 3; Hu & Adams,
// "A multi-phase SPH method", J. Comput. Phys. 213, 2006, eq. 30). Rows have their rest volumes in
// it. Contact accelerates all rows alike.
struct PhasePredictPass {
  static constexpr int sums = 3;
  static constexpr sph::Gradients gradients = sph::Gradients::read;
  sph::Medium medium;
  sph::Phases phases;
  Body body;
  Span<Row4> motion;

  struct Self {
    Row4 p, v;
    int phase;
  };
  RTSIM_HD Self self(Index, const Row4& p, const Row4& v) const {
    return {p, v, sph::Phases::of(v.w)};
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Self& i, const F& g, const sph::Separation<F>& d,
                                             const Q& q, const Q& u, F* s) const {
    const F viscosity = phases.pick(body.viscosities.of[i.phase], u.w);
    add(g, viscosity, F(i.p.w) + q.w, sph::approach(d, i.v, u), d, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Self& i, const sph::Separation<F>& d, const Q& q,
                                            const Q& u, F* s) const {
    const F approach = sph::approach(d, i.v, u), g = medium.gradient(d.r2);
    add(F(medium.wall_mass) * q.w * g, F(body.viscosities.of[i.phase][i.phase]), F(i.p.w), approach,
        d, s);
    const F stop = F(phases.density[i.phase]) * body.contact.scale(d.r2),
            c = select_less(approach, F(0), stop, F(0)) - F(medium.mass) * u.w * g;
    s[0] = fma(c, d.x, s[0]), s[1] = fma(c, d.y, s[1]), s[2] = fma(c, d.z, s[2]);
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD void add(F gradient, F viscosity, F k, F approach,
                                           const sph::Separation<F>& d, F* s) const {
    const F densities(2 * medium.rest_density);
    const F nu = viscosity * approach / (densities * (d.r2 + F(body.softening)));
    const F c = F(medium.mass) * gradient * (nu - k);
    s[0] = fma(c, d.x, s[0]), s[1] = fma(c, d.y, s[1]), s[2] = fma(c, d.z, s[2]);
  }
  RTSIM_HD void store(Index i, const Self& self, const Real* s) const {
    const Row4& v = self.v;
    const Real w = phases.inv_density[self.phase];
    motion[i] = {fma(body.dt, w * s[0] + body.gravity[0], v.x),
                 fma(body.dt, w * s[1] + body.gravity[1], v.y),
                 fma(body.dt, w * s[2] + body.gravity[2], v.z), v.w};
  }
};

}  // namespace rtsim::pressure
