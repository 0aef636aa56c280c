#pragma once
#include "world/world.h"

namespace rtsim {

// Impulses on all points of a mesh at the end of a step of the length h, and the changes of
// velocity that come of them where what holds the points together acts along within that step, as
// an implicit step has it, whatever the solver's own are: A dv = J, with A = m + h^2 K.
struct ImpulseResponse {
  Span<const Vec<3>> impulse;  // J [N s]
  double h;                    // [s]
  Span<Vec<3>> change;         // dv [m/s]; empty: J is what the mesh has taken in this step
  bool again;                  // in the same step: A of the last call will do
};

}  // namespace rtsim
