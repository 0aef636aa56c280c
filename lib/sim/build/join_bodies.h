#pragma once
#include "sim/placed.h"
#include "sim/problems.h"
#include "world/world.h"

namespace rtsim {

// The bodies of an object and what joins them, as a table of the world. `nth`: which object it is.
// Notes tell of bodies that touch with something else than they are.
void join_bodies(World&, const Placed&, std::uint64_t nth, Problems&,
                 std::vector<std::string>& notes);

}  // namespace rtsim
