#pragma once
#include "meshes/cell_mesh.h"

namespace rtsim {

// Makes elements of second order of the tets, or of the triangles of a mesh without: ten-node tets
// and six-node triangles, with a point amid each edge, behind the points that are there. The mesh
// is then that of their parts, eight tets or four triangles each between their points, so that
// whatever knows flat cells sees the surface that second order curves.
//
// `volume` of the points is what each weighs of the elements, by the diagonals of their consistent
// mass matrices, scaled to the whole (Hinton, Rock & Zienkiewicz, "A Note on Mass Lumping", 1976):
// 1/36 of a tet at a corner and 4/27 amid an edge, 1/19 and 16/57 of a triangle. Sums of the rows
// would be negative at corners of tets, and nothing at those of triangles.
void make_quadratic(CellMesh&);

}  // namespace rtsim
