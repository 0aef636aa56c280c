#pragma once
#include <vector>

#include "shapes/shape.h"

namespace rtsim {

// The plane through the middle of a shape's bounds and at right angles to a direction:
// middle + a across[0] + b across[1], as far as half[0] and half[1] reach.
struct Cut {
  Vec3d middle;      // [m]
  Vec3d across[2];   // unit vectors; only the first in 2D
  double half[2]{};  // [m]
  // A square lattice (2D: a row) of points inside the shape, symmetric about the middle. Of those
  // with and without a point there, along each axis, it is the one whose points times
  // spacing^(D-1) come nearest to the area of the cut.
  std::vector<Vec3d> points;

  Vec3d at(double a, double b) const { return middle + a * across[0] + b * across[1]; }
};

// The cut without points. Throws Error{bad_input} where there is no inside or no end of the shape.
Cut plane_of_cut(const Shape&, const Vec3d& direction, int dim);
// The cut with its points, of which there may be none.
Cut cut_through(const Shape&, const Vec3d& direction, double spacing, int dim);
// Throws Error{bad_input} where there is no point.
Cut cut_shape(const Shape&, const Vec3d& direction, double spacing, int dim);

}  // namespace rtsim
