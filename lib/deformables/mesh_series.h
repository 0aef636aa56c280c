#pragma once
#include <string>
#include <vector>

#include "stage/stage.h"

namespace rtsim {

// Kinetic and potential energy (of gravity), mass, momentum and angular momentum about the origin
// of a mesh, as `<mesh>.<quantity>`.
void measure_motion(World&, const std::string& mesh, std::vector<Measurement>&);

// What the solver of a mesh uses of it.
std::vector<ColumnUse> uses_of_mesh(const std::string& mesh);

// Throws Diverged, with `remedy`, where a velocity of the mesh is not finite.
void watch_velocities(World&, const std::string& mesh, const std::string& remedy);

}  // namespace rtsim
