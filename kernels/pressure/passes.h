#pragma once
#include "pressure/pressure.h"

// The sums over neighbours that pressure solvers are made of. All work with k = p / rho^2
// [m^(D+2)/(kg s^2)], of rows and of walls' samples b (see samples.h; its own volume V_b has no
// pressure):
//
//   a_i = -sum_j m (k_i + k_j) grad W_ij - sum_b (rho0 V_b k_i + m k_b) grad W_ib
//
// (Bender & Koschier, "Divergence-Free SPH for Incompressible and Viscous Fluids", TVCG 23(3),
// 2017, eq. 9 and 12; walls after Akinci et al. 2012, eq. 9). So a_i is what the constraints
// d rho/dt = 0 of rows and samples answer with, and does no work. Without the samples' own k rows
// at a wall carry up to 1.4 times their pressure, and stand 0.1 spacings off it instead of 0.5.
// Mirroring k_i mends that as well, and then a breaking dam gained 1.3 % of energy in 0.3 s;
// mirroring the velocity as well mends both, and lets densities at walls err by 5 %. Sums are in
// units of m.
namespace rtsim::pressure {

struct Velocity {
  Real x, y, z;
};

// d rho_i / dt = sum_j m (v_i - v_j) . grad W_ij + sum_b rho0 V_b (v_i - v_b) . grad W_ib
struct RatePass {
  static constexpr int sums = 1;
  static constexpr sph::Gradients gradients = sph::Gradients::read;
  sph::Medium medium;
  Span<Real> rate;

  RTSIM_HD Velocity self(Index, const Row4&, const Row4& v) const { return {v.x, v.y, v.z}; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Velocity& v, const F& g,
                                             const sph::Separation<F>& d, const Q&, const Q& u,
                                             F* s) const {
    s[0] = fma(g, sph::approach(d, v, u), s[0]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Velocity& v, const sph::Separation<F>& d,
                                            const Q& q, const Q& u, F* s) const {
    s[0] = fma(F(medium.wall_mass) * q.w * medium.gradient(d.r2), sph::approach(d, v, u), s[0]);
  }
  RTSIM_HD void store(Index i, const Velocity&, const Real* s) const {
    rate[i] = medium.mass * s[0];
  }
};

// The same from the density at positions one step on, x_ij + dt (v_i - v_j), of the same pairs
// (Solenthaler & Pajarola, "Predictive-Corrective Incompressible SPH", SIGGRAPH 2009, algorithm 2):
//   (rho*_i - rho_i) / dt,
// or the rate, where that is less. Of rows that approach so fast that they would stand in one place
// distances alone ask for a pressure that throws them apart, and of those that were thrown apart
// they say no more than that nothing is near: a solve then goes to and fro between the two. The
// rate says how far apart, whatever it is, and no row is pushed that does not come nearer.
struct PredictedRatePass {
  static constexpr int sums = 2;
  sph::Medium medium;
  Real dt;
  Span<const Real> density;
  Span<Real> rate;

  RTSIM_HD Velocity self(Index, const Row4&, const Row4& v) const { return {v.x, v.y, v.z}; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Velocity& v, const sph::Separation<F>& d,
                                             const Q&, const Q& u, F* s) const {
    s[0] = s[0] + later(v, d, u);
    s[1] = fma(medium.gradient(d.r2), sph::approach(d, v, u), s[1]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Velocity& v, const sph::Separation<F>& d,
                                            const Q& q, const Q& u, F* s) const {
    const F w = F(medium.wall_mass) * q.w;
    s[0] = fma(w, later(v, d, u), s[0]);
    s[1] = fma(w * medium.gradient(d.r2), sph::approach(d, v, u), s[1]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD F later(const Velocity& v, const sph::Separation<F>& d,
                                          const Q& u) const {
    const F h(dt);
    const F x = fma(h, F(v.x) - u.x, d.x), y = fma(h, F(v.y) - u.y, d.y),
            z = fma(h, F(v.z) - u.z, d.z);
    return medium.kernel.shape(fma(z, z, fma(y, y, x * x)));
  }
  RTSIM_HD void store(Index i, const Velocity&, const Real* s) const {
    const Real own = medium.kernel.shape(Real(0)),
               by_distances = (medium.mass * medium.kernel.scale * (own + s[0]) - density[i]) / dt;
    rate[i] = min(by_distances, medium.mass * s[1]);
  }
};

// How much the density of i falls for its own k of one in a time of one,
//   D_i = |sum_j m grad W_ij + sum_b rho0 V_b grad W_ib|^2 + sum_j |m grad W_ij|^2,
// and on the way v_i += dt a_i of a k that is known already, as PushPass does.
struct DiagonalPass {
  static constexpr int sums = 7;
  static constexpr sph::Gradients gradients = sph::Gradients::left;
  sph::Medium medium;
  Real dt;
  Span<Real> diagonal;
  Span<Row4> motion;

  RTSIM_HD Real self(Index, const Row4& p, const Row4&) const { return p.w; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(Real k, const F& g, const sph::Separation<F>& d,
                                             const Q& q, const Q&, F* s) const {
    add(g, F(k) + q.w, d, s);
    s[6] = fma(g * g, d.r2, s[6]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(Real k, const sph::Separation<F>& d, const Q& q,
                                            const Q& u, F* s) const {
    const F g = medium.gradient(d.r2), own = u.w * g;
    add(F(medium.wall_mass) * q.w * g, F(k), d, s);
    s[3] = fma(own, d.x, s[3]), s[4] = fma(own, d.y, s[4]), s[5] = fma(own, d.z, s[5]);
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD void add(F g, F k, const sph::Separation<F>& d, F* s) const {
    const F x = g * d.x, y = g * d.y, z = g * d.z;
    s[0] = s[0] + x, s[1] = s[1] + y, s[2] = s[2] + z;
    s[3] = fma(k, x, s[3]), s[4] = fma(k, y, s[4]), s[5] = fma(k, z, s[5]);
  }
  RTSIM_HD void store(Index i, Real, const Real* s) const {
    const Real m = medium.mass, c = -dt * m;
    diagonal[i] = m * m * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + s[6]);
    Row4& v = motion[i];
    v.x = fma(c, s[3], v.x), v.y = fma(c, s[4], v.y), v.z = fma(c, s[5], v.z);
  }
};

// v_i += dt a_i, with k in the fourth numbers of the position rows. Neighbours' velocities are not
// read, so rows may be written in place.
struct PushPass {
  static constexpr int sums = 3;
  static constexpr sph::Gradients gradients = sph::Gradients::read;
  sph::Medium medium;
  Real dt;
  Span<Row4> motion;

  RTSIM_HD Real self(Index, const Row4& p, const Row4&) const { return p.w; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(Real k, const F& g, const sph::Separation<F>& d,
                                             const Q& q, const Q&, F* s) const {
    add(g * (F(k) + q.w), d, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(Real k, const sph::Separation<F>& d, const Q& q,
                                            const Q& u, F* s) const {
    add(fma(F(medium.wall_mass * k), q.w, u.w) * medium.gradient(d.r2), d, s);
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD void add(F c, const sph::Separation<F>& d, F* s) const {
    s[0] = fma(c, d.x, s[0]), s[1] = fma(c, d.y, s[1]), s[2] = fma(c, d.z, s[2]);
  }
  RTSIM_HD void store(Index i, Real, const Real* s) const {
    const Real c = -dt * medium.mass;
    Row4& v = motion[i];
    v.x = fma(c, s[0], v.x), v.y = fma(c, s[1], v.y), v.z = fma(c, s[2], v.z);
  }
};

// v*_i = v_i + dt (g + viscosity + a_i(k) of the last step's k), into other rows. Motion rows carry
// the density. Viscosity: the Laplacian of Monaghan, "Smoothed particle hydrodynamics", Rep. Prog.
// Phys. 68, 2005, eq. 8.9, where walls have the fluid's own density.
struct PredictPass {
  static constexpr int sums = 3;
  static constexpr sph::Gradients gradients = sph::Gradients::read;
  sph::Medium medium;
  Body body;
  Span<Row4> motion;

  struct Self {
    Row4 p, v;
  };
  RTSIM_HD Self self(Index, const Row4& p, const Row4& v) const { return {p, v}; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Self& i, const F& g, const sph::Separation<F>& d,
                                             const Q& q, const Q& u, F* s) const {
    add(g, F(i.p.w) + q.w, F(i.v.w) + u.w, sph::approach(d, i.v, u), d, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Self& i, const sph::Separation<F>& d, const Q& q,
                                            const Q& u, F* s) const {
    const F approach = sph::approach(d, i.v, u), g = medium.gradient(d.r2);
    add(F(medium.wall_mass) * q.w * g, F(i.p.w), F(2 * i.v.w), approach, d, s);
    const F c =
        select_less(approach, F(0), body.contact.scale(d.r2), F(0)) - F(medium.mass) * u.w * g;
    s[0] = fma(c, d.x, s[0]), s[1] = fma(c, d.y, s[1]), s[2] = fma(c, d.z, s[2]);
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD void add(F gradient, F k, F densities, F approach,
                                           const sph::Separation<F>& d, F* s) const {
    const F nu = F(body.viscosity) * approach / (densities * (d.r2 + F(body.softening)));
    const F c = F(medium.mass) * gradient * (nu - k);
    s[0] = fma(c, d.x, s[0]), s[1] = fma(c, d.y, s[1]), s[2] = fma(c, d.z, s[2]);
  }
  RTSIM_HD void store(Index i, const Self& self, const Real* s) const {
    const Row4& v = self.v;
    motion[i] = {fma(body.dt, s[0] + body.gravity[0], v.x),
                 fma(body.dt, s[1] + body.gravity[1], v.y),
                 fma(body.dt, s[2] + body.gravity[2], v.z), v.w};
  }
};

}  // namespace rtsim::pressure
