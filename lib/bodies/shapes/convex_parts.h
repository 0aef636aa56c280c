#pragma once
#include <vector>

#include "base/vec.h"
#include "shapes/mesh_file.h"

namespace rtsim {

struct ConvexHull {
  std::vector<Vec3d> corners;           // in the plane counter-clockwise
  std::vector<std::vector<int>> faces;  // counter-clockwise from outside; in the plane none
};

// Triangles in one plane, to 1e-7 of the hull's size, become one face. Throws Error{bad_input} for
// points that span no volume (in the plane: no area).
ConvexHull convex_hull(const std::vector<Vec3d>& points, int dim);

// The same, or where it has more corners than `most` (4 at least), the hull of those of them that
// lie farthest out in so many directions.
ConvexHull simplified(const ConvexHull&, int most);

// The points of at most `most` parts that a solid is cut into, whose convex hulls together hold
// little more than it does: fewer where a ten-thousandth more is all that is left.

// Of what a closed surface encloses, turned outwards, by planes across the axes.
std::vector<std::vector<Vec3d>> convex_parts(const TriangleMesh&, int most);
// Of what an outline encloses, counter-clockwise, given with the triangles that fill it.
std::vector<std::vector<Vec3d>> convex_parts_in_the_plane(const TriangleMesh&, int most);

}  // namespace rtsim
