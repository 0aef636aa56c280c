#pragma once
#include <vector>

#include "meshes/add_mesh.h"

namespace rtsim {

// What holds each point back: from first[i] to first[i + 1] a held point, and how far from it point
// i may be.
struct TetherList {
  std::vector<Index> first;
  std::vector<Index> held;
  std::vector<double> length;  // [m], along the edges at rest
};

// Tethers of each free point to the nearest held point of each of the `most` nearest groups of held
// points; those that edges join are one group.
TetherList tethers_of(const std::vector<CellMesh::Edge>&, const std::vector<double>& rest_length,
                      const std::vector<bool>& held, int most);

}  // namespace rtsim
