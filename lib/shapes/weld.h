#pragma once
#include "shapes/mesh_file.h"

namespace rtsim {

// Corners at equal positions become one, and triangles that lose a corner by it go.
TriangleMesh weld(const TriangleMesh&);
// The same, with the corner that each became.
TriangleMesh weld(const TriangleMesh&, std::vector<std::int32_t>& became);

// Of triangles with the same corners one stays, the first that faces as most do; where as many face
// the other way, none. Returns how many go.
int drop_doubled(TriangleMesh&);

}  // namespace rtsim
