#pragma once
#include <string>
#include <vector>

#include "sim/scene.h"
#include "world/world.h"

namespace rtsim {

// Fluid at rest keeps a spacing from the samples of walls and bodies, half a spacing from their
// surfaces. Particles that a fill put nearer are moved away from the samples to that distance: what
// they lack of room then, `settle` finds. Says of each fluid how many, as a line each.
std::vector<std::string> move_off_walls(World&, const Scene&);

}  // namespace rtsim
