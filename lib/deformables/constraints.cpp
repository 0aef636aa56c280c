#include "deformables/constraints.h"

#include <algorithm>
#include <cmath>

namespace rtsim {

namespace {

using Points = std::vector<Vec3d>;

// A hinge in space: its edge, and both triangles' normals, of lengths twice their areas.
struct HingeShape {
  Vec3d x[4], edge, a, b;

  HingeShape(const Points& points, const Hinge& h) {
    for (std::size_t k = 0; k < 4; ++k) x[k] = points[std::size_t(h[k])];
    edge = x[1] - x[0];
    a = cross(edge, x[2] - x[0]), b = cross(x[3] - x[0], edge);
  }
  double areas() const { return 0.5 * (norm(a) + norm(b)); }
  double angle() const { return std::atan2(dot(cross(b, a), edge), norm(edge) * dot(a, b)); }
  // Of the angle at corner k between the edge and the side to corner o.
  double cotangent(int k, int o) const {
    const Vec3d along = k == 0 ? edge : -edge, side = x[o] - x[k];
    return dot(along, side) / norm(cross(along, side));
  }
  // k_1, k_2, k_3 of isometric_bend.h
  std::array<double, 3> weights() const {
    const double c01 = cotangent(0, 2), c02 = cotangent(0, 3), c03 = cotangent(1, 2),
                 c04 = cotangent(1, 3), scale = 1 / std::sqrt(areas());
    return {scale * (c01 + c02), -scale * (c01 + c03), -scale * (c02 + c04)};
  }
};

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

ConstraintList<pbd::DihedralBend> dihedral_bends(const Points& points,
                                                 const std::vector<Hinge>& hinges, RestShape rest) {
  ConstraintList<pbd::DihedralBend> list{hinges, {}};
  for (const Hinge& h : hinges) {
    const HingeShape s(points, h);
    list.numbers.push_back(
        {Real(rest == RestShape::flat ? 0 : s.angle()), Real(s.areas() / dot(s.edge, s.edge))});
  }
  return list;
}

ConstraintList<pbd::FlatBend> flat_bends(const Points& points, const std::vector<Hinge>& hinges) {
  ConstraintList<pbd::FlatBend> list{hinges, {}};
  for (const Hinge& h : hinges) {
    const auto k = HingeShape(points, h).weights();
    list.numbers.push_back({Real(k[0]), Real(k[1]), Real(k[2])});
  }
  return list;
}

ConstraintList<pbd::CurvedBend> curved_bends(const Points& points,
                                             const std::vector<Hinge>& hinges) {
  ConstraintList<pbd::CurvedBend> list{hinges, {}};
  for (const Hinge& h : hinges) {
    const HingeShape s(points, h);
    const auto k = s.weights();
    const Vec3d sum = k[0] * s.edge + k[1] * (s.x[2] - s.x[0]) + k[2] * (s.x[3] - s.x[0]);
    list.numbers.push_back({Real(k[0]), Real(k[1]), Real(k[2]), Real(norm(sum))});
  }
  return list;
}

bool curved(const Points& points, const std::vector<Hinge>& hinges) {
  return std::ranges::any_of(
      hinges, [&](const Hinge& h) { return std::abs(HingeShape(points, h).angle()) > 1e-3; });
}

}  // namespace rtsim
