#pragma once
#include "shapes/shape.h"

namespace rtsim {

// How much more a fluid that begins half a spacing off a sample of a shape's surface gives to a sum
// over its neighbours there than it does at a flat wall: 1 on a face, less in a concave edge, more
// on a convex one, on small bodies, and 2 in a sheet. From the 8 (in space 26) cells of a lattice
// around the sample, with the weight of a cubic spline of two spacings and the part of each that is
// outside of the solid.
double openness(const Shape&, const Vec3d& sample, double spacing, int dim);

}  // namespace rtsim
