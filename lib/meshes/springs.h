#pragma once
#include "meshes/add_mesh.h"

namespace rtsim {

// Springs of a mesh by what they resist, in a fixed order.
struct SpringNetwork {
  std::vector<CellMesh::Edge> structural;  // along the edges
  std::vector<CellMesh::Edge> shear;       // across the cells of a sheet
  std::vector<CellMesh::Edge> flexion;     // from a point over its neighbour to the next
};

// The edges of a mesh that are not torn, as structural springs.
SpringNetwork edge_springs(World&, const std::string& mesh);

// Of a sheet, from point (i, j): structural to (i + 1, j) and (i, j + 1), shear to (i +- 1, j + 1),
// flexion to (i + 2, j) and (i, j + 2). Of other triangles the edges, and over every inner edge one
// from opposite point to opposite point, for shear and bending at once. Throws Error{bad_input}
// where there are no triangles. Springs that are no edges are torn with what they span: flexion
// with either of its two edges, those across a cell or an inner edge with any edge of the triangles
// there.
SpringNetwork cloth_springs(World&, const Object& mesh);

}  // namespace rtsim
