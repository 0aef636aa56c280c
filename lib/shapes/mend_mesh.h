#pragma once
#include <string>

#include "shapes/mesh_file.h"

namespace rtsim {

struct MendedMesh {
  TriangleMesh mesh;    // closed; empty where that cannot be
  std::string refused;  // why it cannot
  int turned = 0;       // triangles that faced the other way than their neighbours
  int holes = 0;        // that were closed
  int edges = 0;        // around them
};

// Closes a mesh with holes: triangles turn the way of their neighbours, and each hole is closed by
// triangles from its rim to the middle of it. Right for holes that are nearly flat; one that is not
// may be closed elsewhere than it was meant. Not for sheets, which have no inside, nor where three
// triangles meet at an edge.
MendedMesh mend_mesh(TriangleMesh);

}  // namespace rtsim
