#pragma once
#include "sim/build/build.h"
#include "sim/placed.h"
#include "sim/problems.h"

namespace rtsim {

// One table of samples for each boundary and each particle object that share a stage, bodies
// included, and in the pipeline what moves them. Infinite walls are sampled within `region`.
void sample_boundaries(const Scene&, const std::vector<Placed>&, const Bounds& region, Problems&,
                       Simulation&);

}  // namespace rtsim
