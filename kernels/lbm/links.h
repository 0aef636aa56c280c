#pragma once
#include "lbm/lbm.h"

namespace rtsim::lbm {

// What comes back along a link.
//   Wall of the domain half-way to the next cell, moving at u_w: f_-c = f_c - 6 w c.u_w. Ladd,
//   "Numerical simulations of particulate suspensions via a discretized Boltzmann equation", J.
//   Fluid Mech. 271, 1994. Obstacles follow after all rows: obstacle_links.h.
//   Face held at the density rho_w: f_-c = -f_c + 2 w (rho_w + 9/2 (c.u)^2 - 3/2 u^2), u that of
//   the cell. Ginzburg et al. 2008, sec. 4.2.
template <int D, class Stored>
struct Bounce {
  Layout layout;
  Law<D> law;
  Populations<D, Stored> f;
  Drive drive;

  [[gnu::always_inline]] RTSIM_HD inline void operator()(const Link& l) const {
    if (l.kind == Link::obstacle) return;
    const Stored* from = f.array[l.from] + l.slot;
    Stored* to = f.array[l.from ^ 1] + l.slot;
    if (l.kind == Link::still)
      *to = *from;
    else if (l.kind == Link::pressure)
      put(to, l, held(l, load(from)));
    else
      put(to, l, load(from) + drive.ramp * l.shift);
  }
  RTSIM_HD void put(Stored* to, const Link& l, Real v) const {
    store(to, v, chance(chance_of(law.step, l.from ^ 1), l.slot));
  }

  [[gnu::noinline]] RTSIM_HD Real held(const Link& l, Real leaving) const {
    const int p = l.from / 2;
    const bool forward = l.from % 2 == 1;
    const Moments<D, Real> m = at(forward ? l.slot - layout.offset<D>(p) : l.slot);
    Real square = 0, cu = 0;
    for (int a = 0; a < D; ++a)
      square += m.u[a] * m.u[a], cu += Real(Lattice<D>::along(p, a)) * m.u[a];
    const Real curve = law.quadratic * (Real(4.5) * cu * cu - Real(1.5) * square);
    return l.shift + 2 * Lattice<D>::weight(p) * (drive.rise[l.wall] + curve) - leaving;
  }

  // Of a cell, after its collision.
  RTSIM_HD Moments<D, Real> at(Index slot) const {
    using L = Lattice<D>;
    Real even[L::pairs], odd[L::pairs];
    unrolled<L::pairs>([&](auto p) {
      const Real forth = load(f.far(p) + slot + layout.offset<D>(p)), back = load(f.near(p) + slot);
      even[p] = forth + back, odd[p] = forth - back;
    });
    return moments<D, true>(law, load(f.rest + slot), even, odd, Real(-0.5));
  }
};

}  // namespace rtsim::lbm
