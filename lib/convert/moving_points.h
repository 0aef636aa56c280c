#pragma once
#include <string>
#include <vector>

#include "convert/format.h"

namespace rtsim {

// The points of an object that are the same in all of its frames, x, y, z of one after the other
// [m]: those of particles in the order of their ids, of bodies the corners of their surfaces, of
// height fields the centres of cells on the water.
std::vector<float> moving_points(const FrameObject&);

// As bytes.
std::string moving_points_of(const std::filesystem::path& run, const WrittenFile&);

}  // namespace rtsim
