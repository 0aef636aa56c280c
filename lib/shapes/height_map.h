#pragma once
#include <memory>

#include "shapes/shape.h"

namespace rtsim {

// The solid below a terrain, within the rectangle from min to max in x and z and without a bottom.
// The picture's columns run along x and its rows along z, the first at min; black is min.y, white
// max.y. Between pixels the surface is two triangles.
std::unique_ptr<Shape> make_height_map(const HeightMapSpec&);

}  // namespace rtsim
