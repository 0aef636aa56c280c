#pragma once
#include <string>
#include <vector>

#include "cache/frame.h"
#include "pictures/raster.h"

namespace rtsim {

const FrameColumn* find_column(const FrameObject&, const std::string& name);

// Of a column each row's number, or its length; of "velocity.y" that component. Throws
// Error{bad_input} where there is no such column.
std::vector<float> numbers_of(const FrameObject&, const std::string& name);

// Rows of a column of two or three components.
std::vector<Vec3f> vectors_of(const FrameObject&, const std::string& name);

}  // namespace rtsim
