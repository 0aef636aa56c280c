#pragma once
#include <vector>

#include "base/vec.h"
#include "shapes/mesh_file.h"

namespace rtsim {

// The points of at most `most` parts that a solid is cut into, whose convex hulls together hold
// little more than it does: fewer where a ten-thousandth more is all that is left.

// Of what a closed surface encloses, turned outwards, by planes across the axes.
std::vector<std::vector<Vec3d>> convex_parts(const TriangleMesh&, int most);
// Of what an outline encloses, counter-clockwise, given with the triangles that fill it.
std::vector<std::vector<Vec3d>> convex_parts_in_the_plane(const TriangleMesh&, int most);

}  // namespace rtsim
