#pragma once
#include "deformables/constraint_set.h"

// What the constraints of a mesh are, from where its points are at the start, in double.
namespace rtsim {

ConstraintList<pbd::Distance> edge_lengths(const std::vector<Vec3d>& points,
                                           const std::vector<CellMesh::Edge>&);
ConstraintList<pbd::TetVolume> tet_volumes(const std::vector<Vec3d>& points,
                                           const std::vector<CellMesh::Tet>&);
}  // namespace rtsim
