#pragma once
#include "base/vec.h"
#include "exec/span.h"
#include "sph/boundary_repulsion.h"
#include "sph/pairs.h"
#include "sph/spiky.h"
#include "sph_mueller/sph_mueller.h"

namespace rtsim::sph_mueller {

// Müller et al., "Particle-Based Fluid Simulation for Interactive Applications", SCA 2003:
//
//   a_i = -sum_j m (p_i + p_j) / (2 rho_i rho_j) grad W_spiky                          (eq. 10)
//         + mu sum_j m (v_j - v_i) / (rho_i rho_j) laplacian W_viscosity               (eq. 14)
//         + g
//
// Walls answer with the particle's own pressure, but do not pull, and with rest density. Position
// rows carry p, motion rows rho.
//
// Densities are sums of another kernel than the one whose slope acts, so that force is no gradient:
// pairs that come by one way and leave by another gain energy, and still water boils. With
// `energy`, densities are sums of the spiky kernel, and pressure acts as the gradient of
// sum_i m e(rho_i), p = rho^2 e'(rho) (Monaghan, "Smoothed particle hydrodynamics", Rep. Prog.
// Phys. 68, 2005, sec. 3):
//
//   -sum_j m (p_i / rho_i^2 + p_j / rho_j^2) grad W_spiky
//
// Walls are in the sum of rho_i, so they answer with p_i / rho_i^2 alone, and pull as well.
// Position rows then carry p / rho^2.
template <int D, PressureForce force>
struct ForcePass {
  static constexpr int sums = 3;
  Law law;
  Vec<D> gravity;
  Span<Vec<D>> acceleration;

  struct Self {
    Row4 v;
    Real p;
  };
  RTSIM_HD Self self(Index, const Row4& p, const Row4& v) const { return {v, p.w}; }

  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Self& i, const sph::Separation<F>& d, const Q& q,
                                             const Q& u, F* s) const {
    const F both = F(i.p) + q.w, volumes = F(1) / (F(i.v.w) * u.w);
    const F push = force == PressureForce::energy ? both : F(Real(0.5)) * volumes * both;
    add(F(law.mass), push, volumes, F(0), i, d, u, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Self& i, const sph::Separation<F>& d, const Q& q,
                                            const Q& u, F* s) const {
    const Real volumes = 1 / (i.v.w * law.rest_density);
    const Real push = force == PressureForce::energy ? i.p : i.p > 0 ? volumes * i.p : Real(0);
    add(F(law.rest_density) * q.w, F(push), F(volumes), law.contact.scale(d.r2), i, d, u, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void add(F mass, F push, F volumes, F contact, const Self& i,
                                           const sph::Separation<F>& d, const Q& u, F* s) const {
    const F r = root(max(d.r2, F(law.contact.least_r2)));
    const F slope = F(law.spiky.scale * law.spiky.inv_support) * law.spiky.slope(r);
    const F c = contact - mass * push * slope / r;
    const F nu = mass * volumes * F(law.dynamic_viscosity) * law.viscosity.laplacian(r);
    s[0] = fma(c, d.x, fma(nu, u.x - F(i.v.x), s[0]));
    s[1] = fma(c, d.y, fma(nu, u.y - F(i.v.y), s[1]));
    s[2] = fma(c, d.z, fma(nu, u.z - F(i.v.z), s[2]));
  }
  RTSIM_HD void store(Index i, const Self&, const Real* s) const {
    for (int k = 0; k < D; ++k) acceleration[i][k] = s[k] + gravity[k];
  }
};

template <int D>
using MeanForce = ForcePass<D, PressureForce::mean>;
template <int D>
using EnergyForce = ForcePass<D, PressureForce::energy>;

// Surface tension of the colour field c = sum_j m/rho_j W (the same paper, eq. 15-19):
//
//   n = grad c,   a_i += -sigma laplacian(c) n / |n| / rho_i   where |n| > threshold.
//
// The field knows fluid alone, so walls end it like air.
template <int D>
struct TensionPass {
  static constexpr int sums = 4;
  Law law;
  Span<Vec<D>> acceleration;

  RTSIM_HD Real self(Index, const Row4&, const Row4& v) const { return v.w; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(Real, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    const F volume = F(law.mass) / u.w, depth = law.poly6.depth(d.r2);
    const Real k = law.poly6.scale * law.poly6.inv_support * law.poly6.inv_support;
    const F slope = F(-6 * k) * volume * depth * depth;  // grad W = slope x_ij
    const F q2 = F(1) - depth;
    s[0] = fma(slope, d.x, s[0]), s[1] = fma(slope, d.y, s[1]), s[2] = fma(slope, d.z, s[2]);
    s[3] = fma(F(-6 * k) * volume * depth, F(D) * depth - F(4) * q2, s[3]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(Real, const sph::Separation<F>&, const Q&, const Q&,
                                            F*) const {}
  RTSIM_HD void store(Index i, Real rho, const Real* s) const {
    const Real n = root(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    if (n <= law.normal_threshold) return;
    const Real own = law.poly6.scale * law.poly6.inv_support * law.poly6.inv_support * (-6 * D) *
                     law.mass / rho;  // the particle's own part of the Laplacian
    const Real c = -law.surface_tension * (s[3] + own) / (n * rho);
    for (int k = 0; k < D; ++k) acceleration[i][k] += c * s[k];
  }
};

}  // namespace rtsim::sph_mueller
