#pragma once
#include <array>
#include <vector>

#include "shapes/triangle_tree.h"

namespace rtsim {

// Baerentzen & Aanaes, "Signed Distance Computation Using the Angle Weighted Pseudonormal" (2005):
// x is outside where (x - nearest) . n >= 0, with n of the face, the sum of its faces on an edge,
// and at a corner the sum of its faces weighted by their angles there.
struct PseudoNormals {
  std::vector<Vec3d> corners;  // of the vertices
  std::vector<Vec3d> edges;
  std::vector<std::array<std::int32_t, 3>> sides;  // rows of `edges`, of each triangle

  PseudoNormals() = default;
  explicit PseudoNormals(const TriangleMesh&);

  Vec3d at(const TriangleMesh&, const NearestPoint&) const;
};

}  // namespace rtsim
