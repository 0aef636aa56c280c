#pragma once
#include "exec/span.h"
#include "sph/boundary_repulsion.h"
#include "sph/cubic_spline.h"
#include "sph/phases.h"
#include "sph/tait.h"

namespace rtsim::wcsph {

// Constants of one fluid. h = support / 2 is Monaghan's smoothing length.
struct Law {
  sph::CubicSpline kernel;
  sph::Tait tait;
  Real mass;          // m = rho0 spacing^D [kg]
  Real rest_density;  // rho0 [kg/m^D]
  Real viscosity;     // 2 nu' = 4 (D + 2) nu [m^2/s]
  Real artificial;    // 2 alpha c h [m^2/s], more of the same on approaching pairs
  Real softening;     // 0.01 h^2 [m^2]
  sph::BoundaryRepulsion
      contact;  // of walls, with K = c^2 / (2 d) from a spacing d on: midway between four
                // samples it stops 0.18 c, which is 1.8 times the greatest speed expected
                // at a density error of 1 %; fluid at rest, 0.9 d away, feels 1 % of K
};

// Of several phases, besides: pairs' viscosities as in Law. Their stiffnesses B go with their
// densities, so that sound is equally fast in all.
struct PhaseLaw {
  sph::Phases all{};
  sph::PhaseTable viscosity{}, artificial{};
  Span<const Real> density{};  // of each row
};

// What particle i gets from neighbour j is c x_ij, with x_ij = x_i - x_j, v_ij = v_i - v_j:
//
//   a_i = sum_j m_j [ -(p_i/rho_i^2 + p_j/rho_j^2)
//                     + 2 nu' / (rho_i + rho_j)  v_ij.x_ij / (r^2 + 0.01 h^2) ]  W'(r)/r  x_ij
//
// Symmetric pressure gradient: Monaghan, "Smoothed Particle Hydrodynamics", ARA&A 30, 1992,
// eq. 3.3. Viscosity: the Laplacian of Monaghan, "Smoothed particle hydrodynamics", Rep. Prog.
// Phys. 68, 2005, eq. 8.9, nu' = 2 (D + 2) nu, plus alpha c h where the pair approaches (the same
// article, sec. 8.1). Symmetric in i and j to the last bit, so pairs keep momentum; one root and
// one division.
//
// Of samples b of walls, m_j is rho0 V_b, and p_j/rho_j^2 mirrored, p_i/rho0^2, as a layer of the
// fluid's lattice behind a flat wall would have it. That is the gradient of no energy: with it
// fluid that is no lattice keeps some 0.1 spacings too far off round bodies, for which they float
// too high. So samples with a limit L_b (pressure/samples.h) have a density and a pressure of their
// own,
//
//   rho_b = rho0 + sum_j m_j W_bj - L_b,   p_b = p(rho_b),
//
// and all forces between them and the fluid follow from one energy of compression,
// sum_i m_i e(rho_i) + sum_b rho0 V_b e(rho_b) (Monaghan 2005, sec. 3; e' = p / rho^2).
//
// `approach` = v_ij.x_ij, `nu` = 2 nu', `pressures` = p_i/rho_i^2 + p_j/rho_j^2, `densities` =
// rho_i + rho_j.
template <class F>
RTSIM_HD F pair_scale_of(const Law& k, F r2, F approach, F nu, F pressures, F densities, F mass) {
  r2 = max(r2, F(k.softening * Real(1e-8)));  // coincident particles push nowhere: x_ij is zero
  const F r = root(r2);
  const F spread = (r2 + F(k.softening)) * densities;
  const F weight = mass * F(k.kernel.scale * k.kernel.inv_support) * k.kernel.slope(r);
  return weight * (nu * approach - pressures * spread) / (r * spread);
}
// With the viscosities of one fluid.
template <class F>
RTSIM_HD F pair_scale(const Law& k, F r2, F approach, F pressures, F densities, F mass) {
  const F nu = F(k.viscosity) + select_less(approach, F(0), F(k.artificial), F(0));
  return pair_scale_of(k, r2, approach, nu, pressures, densities, mass);
}

}  // namespace rtsim::wcsph
