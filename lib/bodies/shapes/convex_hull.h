#pragma once
#include <vector>

#include "base/vec.h"

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

}  // namespace rtsim
