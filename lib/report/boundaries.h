#pragma once
#include <filesystem>
#include <vector>

#include "pictures/draw_boundaries.h"

namespace rtsim {

// The boundaries of the scene that a run folder holds; none where its meshes cannot be read any
// more.
std::vector<DrawnBoundary> boundaries_of(const std::filesystem::path& run);

}  // namespace rtsim
