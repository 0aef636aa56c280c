#pragma once
#include "meshes/mesh_spec.h"

namespace rtsim {

// Tets that fill a shape, by "stuffing" or "delaunay".
CellMesh fill_solid(const SolidSpec&);

}  // namespace rtsim
