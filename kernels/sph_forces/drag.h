#pragma once
#include "sph_forces/sph_forces.h"

namespace rtsim::sph_forces {

// Quadratic drag of a round drop of the particle's volume, u = v - wind:
//
//   du/dt = -e k |u| u,   k = (rho_air / 2 rho0) C_d A / V
//
// with e = 1 - n / n_full for n neighbours, walls among them: a lone drop takes all of it, full
// neighbourhoods nothing. Solved exactly over a step: u' = u / (1 + dt e k |u|).
struct DragOfRow {
  Drag law;
  Span<const Index> neighbours;
  Span<Row4> motion;

  RTSIM_HD void operator()(Index i) const {
    const Real exposure = 1 - Real(neighbours[i]) / law.full_neighbours;
    if (!(exposure > 0)) return;
    Row4& v = motion[i];
    const Real x = v.x - law.wind[0], y = v.y - law.wind[1], z = v.z - law.wind[2];
    const Real speed = root(x * x + y * y + z * z);
    const Real keep = 1 / (1 + law.dt * exposure * law.rate * speed);
    v.x = fma(keep, x, law.wind[0]), v.y = fma(keep, y, law.wind[1]);
    v.z = fma(keep, z, law.wind[2]);
  }
};

// Gissler, Band, Peer, Ihmsen, Teschner, "Approximate Air-Fluid Interactions for SPH", VRIPHYS
// 2017, in 3D; u = v - wind, L the radius of a drop of the particle's volume d^3, and f = n / (2/3
// n_full) for n neighbours, 1 at the most:
//
//   du/dt = -(rho_air / 2m) C A w |u| u
//   y = min(y1 |u|^2, 1)                     how far the drop is flattened              (eq. 8)
//   C = (1 - f) C_s (1 + 2.632 y) + f        C_s of a ball                              (eq. 9-10)
//   A = (1 - f) pi (L + y L / 2)^2 + f d^2                                              (eq. 12-13)
//   w = 1 - max_j (-u . x_ij) / (|u| |x_ij|)   what stands to windward shelters         (eq. 14-15)
//
// with C_s = 24 / Re (1 + Re^(2/3) / 6), 0.424 above Re = 2 rho_air |u| L / mu_air = 1000. Walls
// are neighbours, and shelter too. Over a step C A w is that of its start: u' = u / (1 + dt k |u|).
struct WindPass {
  static constexpr int sums = 1;
  static constexpr bool greatest = true;
  DropDrag law;
  Real support2, least_r2;  // [m^2]
  Span<const Index> neighbours;
  Span<Row4> motion;

  struct Self {
    Row4 u;  // relative to the wind, and its length
    Real inv_speed;
  };
  RTSIM_HD Self self(Index, const Row4&, const Row4& v) const {
    const Real x = v.x - law.wind[0], y = v.y - law.wind[1], z = v.z - law.wind[2];
    const Real speed = root(x * x + y * y + z * z);
    return {{x, y, z, speed}, speed > 0 ? 1 / speed : 0};
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Self& i, const sph::Separation<F>& d, const Q&,
                                             const Q&, F* s) const {
    const F along = fma(F(i.u.z), d.z, fma(F(i.u.y), d.y, F(i.u.x) * d.x));
    const F windward = F(-i.inv_speed) * along / root(max(d.r2, F(least_r2)));
    s[0] = max(s[0], select_less(d.r2, F(support2), windward, F(0)));
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Self& i, const sph::Separation<F>& d, const Q& q,
                                            const Q& u, F* s) const {
    fluid(i, d, q, u, s);
  }
  RTSIM_HD void store(Index i, const Self& self, const Real* s) const {
    const Real open = s[0] < 1 ? 1 - s[0] : 0;
    const Real k = law.scale * open * law.coefficient_area(self.u.w, Real(neighbours[i]));
    const Real keep = 1 / (1 + law.dt * k * self.u.w);
    Row4& v = motion[i];
    v.x = fma(keep, self.u.x, law.wind[0]), v.y = fma(keep, self.u.y, law.wind[1]);
    v.z = fma(keep, self.u.z, law.wind[2]);
  }
};

}  // namespace rtsim::sph_forces
