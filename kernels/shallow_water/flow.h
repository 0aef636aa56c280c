#pragma once
#include "exec/span.h"
#include "lanes/row4.h"

// Columns of water on a ground, as kernels see them. Laws take T: one number, or lanes of them.
namespace rtsim::shallow_water {

// A column of water: depth h [m], height b of the ground [m], velocity (u, v) along x and z [m/s].
struct Water {
  Real h, b, u, v;
};

// One over h, the factor from discharge to velocity, in water deeper than e; below that it goes to
// zero with h: 2 h / (h^2 + max(h^2, e^2)). A. Chertock et al., "Well-balanced positivity
// preserving central-upwind scheme for the shallow water system with friction terms", Int. J.
// Numer. Methods Fluids 78, 2015, eq. 2.8.
template <class T>
RTSIM_HD inline T over_depth(T h, T dry) {
  const T h2 = h * h;
  return (h + h) / (h2 + max(h2, dry * dry));
}

// State columns: depth [m], discharges h u and h v [m^2/s].
struct Columns {
  const Real* bed;
  Real *depth, *discharge_x, *discharge_z;
};

}  // namespace rtsim::shallow_water
