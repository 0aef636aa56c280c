#pragma once
#include <array>

#include "cache/frame.h"
#include "shapes/mesh_file.h"

namespace rtsim {

// The triangles that the cells of a mesh show: themselves, or of tetrahedra the faces that belong
// to one alone, counterclockwise as seen from outside.
std::vector<std::array<std::int32_t, 3>> visible_faces(const FrameCells&);

// What a mesh, bodies or a height field show, with all of their points in their order [m].
TriangleMesh shown_triangles(const FrameObject&);

}  // namespace rtsim
