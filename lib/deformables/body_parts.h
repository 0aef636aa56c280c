#pragma once
#include <deque>
#include <vector>

#include "bodies/shapes/body_shape.h"
#include "shapes/shape_parts.h"

namespace rtsim {

// The shape of a body in its own frame as the union of its parts, in postfix order. Trees of hulls
// are kept in `trees`, which has to live as long as the parts.
std::vector<ShapePart> parts_of(const BodyShape&, std::deque<TriangleTree>& trees);

}  // namespace rtsim
