#pragma once
#include "meshes/cell_mesh.h"

namespace rtsim {

// A place in the cell of a mesh.
struct Embedded {
  std::array<CellMesh::Corner, 4> at{};  // of a triangle the last one counts for nothing
  std::array<double, 4> weight{};        // they add up to 1
  double offset = 0;                     // [m] along the triangle's normal
};

// The tet in which each place lies, or of which it is the least outside, with the weights of its
// corners: sum w_k x_k is the place.
std::vector<Embedded> embed(const std::vector<Vec3d>& places, const std::vector<Vec3d>& points,
                            const std::vector<CellMesh::Tet>&);

// The triangle that is nearest to each place, and how far the place is off it.
std::vector<Embedded> embed(const std::vector<Vec3d>& places, const std::vector<Vec3d>& points,
                            const std::vector<CellMesh::Triangle>&);

}  // namespace rtsim
