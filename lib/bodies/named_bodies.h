#pragma once
#include <string>
#include <vector>

#include "stage/stage.h"

namespace rtsim {

// Series of where each body with a name of its own is: <bodies>.<name>.position.x and so on [m].
void measure_named(World&, const std::string& bodies, std::vector<Measurement>&);

}  // namespace rtsim
