#pragma once
#include <memory>

#include "shapes/mesh_file.h"
#include "shapes/shape.h"

namespace rtsim {

// Of a closed mesh [m^3], above zero where its triangles go round counter-clockwise as seen from
// outside.
double enclosed_volume(const TriangleMesh&);
void turn_triangles(TriangleMesh&);  // the other way round

// Signed distance of a closed mesh, whichever way its triangles turn; of an open one the distance.
// Takes a welded mesh of one triangle or more.
std::unique_ptr<Shape> make_mesh_shape(TriangleMesh);

}  // namespace rtsim
