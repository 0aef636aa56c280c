#pragma once
#include <vector>

#include "shapes/shape.h"
#include "world/grid.h"

namespace rtsim {

// The signed distance [m] at the centres of a grid, exact within `band` of the surface, +-band
// elsewhere: blocks are halved until none of their cells can be near, as the distance is
// 1-Lipschitz.
std::vector<Real> distance_field(const Shape&, const GridShape&, double band);

}  // namespace rtsim
