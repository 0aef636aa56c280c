#pragma once
#include "shallow_water/shallow_water.h"

// What changes the water besides its own flow.
namespace rtsim::shallow_water {

// Cells whose centre lies within a circle, as the box around it: a source, or a sink.
struct Disc {
  Index first_x, first_z, across, along;  // of the box
  Real x, z, radius2;                     // in spacings, from the first cell's centre
};
// depth += `rise` [m] there. Where it falls, at most what is there, and the velocity stays.
void pour(const Exec&, const Flow&, const Disc&, Real rise, const Columns&);

// Widths in cells of the layers in front of the edges x_min, x_max, z_min, z_max where waves are
// damped to the depth `rest` without flow.
struct Layers {
  Index width[4] = {};
};
// dU/dt = -s (U - U_rest), s = 7 c / W (1 - d / W)^2 at d from an edge with a layer of width W:
// what crosses the layer and comes back has a hundredth left at head-on incidence (the integral of
// 2 s / c over W is 4.7). Absorbing layers: Israeli & Orszag, "Approximation of radiation boundary
// conditions", J. Comput. Phys. 41, 1981.
void damp(const Exec&, const Flow&, const Layers&, double dt, Span<const Real> rest,
          const Columns&);

}  // namespace rtsim::shallow_water
