#pragma once
#include <string>

#include "meshes/cell_mesh.h"

namespace rtsim {

struct TetQuality {
  double volume = 0;                           // [m^3]
  double least_angle = 0, greatest_angle = 0;  // [deg] dihedral
  int pieces = 0;                              // that share no points
};

TetQuality quality_of(const CellMesh&);

// "5120 tetrahedra with 1204 points, 0.0123 m^3, 99.7 % of the shape's volume, dihedral angles of
// 12.1 to 158 degrees"
std::string tell_tets(const CellMesh&);

// Of a mesh so large that it takes more than two seconds to fall by its own length, as one in
// millimetres does that was taken for metres: that its file may be so. Else empty.
std::string tell_large(const CellMesh&, double gravity);

}  // namespace rtsim
