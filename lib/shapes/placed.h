#pragma once
#include <memory>

#include "shapes/shape.h"

namespace rtsim {

std::unique_ptr<Shape> make_inside_out(std::unique_ptr<Shape>);
std::unique_ptr<Shape> make_placed(std::unique_ptr<Shape>, const TransformSpec&, int dim);
// Reads every point as (x, y, 0).
std::unique_ptr<Shape> make_flat(std::unique_ptr<Shape>);

}  // namespace rtsim
