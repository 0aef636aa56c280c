#pragma once
#include "sph/pairs.h"
#include "sph/poly6.h"
#include "sph_bodin/spook.h"

namespace rtsim::sph_bodin {

// One constraint a particle, Bodin et al. 2012, sec. 3: its density is rest density,
//
//   g_i = rho_i / rho0 - 1,     g_i' = G_ii . v_i + sum_j G_ij . v_j + sum_b G_ib . v_b
//   G_ij = -(m / rho0) grad W_ij,   G_ib = -V_b grad W_ib,   G_ii = -sum_j G_ij - sum_b G_ib
//
// with rho of poly6 and grad W of poly6h (see poly6.h), so G is not quite the derivative of g.
// G_ji = -G_ij, as all particles have one mass m.
struct Constraint {
  sph::Poly6 kernel;
  Spook spook;
  Real inv_mass;          // 1/m [1/kg]
  Real volume;            // m / rho0 [m^D]
  Real inv_rest_density;  // [m^D/kg]
  Real least_r2;          // [m^2]; nearer pairs have no direction, and no entry

  // Of a neighbour at x_i - x_j with volume V: V |W'| x_ij / r [1/m].
  RTSIM_HD Row4 entry(const sph::Separation<Real>& s, Real neighbour_volume) const {
    const Real pull = -neighbour_volume * kernel.scale * kernel.inv_support;
    const Real c = s.r2 > least_r2 ? pull * kernel.slope_h(s.r2) / root(s.r2) : Real(0);
    return {c * s.x, c * s.y, c * s.z, 0};
  }
  // 1 / (S_ii + e), S_ii = (|G_ii|^2 + sum_j |G_ij|^2) / m + walls; 0 where there is no neighbour.
  // A wall is immovable: 1/M_b = 0 takes its |G_ib|^2 / M_b out. For a body of finite mass it is
  // G_ib . (M^-1 of the body at the sample) G_ib.
  RTSIM_HD Real inv_diagonal(const Row4& own, Real others2) const {
    const Real own2 = fma(own.x, own.x, fma(own.y, own.y, own.z * own.z));
    const Real s = inv_mass * (own2 + others2);
    return s > 0 ? 1 / (s + spook.softness) : Real(0);
  }
};

// Rayleigh's dissipation function sum_pairs (m / 2) c_ij (v_ij . n_ij)^2 in place of a force, as
// Bodin et al. 2012 recommend for viscosity. With
//
//   c_ij = 2 (D + 2) nu V |W'| / r,   n_ij = x_ij / r
//
// its force is the Laplacian of Monaghan, "Smoothed particle hydrodynamics", Rep. Prog. Phys. 68,
// 2005, eq. 8.9, of the fluid at rest density. An implicit step of one pair alone keeps it stable
// for any nu.
struct Dissipation {
  Real rate_dt;  // 2 (D + 2) nu dt / H [m]: c_ij dt = this |G_ij|, as poly6h has H for r

  // The speed of approach along n_ij that i loses [m/s], for an entry of length |G_ij| and the
  // approach v_ij . n_ij; `movers`: 2 where both particles share it, 1 beside a wall.
  RTSIM_HD Real lost(Real length, Real approach, Real movers) const {
    const Real c = rate_dt * length;
    return c / (1 + movers * c) * approach;
  }
};

// The inequalities of Bodin et al. 2012: solids are not entered. Density alone lets a lone or fast
// particle through between the samples of a wall. No sample comes nearer than l within the step,
// and one that is nearer still goes away as slowly as density errors decay:
//
//   n_ib . (v_i - v_b) >= -(r_ib - l) / dt,    of r_ib < l only the part 1 / (1 + 4 d)
struct Contact {
  Real distance;  // l [m]
  Real inv_dt;    // [1/s]
  Real keep;      // 1 / (1 + 4 d)

  // What the speed n_ib . (v_i - v_b) is short of that [m/s].
  RTSIM_HD Real missing(Real r, Real speed) const {
    const Real least = (distance - r) * inv_dt * (r < distance ? keep : Real(1));
    return speed < least ? least - speed : Real(0);
  }
};

}  // namespace rtsim::sph_bodin
