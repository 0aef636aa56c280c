#pragma once
#include "param/describe.h"

namespace rtsim {

// For solvers whose pressure may fall below zero, after their shifting; see kernels/sph/tension.h.
void describe_tension(Describe&, bool& tension, bool shifts);

}  // namespace rtsim
