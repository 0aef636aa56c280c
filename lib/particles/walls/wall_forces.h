#pragma once
#include <string>
#include <vector>

#include "sph/force_and_torque.h"
#include "world/world.h"

// The tables of world/world.h that say what a fluid did to its boundaries.
namespace rtsim {

// A row for each body; a boundary is one.
template <int D>
void add_force_table(World&, const std::string& boundary, const std::string& fluid);

// Of each owner, times `scale`.
template <int D>
void write_forces(World&, const std::string& boundary, const std::string& fluid,
                  const std::vector<sph::ForceAndTorque>&, double scale);

// Of all owners together.
template <int D>
sph::ForceAndTorque read_forces(World&, const std::string& boundary, const std::string& fluid);

}  // namespace rtsim
