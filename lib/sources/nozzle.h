#pragma once
#include <vector>

#include "shapes/shape.h"

namespace rtsim {

// Points of a square lattice (2D: a row of points) in the plane through the middle of a shape's
// bounds and at right angles to `direction`, kept where they lie inside the shape. The lattice is
// symmetric about the middle; of those with and without a point there, along each axis, it is the
// one whose points times spacing^(D-1) come nearest to the area of the cut. Throws
// Error{bad_input} where there is no point, no inside or no end of the shape.
std::vector<Vec3d> cut_lattice(const Shape&, const Vec3d& direction, double spacing, int dim);

}  // namespace rtsim
