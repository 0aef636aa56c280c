#pragma once
#include "deformables/constraint_set.h"

// What the constraints of a mesh are, from where its points are at the start, in double.
namespace rtsim {

enum class RestShape { as_built, flat };

ConstraintList<pbd::Distance> edge_lengths(const std::vector<Vec3d>& points,
                                           const std::vector<CellMesh::Edge>&);
ConstraintList<pbd::TetVolume> tet_volumes(const std::vector<Vec3d>& points,
                                           const std::vector<CellMesh::Tet>&);
ConstraintList<pbd::DihedralBend> dihedral_bends(const std::vector<Vec3d>& points,
                                                 const std::vector<Hinge>&, RestShape);
ConstraintList<pbd::FlatBend> flat_bends(const std::vector<Vec3d>& points,
                                         const std::vector<Hinge>&);
ConstraintList<pbd::CurvedBend> curved_bends(const std::vector<Vec3d>& points,
                                             const std::vector<Hinge>&);

// Whether any hinge is bent, by more than the rounding of positions makes of a plane.
bool curved(const std::vector<Vec3d>& points, const std::vector<Hinge>&);

}  // namespace rtsim
