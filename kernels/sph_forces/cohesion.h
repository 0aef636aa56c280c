#pragma once
#include "sph_forces/sph_forces.h"

namespace rtsim::sph_forces {

// Akinci, Akinci, Teschner, "Versatile Surface Tension and Adhesion for SPH Fluids", SIGGRAPH Asia
// 2013, eq. 1-7. H: radius of the kernel, q = r / H, V0 = m / rho0, K_ij = 2 rho0 / (rho_i +
// rho_j):
//
//   n_i = H sum_j m/rho_j grad W_ij                                       into the fluid, about 1
//   a_i = -sum_j K_ij (cohesion V0 C(r) x_ij / r + area (n_i - n_j)) - wall sum_b V_b A(r) x_ib / r
//
//   C(r) = 32 / (pi H^D) [(1 - q)^3 q^3             for q > 1/2
//                         2 (1 - q)^3 q^3 - 1/64    else]
//   A(r) = 0.007 / H^D (-4 q^2 + 6 q - 2)^(1/4)     for q > 1/2
//
// D = 3 is the paper's; in 2D the same shapes, by area. The paper's gamma stands before masses and
// before normals, which are no one unit: here each force has its own strength in m/s^2. At 1000
// kg/m^3 its numbers are cohesion = 1000 gamma, area = gamma, wall = 1000 beta.

struct NormalPass {
  static constexpr int sums = 3;
  sph::Medium medium;
  Span<Row4> normals;

  RTSIM_HD Real self(Index, const Row4&, const Row4& v) const { return v.w; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(Real, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    const F c = medium.gradient(d.r2) / u.w;
    s[0] = fma(c, d.x, s[0]), s[1] = fma(c, d.y, s[1]), s[2] = fma(c, d.z, s[2]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(Real, const sph::Separation<F>&, const Q&, const Q&,
                                            F*) const {}
  RTSIM_HD void store(Index i, Real rho, const Real* s) const {
    const Real c = medium.kernel.support * medium.mass;
    normals[i] = {c * s[0], c * s[1], c * s[2], rho};
  }
};

struct CohesionPass {
  static constexpr int sums = 3;
  Cohesion law;
  Span<Row4> motion;

  RTSIM_HD Row4 self(Index, const Row4&, const Row4& n) const { return n; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4& n, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    const F r = root(max(d.r2, F(law.medium.least_r2))), q = r * F(law.medium.kernel.inv_support);
    const F a = max(F(1) - q, F(0)), aq = a * q, cube = aq * aq * aq;
    const F shape = select_less(q, F(Real(0.5)), F(2) * cube - F(Real(1.0 / 64)), cube);
    const F K = F(2 * law.medium.rest_density) / (F(n.w) + u.w);
    const F c = K * F(law.cohesion * law.volume * law.scale) * shape / r;
    const F area = select_less(q, F(1), K * F(law.area), F(0));
    s[0] = fma(c, d.x, fma(area, F(n.x) - u.x, s[0]));
    s[1] = fma(c, d.y, fma(area, F(n.y) - u.y, s[1]));
    s[2] = fma(c, d.z, fma(area, F(n.z) - u.z, s[2]));
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4&, const sph::Separation<F>& d, const Q& w,
                                            const Q&, F* s) const {
    const F r = root(max(d.r2, F(law.medium.least_r2))), q = r * F(law.medium.kernel.inv_support);
    const F inside = max(fma(F(-4) * q, q, F(6) * q - F(2)), F(0));  // zero below 1/2, above 1
    const F c = F(law.wall * law.wall_scale) * w.w * root(root(inside)) / r;
    s[0] = fma(c, d.x, s[0]), s[1] = fma(c, d.y, s[1]), s[2] = fma(c, d.z, s[2]);
  }
  RTSIM_HD void store(Index i, const Row4&, const Real* s) const {
    Row4& v = motion[i];
    v.x = fma(-law.dt, s[0], v.x), v.y = fma(-law.dt, s[1], v.y), v.z = fma(-law.dt, s[2], v.z);
  }
};

}  // namespace rtsim::sph_forces
