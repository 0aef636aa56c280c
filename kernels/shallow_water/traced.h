#pragma once
#include "exec/exec.h"
#include "shallow_water/flow.h"

// Water on a staggered grid, moved by tracing back: M. Muller et al., "Real Time Physics", SIGGRAPH
// 2008 class notes, ch. 11 (Thuerey & Hess); semi-Lagrangian after Stam, "Stable fluids", 1999.
namespace rtsim::shallow_water {

struct Staggered {
  Index nx = 1, nz = 1;
  Real g = 0, spacing = 1, dry = 0;  // [m/s^2], [m], [m]
  bool absorbing[4] = {};            // x_min, x_max, z_min, z_max; else they reflect

  RTSIM_HD Index cells() const { return nx * nz; }
};

// Depth of cells [m]; speeds u of the nx + 1 by nz faces across x and v of the nx by nz + 1 across
// z [m/s].
struct Faces {
  const Real* bed;
  Real *depth, *u, *v;
};

// One step from `from` to `to`, other arrays: tracing, height (with the Higdon condition 11.7 at
// edges that absorb), speeds.
void traced_step(const Exec&, const Staggered&, double dt, const Faces& from, const Faces& to);

// Discharges at the centres, as the finite volumes have them.
void discharges(const Exec&, const Staggered&, const Faces&, Span<Real> x, Span<Real> z);

// How far each cell is filled, of its lowest to its highest ground (eqs. 11.8-11.10 and
// Compute-flags): for drawing the shore as the line of one half. `least` [m] is what the class
// notes call epsilon, of depth and of height; cells are dry where neither they nor their neighbours
// are that deep, whatever the slope.
void fill_ratio(const Exec&, Index nx, Index nz, Real least, Span<const Real> bed,
                Span<const Real> depth, Span<Real> ratio);

}  // namespace rtsim::shallow_water
