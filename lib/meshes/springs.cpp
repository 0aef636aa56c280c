#include "meshes/springs.h"

#include <algorithm>
#include <map>

#include "meshes/adjacency.h"

namespace rtsim {

namespace {

// Whether edges of a mesh are torn; what is no edge is not.
class Edges {
 public:
  Edges(World& world, const std::string& mesh) {
    Table& t = world.table(edge_table(mesh));
    if (!t.has("torn")) return;
    const auto corners = corners_of<2>(world, edge_table(mesh));
    const auto torn = t.download<std::uint32_t>("torn");
    for (std::size_t e = 0; e < corners.size(); ++e) torn_[ordered(corners[e])] = torn[e] != 0;
  }

  bool has(const CellMesh::Edge& e) const { return torn_.contains(ordered(e)); }
  bool torn(const CellMesh::Edge& e) const {
    const auto at = torn_.find(ordered(e));
    return at != torn_.end() && at->second;
  }

 private:
  static CellMesh::Edge ordered(CellMesh::Edge e) {
    std::ranges::sort(e);
    return e;
  }
  std::map<CellMesh::Edge, bool> torn_;
};

// Whether a spring of a sheet is torn, or lies over what is.
bool spans_torn(const Edges& edges, const CellMesh::Edge& spring, Index nu) {
  if (edges.has(spring)) return edges.torn(spring);
  const CellMesh::Corner a = spring[0], b = spring[1];
  const Index di = b % nu - a % nu, dj = b / nu - a / nu;
  if (di == 0 || dj == 0) {
    const CellMesh::Corner middle = (a + b) / 2;
    return edges.torn({a, middle}) || edges.torn({middle, b});
  }
  const CellMesh::Corner c = a + di, d = b - di;
  return edges.torn({a, c}) || edges.torn({c, b}) || edges.torn({a, d}) || edges.torn({d, b}) ||
         edges.torn({c, d});
}

SpringNetwork sheet_springs(const Edges& edges, Index nu, Index nv) {
  SpringNetwork n;
  const auto add = [&](std::vector<CellMesh::Edge>& to, Index i, Index j, Index di, Index dj) {
    const Index k = i + di, l = j + dj;
    const CellMesh::Edge spring{i + nu * j, k + nu * l};
    if (k >= 0 && k < nu && l < nv && !spans_torn(edges, spring, nu)) to.push_back(spring);
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
  return {intact_of<2>(world, edge_table(mesh)), {}, {}};
}

SpringNetwork cloth_springs(World& world, const Object& mesh) {
  if (mesh.sheet[0] > 1)
    return sheet_springs(Edges(world, mesh.name), mesh.sheet[0], mesh.sheet[1]);
  if (!world.has_table(triangle_table(mesh.name)))
    throw Error(ExitCode::bad_input, "\"cloth\" needs triangles, and '" + mesh.name +
                                         "' has none; take \"network\": \"edges\"");
  SpringNetwork n = edge_springs(world, mesh.name);
  for (const Hinge& h : hinges_of(intact_of<3>(world, triangle_table(mesh.name))))
    n.flexion.push_back({h[2], h[3]});
  return n;
}

}  // namespace rtsim
