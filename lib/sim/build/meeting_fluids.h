#pragma once
#include <string>
#include <vector>

#include "sim/build/build.h"

namespace rtsim {

// Stages do not feel one another's particles: fluids of two stages that meet would pass through
// each other. Where several stages move particles, puts a stage into the pipeline that ends the run
// at the first frame at which two of their fluids touch with no wall between; and returns what is
// wrong with the start.
std::vector<std::string> keep_fluids_apart(const Scene&, Simulation&);

}  // namespace rtsim
