#pragma once
#include <array>

#include "cache/frame.h"

namespace rtsim {

// The triangles that the cells of a mesh show: themselves, or of tetrahedra the faces that belong
// to one alone, counterclockwise as seen from outside.
std::vector<std::array<std::int32_t, 3>> visible_faces(const FrameCells&);

}  // namespace rtsim
