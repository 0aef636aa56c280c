#pragma once
#include "sph/double_density.h"

namespace rtsim::sph_clavet {

// Double density relaxation: Clavet, Beaudoin & Poulin, "Particle-based Viscoelastic Fluid
// Simulation", SCA 2005, sec. 3. Sums go over neighbours, the particle itself left out, and shapes
// have no constants: s = 1 - q or 1 - q^2, q = r / H,
//
//   n_i = sum s^2,  n_i' = sum s^3,     P_i = a k (n_i - n0),  P_i' = a k' n_i'   [m/s^2]
//   D_i = dt^2 (P_i K + P_i' K')        along x_j - x_i
//
// n0 is where the first pulls as much as the second pushes in the closest packing of rest density,
// with numbers n_f and n_f' = sum s^3. Such a fluid is drawn together by its surface the more the
// stiffer it is. So of that only a part, the tension t, is taken, and the rest pushes from that
// packing's numbers on:
//
//   P_i  = a k (t (n_i - n0) + (1 - t) max(n_i - n_f, 0)),  P_i' = a k' max(n_i' - (1 - t) n_f', 0)
//
// t = 1 is the paper. D_i comes with K = s, K' = s^2 (normal and hybrid kernels) or 2 q s, 2 q s^2
// (squared): minus a half and a third of the slopes. The paper moves j by D_i/2 and i by -D_i/2
// while it walks the pairs; here all shifts of a step are summed first, so i moves by -(D_i +
// D_j)/2 for each neighbour.
struct Law {
  sph::DoubleDensity kernels;
  Real push, both_ways;  // (1 - t) a k, t a k [m/s^2]
  Real near_push;        // a k' [m/s^2]
  Real push_number;      // n_f
  Real rest_number;      // n0
  Real near_number;      // (1 - t) n_f'
  Real least_r2;         // [m^2]; nearer pairs push nowhere, since x_ij is then zero
  // For the columns: the density of a full lattice is the rest density, and pressures are those
  // that would push as much in SPH, p = rho^2 H (P / (4 k) + P' / (6 k')) / m, k of the kernels.
  Real lone_number;              // s^2 of the particle itself
  Real density_scale;            // rho0 / (sum over the lattice) [kg/m^D]
  Real pressure, near_pressure;  // H / (4 k m), H / (6 k' m) [m^(D+1)/kg]
  Real wall_number;              // 1 / spacing^D: volumes of wall samples in particles [1/m^D]

  // P and P' [m/s^2].
  RTSIM_HD Real pressure_of(Real n) const {
    const Real above = n - push_number;
    return both_ways * (n - rest_number) + (above > 0 ? push * above : Real(0));
  }
  RTSIM_HD Real near_pressure_of(Real n) const {
    return n > near_number ? near_push * (n - near_number) : Real(0);
  }
  // K / r and K' / r of a pair [1/m].
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F pull(F r) const {
    return F(Real(-0.5)) * kernels.slope(r) / r;
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F near_pull(F r) const {
    return F(Real(-1) / 3) * kernels.near_slope(r) / r;
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F distance(F r2) const {
    return root(max(r2, F(least_r2)));
  }
};

// Impulses of viscosity, sec. 5.3: of a pair that approaches at u = -v_ij . x_ij / r,
//   I = dt (1 - q) (sigma u + beta u^2), half to each.
struct Viscosity {
  Real dt;
  Real linear;     // sigma [1/s]
  Real quadratic;  // beta [1/m]
};

// What walls do to particles near them, sec. 5.4 and 6.2. The wall is the plane through the
// weighted mean of the samples near, its normal n the weighted mean direction away from them.
struct WallGrip {
  Real dt;
  Real friction;        // mu: part of the tangential velocity lost a step within `touch`
  Real stickiness;      // k_stick [1/s^2]
  Real stick_distance;  // d_stick [m]
  Real touch;           // [m]
  Real depth;           // how deep samples lie under the surface [m]
};

}  // namespace rtsim::sph_clavet
