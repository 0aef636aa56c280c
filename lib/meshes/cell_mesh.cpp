#include "meshes/cell_mesh.h"

#include <algorithm>

namespace rtsim {

double length_of(const CellMesh& m, const CellMesh::Edge& e) {
  return norm(m.points[e[1]] - m.points[e[0]]);
}

double area_of(const CellMesh& m, const CellMesh::Triangle& t) {
  return 0.5 * norm(cross(m.points[t[1]] - m.points[t[0]], m.points[t[2]] - m.points[t[0]]));
}

double volume_of(const CellMesh& m, const CellMesh::Tet& t) {
  const Vec3d &a = m.points[t[0]], &b = m.points[t[1]], &c = m.points[t[2]], &d = m.points[t[3]];
  return dot(cross(b - a, c - a), d - a) / 6;
}

std::vector<CellMesh::Edge> all_edges(const CellMesh& m) {
  std::vector<CellMesh::Edge> edges;
  const auto add = [&](CellMesh::Corner a, CellMesh::Corner b) {
    edges.push_back({std::min(a, b), std::max(a, b)});
  };
  const auto add_all = [&](const auto& cell) {
    for (std::size_t i = 0; i < cell.size(); ++i)
      for (std::size_t j = i + 1; j < cell.size(); ++j) add(cell[i], cell[j]);
  };
  for (const auto& e : m.edges) add_all(e);
  for (const auto& t : m.triangles) add_all(t);
  for (const auto& t : m.tets) add_all(t);
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::vector<CellMesh::Triangle> boundary_of(const std::vector<CellMesh::Tet>& tets) {
  constexpr int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};  // from outside
  struct Face {
    CellMesh::Triangle sorted;
    std::size_t number;
  };
  std::vector<CellMesh::Triangle> all;
  std::vector<Face> found;
  for (const auto& t : tets)
    for (const auto& f : faces) {
      all.push_back({t[std::size_t(f[0])], t[std::size_t(f[1])], t[std::size_t(f[2])]});
      found.push_back({all.back(), all.size() - 1});
      std::ranges::sort(found.back().sorted);
    }
  std::ranges::sort(found, {}, &Face::sorted);
  std::vector<bool> alone(all.size(), false);
  for (std::size_t i = 0, end = 0; i < found.size(); i = end) {
    while (end < found.size() && found[end].sorted == found[i].sorted) ++end;
    alone[found[i].number] = end == i + 1;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (alone[i]) all[kept++] = all[i];
  all.resize(kept);
  return all;
}

}  // namespace rtsim
