#pragma once
#include <string>
#include <vector>

#include "sph/force_and_torque.h"
#include "world/world.h"

// What a fluid did to its boundaries, in its hand-over (bodies/fluid_push.h).
namespace rtsim {

// Of each owner, times `scale`.
template <int D>
void write_forces(World&, const std::string& boundary, const std::string& fluid,
                  const std::vector<sph::ForceAndTorque>&, double scale);

// Of all owners together.
template <int D>
sph::ForceAndTorque read_forces(World&, const std::string& boundary, const std::string& fluid);

}  // namespace rtsim
