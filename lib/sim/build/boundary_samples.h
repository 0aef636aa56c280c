#pragma once
#include <string>
#include <vector>

#include "shapes/sample.h"
#include "world/world.h"

namespace rtsim {

// A table of samples of a boundary, made for one fluid, with the columns of these.
void add_samples(World&, const std::string& table, const std::vector<SurfaceSample>&);
// Other ones in their place. What the fluid keeps of each begins anew.
void put_samples(World&, const std::string& table, const std::vector<SurfaceSample>&);

}  // namespace rtsim
