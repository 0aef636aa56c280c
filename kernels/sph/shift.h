#pragma once
#include "base/vec.h"
#include "neighbours/neighbour_lists.h"
#include "sph/medium.h"
#include "sph/pairs.h"

// Launchers of particle shifting. Motion rows are (u, v, w, rho).
namespace rtsim::sph {

// Rows that flow apart along streamlines and clump across them are evened out by Fick's law, down
// the gradient of their concentration (Lind, Xu, Stansby, Rogers, "Incompressible smoothed particle
// hydrodynamics for free-surface flows", J. Comput. Phys. 231, 2012, sec. 3):
//
//   dx_i = -F sum_j V_j [1 + R (W_ij / W(d))^4] grad W_ij,    |dx_i| <= a tenth of d
//   dv_i = (grad v)_i dx_i
//
// with F = A h v_max dt (Skillen, Lind, Stansby, Rogers, "Incompressible smoothed particle
// hydrodynamics (SPH) with reduced temporal noise and generalised Fickian smoothing", Comput.
// Methods Appl. Mech. Eng. 265, 2013; the greatest speed in place of each row's own, as in Sun,
// Colagrossi, Marrone, Zhang, "The delta-plus-SPH model", ibid. 315, 2017), R = 0.2 against
// pairing, V_j = m / rho_j. F is at most h^2 / 2, beyond which explicit diffusion overshoots. dv_i
// takes the velocity along, exactly where it is linear: grad v is corrected by the inverse of
//
//   M_i = sum_j V_j (x_j - x_i) grad W_ij^T
//
// over fluid rows. The trace of M_i, with walls, is D inside; rows that miss a quarter of it are at
// a surface (Lind et al. 2012, sec. 3). They, their neighbours, and rows that meet walls stay.
struct Shifting {
  Medium medium;
  Real fick;         // F [m^2]
  Real pairing;      // R
  Real inv_spacing;  // of W: 1 / shape(d)
  Real most;         // |dx| [m]
  Real least_trace;
  int dim;
};

// (dx, 0) and (dv, 0) of each row. Writes to the fourth numbers of `rows`, the fluid's own.
void find_shift(const Exec&, const Shifting&, const PairRows& fluid, const PairRows& walls,
                const neighbours::NeighbourLists&, Span<Row4> rows, Span<Row4> shift,
                Span<Row4> change);
// position += dx, velocity += dv
template <int D>
void apply_shift(const Exec&, Span<const Row4> shift, Span<const Row4> change,
                 Span<Vec<D>> position, Span<Vec<D>> velocity);

}  // namespace rtsim::sph
