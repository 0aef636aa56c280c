#pragma once
#include "cache/frame.h"
#include "shapes/mesh_file.h"

namespace rtsim {

// The triangles that a mesh shows: its own, or of tetrahedra the faces that belong to one alone,
// counterclockwise as seen from outside. All its points, in their order.
TriangleMesh visible_faces(const FrameObject&);

}  // namespace rtsim
