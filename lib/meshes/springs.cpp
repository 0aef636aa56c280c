#include "meshes/springs.h"

#include "meshes/adjacency.h"

namespace rtsim {

namespace {

SpringNetwork sheet_springs(Index nu, Index nv) {
  SpringNetwork n;
  const auto add = [&](std::vector<CellMesh::Edge>& to, Index i, Index j, Index di, Index dj) {
    const Index k = i + di, l = j + dj;
    if (k >= 0 && k < nu && l < nv) to.push_back({i + nu * j, k + nu * l});
  };
  for (Index j = 0; j < nv; ++j)
    for (Index i = 0; i < nu; ++i) {
      add(n.structural, i, j, 1, 0), add(n.structural, i, j, 0, 1);
      add(n.shear, i, j, 1, 1), add(n.shear, i, j, -1, 1);
      add(n.flexion, i, j, 2, 0), add(n.flexion, i, j, 0, 2);
    }
  return n;
}

}  // namespace

SpringNetwork edge_springs(World& world, const std::string& mesh) {
  return {corners_of<2>(world, edge_table(mesh)), {}, {}};
}

SpringNetwork cloth_springs(World& world, const Object& mesh) {
  if (mesh.sheet[0] > 1) return sheet_springs(mesh.sheet[0], mesh.sheet[1]);
  const auto triangles = corners_of<3>(world, triangle_table(mesh.name));
  if (triangles.empty())
    throw Error(ExitCode::bad_input, "\"cloth\" needs triangles, and '" + mesh.name +
                                         "' has none; take \"network\": \"edges\"");
  SpringNetwork n = edge_springs(world, mesh.name);
  for (const Hinge& h : hinges_of(triangles)) n.flexion.push_back({h[2], h[3]});
  return n;
}

}  // namespace rtsim
