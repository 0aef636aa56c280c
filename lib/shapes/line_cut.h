#pragma once
#include <vector>

#include "shapes/shape_parts.h"

namespace rtsim {

// Of a line x(t) = origin + t direction.
struct Stretch {
  double from, to;  // t; may be infinite
};

// Where a line lies inside a shape: stretches in order that do not touch. Exact, whatever the size
// of the shape: each solid is cut by itself, and the operations work on the stretches.
std::vector<Stretch> cut_line(const ShapeParts&, const Vec3d& origin, const Vec3d& direction);

}  // namespace rtsim
