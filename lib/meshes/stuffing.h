#pragma once
#include "meshes/cell_mesh.h"
#include "shapes/shape.h"

namespace rtsim {

// F. Labelle & J. R. Shewchuk, "Isosurface Stuffing: Fast Tetrahedral Meshes with Good Dihedral
// Angles", ACM Transactions on Graphics 26(3), 2007, on a body-centred cubic lattice whose cubes
// have the side `spacing` [m], twelve tets each. Tets inside the shape are the lattice's own, those
// at its surface are cut there, and every dihedral angle lies within the bounds below whatever the
// shape is. The boundary's points lie on the surface; edges and corners of the shape are cut off
// at the size of a tet, and what is thinner than that may be lost. Cubes that the surface does not
// touch are joined to larger ones, of twice the side for each that lies further in, up to
// `coarsest` [m]. Takes a shape with finite bounds
// that is closed; makes no tets where no lattice point lies inside.
CellMesh stuff(const Shape&, double spacing, double coarsest = 0);

// [deg] What every dihedral angle of `stuff` lies between.
inline constexpr double least_stuffed_angle = 10.7, greatest_stuffed_angle = 164.8;

}  // namespace rtsim
