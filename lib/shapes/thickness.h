#pragma once
#include "shapes/shape.h"

namespace rtsim {

// How thick a closed solid is below a sample of its surface, and how wide the gap in front of it,
// both along the normal there and no further than `most`; infinite where that is not enough, as on
// a plane [m].
struct Thickness {
  double solid, gap;
};
Thickness thickness(const Shape&, const Vec3d& sample, double most, double spacing, int dim);

}  // namespace rtsim
