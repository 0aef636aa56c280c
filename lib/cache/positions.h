#pragma once
#include <vector>

#include "cache/frame.h"

namespace rtsim {

// Where points are, in units of `unit` metres, with zeros for what the plane lacks. Throws
// Error{diverged} that names the row that is not finite or too far away for a voxel's number.
std::vector<Vec3d> positions(const FrameObject&, double unit);

}  // namespace rtsim
