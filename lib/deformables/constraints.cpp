#include "deformables/constraints.h"

namespace rtsim {

namespace {

using Points = std::vector<Vec3d>;

}  // namespace

ConstraintList<pbd::Distance> edge_lengths(const Points& points,
                                           const std::vector<CellMesh::Edge>& edges) {
  ConstraintList<pbd::Distance> list{edges, {}};
  for (const auto& e : edges)
    list.numbers.push_back({Real(norm(points[std::size_t(e[1])] - points[std::size_t(e[0])]))});
  return list;
}

ConstraintList<pbd::TetVolume> tet_volumes(const Points& points,
                                           const std::vector<CellMesh::Tet>& tets) {
  ConstraintList<pbd::TetVolume> list{tets, {}};
  for (const auto& t : tets) {
    const auto from = [&](std::size_t k) {
      return points[std::size_t(t[k])] - points[std::size_t(t[0])];
    };
    list.numbers.push_back({Real(dot(cross(from(1), from(2)), from(3)) / 6)});
  }
  return list;
}

}  // namespace rtsim
