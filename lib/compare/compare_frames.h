#pragma once
#include "compare/compare.h"

namespace rtsim {

// Compares the HDF5 frames of both runs, as many at once as there are jobs. The result does not
// depend on how many.
void compare_frames(const CompareOptions&, Comparison&);

}  // namespace rtsim
