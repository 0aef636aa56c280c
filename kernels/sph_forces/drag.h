#pragma once
#include "sph_forces/sph_forces.h"

namespace rtsim::sph_forces {

// Quadratic drag of a round drop of the particle's volume, u = v - wind:
//
//   du/dt = -e k |u| u,   k = (rho_air / 2 rho0) C_d A / V
//
// with e = 1 - n / n_full for n neighbours, walls among them: a lone drop takes all of it, full
// neighbourhoods nothing. Simpler than Gissler, Band, Peer, Ihmsen, Teschner, "Generalized drag
// force for particle-based simulations", C&G 69, 2017, whose drops deform and whose shelter knows
// directions. Solved exactly over a step: u' = u / (1 + dt e k |u|).
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

}  // namespace rtsim::sph_forces
