#pragma once
#include "sph_forces/sph_forces.h"

namespace rtsim::sph_forces {

// Surface tension sigma as a force at the surface, Brackbill, Kothe, Zemach, "A Continuum Method
// for Modeling Surface Tension", J. Comput. Phys. 100, 1992: in a drop it is balanced by the
// pressure sigma kappa, kappa = (D - 1) / R. SPH gives a constant pressure p the acceleration -p
// G_i,
//
//   G_i = 2 / rho0^2 (sum_j m grad W_ij + rho0 sum_b V_b grad W_ib)
//
// which is zero but at the surface, and there points into the fluid. So
//
//   a_i = sigma kappa_i G_i
//
// is in balance with the pressure sigma kappa row by row, wherever the rows are, and no figure is
// left to calibrate. Short G_i are disorder inside the fluid: rows that have them are no surface,
// and are passed over by all that follows. Of solvers whose pressure has a spiky kernel that kernel
// would be in balance, but its G_i tell surface from disorder so badly that drops come apart; with
// the spline's they hold.
//
// The curvature is the divergence of n = -G / |G|. The corners of a lattice turn normals more than
// the surface does, so G is blurred first, G'_i = sum_j W_ij G_j, four times; normals of a sphere
// stay what they are. Between two rows they turn by n_j - n_i = kappa / (D - 1) (x_j - x_i) along
// the surface. With x_t, the part of x_ij across n_i,
//
//   kappa_i = (D - 1) sum_j w_ij (n_j - n_i) . (x_j - x_i) / sum_j w_ij |x_t|^2,
//   w_ij = W_ij |G'_j| max(n_i . n_j, 0)
//
// which is exact for normals that are linear in x, though neighbourhoods end at the surface. Then
// means of kappa with the weights W_ij |G_j|, twice. It is that of the rows, at a mean depth
// z = int z W1 dz / int W1 dz = 0.22 H of the force (W1: the kernel summed over a plane), where a
// surface of curvature k (D - 1) has k / (1 - z k): at the surface it is k / (1 + z k).

// rows[i] = (G_i, |G_i|): nothing of it below `least`, all of it above three times that.
struct SurfacePass {
  static constexpr int sums = 3;
  sph::Medium medium;
  Real least;  // of |G_i| [m^(D-1)/kg]
  Span<Row4> rows;

  RTSIM_HD Real self(Index, const Row4&, const Row4&) const { return 0; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(Real, const sph::Separation<F>& d, const Q&, const Q&,
                                             F* s) const {
    add(medium.gradient(d.r2), d, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(Real, const sph::Separation<F>& d, const Q& q, const Q&,
                                            F* s) const {
    add(F(medium.wall_mass) * q.w * medium.gradient(d.r2), d, s);
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD void add(F c, const sph::Separation<F>& d, F* s) const {
    s[0] = fma(c, d.x, s[0]), s[1] = fma(c, d.y, s[1]), s[2] = fma(c, d.z, s[2]);
  }
  RTSIM_HD void store(Index i, Real, const Real* s) const {
    const Real c = 2 * medium.mass / (medium.rest_density * medium.rest_density);
    const Real x = c * s[0], y = c * s[1], z = c * s[2], length = root(x * x + y * y + z * z);
    const Real over = (length - least) / (2 * least), part = over < 0 ? 0 : over < 1 ? over : 1;
    rows[i] = {part * x, part * y, part * z, part * length};
  }
};

// blurred[i] = sum_j W_ij G_j, with its length; of surroundings whose motion rows are the G_j.
struct BlurPass {
  static constexpr int sums = 3;
  sph::Medium medium;
  Span<const Row4> surface;
  Span<Row4> blurred;

  RTSIM_HD bool idle(Index i) const { return surface[i].w == 0; }

  RTSIM_HD Row4 self(Index, const Row4&, const Row4& g) const { return g; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4&, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    const F w = medium.kernel.shape(d.r2);
    s[0] = fma(w, u.x, s[0]), s[1] = fma(w, u.y, s[1]), s[2] = fma(w, u.z, s[2]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4&, const sph::Separation<F>&, const Q&,
                                            const Q&, F*) const {}
  RTSIM_HD void store(Index i, const Row4& g, const Real* s) const {
    const Real own = medium.kernel.shape(Real(0));
    const Real x = fma(own, g.x, s[0]), y = fma(own, g.y, s[1]), z = fma(own, g.z, s[2]);
    blurred[i] = {x, y, z, root(x * x + y * y + z * z)};
  }
};

// bent[i] = (kappa_i |G_i|, |G_i|, ., .) / (D - 1); of surroundings whose motion rows are the
// blurred ones.
struct CurvaturePass {
  static constexpr int sums = 2;
  sph::Medium medium;
  Span<const Row4> surface;
  Span<Row4> bent;

  RTSIM_HD bool idle(Index i) const { return surface[i].w == 0; }

  RTSIM_HD Row4 self(Index, const Row4&, const Row4& g) const {
    const Real inv = g.w > 0 ? -1 / g.w : 0;
    return {inv * g.x, inv * g.y, inv * g.z, 0};
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4& n, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    const F inv = F(-1) / max(u.w, F(Real(1e-30)));
    const F x = inv * u.x, y = inv * u.y, z = inv * u.z;
    const F alike = max(fma(F(n.z), z, fma(F(n.y), y, F(n.x) * x)), F(0));
    const F w = medium.kernel.shape(d.r2) * u.w * alike;
    const F turn = fma(F(n.z) - z, d.z, fma(F(n.y) - y, d.y, (F(n.x) - x) * d.x));
    const F along = fma(F(n.z), d.z, fma(F(n.y), d.y, F(n.x) * d.x));
    s[0] = fma(w, turn, s[0]), s[1] = fma(w, d.r2 - along * along, s[1]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4&, const sph::Separation<F>&, const Q&,
                                            const Q&, F*) const {}
  RTSIM_HD void store(Index i, const Row4&, const Real* s) const {
    const Real weight = s[1] > 0 ? surface[i].w : 0;
    bent[i] = {weight > 0 ? weight * s[0] / s[1] : 0, weight, 0, 0};
  }
};

// impulse[i] = (dt a_i, what is near of walls); of surroundings whose motion rows are the bent
// ones.
struct TensionPass {
  static constexpr int sums = 3;
  sph::Medium medium;
  Real strength;  // sigma (D - 1) dt [N s / m^(D-2)]
  Real most;      // of kappa / (D - 1) [1/m]
  Real depth;     // z [m]
  Span<const Row4> surface;
  Span<Row4> impulse;

  RTSIM_HD bool idle(Index i) const { return surface[i].w == 0; }

  RTSIM_HD Row4 self(Index, const Row4&, const Row4& b) const { return b; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4&, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    const F w = medium.kernel.shape(d.r2);
    s[0] = fma(w, u.x, s[0]), s[1] = fma(w, u.y, s[1]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4&, const sph::Separation<F>& d, const Q& q,
                                            const Q&, F* s) const {
    s[2] = fma(q.w, medium.kernel.shape(d.r2), s[2]);
  }
  RTSIM_HD void store(Index i, const Row4& b, const Real* s) const {
    const Row4 g = surface[i];
    const Real own = medium.kernel.shape(Real(0));
    const Real weight = fma(own, b.y, s[1]);
    const Real mean = weight > 0 ? fma(own, b.x, s[0]) / weight : 0;
    const Real kappa = mean > most ? most : mean < -most ? -most : mean;
    const Real c = strength * kappa / fma(depth, kappa, Real(1));
    impulse[i] = {c * g.x, c * g.y, c * g.z, s[2]};
  }
};

}  // namespace rtsim::sph_forces
