#pragma once
#include <memory>
#include <vector>

#include "shapes/shape.h"

namespace rtsim {

using Shapes = std::vector<std::unique_ptr<Shape>>;  // one or more

// Sets of points: the minimum, the maximum and max(first, -rest) of the distances. These have the
// right sign and zero everywhere and never overstate a distance, but understate it near the edges
// where operands meet; solids that merely touch keep their common face as a seam.
std::unique_ptr<Shape> make_union(Shapes);
std::unique_ptr<Shape> make_intersection(Shapes);
std::unique_ptr<Shape> make_difference(Shapes);

}  // namespace rtsim
