#pragma once
#include <memory>
#include <vector>

#include "shapes/shape.h"
#include "world/world.h"

namespace rtsim {

// Adds to the rows of a height field the state columns `bed` [m], the height of the ground, and
// `depth` [m] of the water that stands on it, up to the top of `fill`.
void add_columns_of_water(Table&, const GridShape&,
                          const std::vector<std::shared_ptr<const Shape>>& bed,
                          const std::vector<std::shared_ptr<const Shape>>& fill);

}  // namespace rtsim
