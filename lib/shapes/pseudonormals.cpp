#include "shapes/pseudonormals.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace rtsim {
namespace {

std::uint64_t edge_key(std::int32_t a, std::int32_t b) {
  return std::uint64_t(std::min(a, b)) << 32 | std::uint64_t(std::max(a, b));
}

void add(Vec3d& sum, const Vec3d& v) { sum = sum + v; }

Vec3d normal_of(const TriangleMesh& mesh, const std::array<std::int32_t, 3>& t) {
  const Vec3d& a = mesh.vertices[t[0]];
  return cross(mesh.vertices[t[1]] - a, mesh.vertices[t[2]] - a);
}

Vec3d unit_or_zero(const Vec3d& v) {
  const double length = norm(v);
  return length > 0 ? (1 / length) * v : v;
}

double corner_angle(const TriangleMesh& mesh, const std::array<std::int32_t, 3>& t, int k) {
  const Vec3d& p = mesh.vertices[t[k]];
  const Vec3d u = mesh.vertices[t[(k + 1) % 3]] - p, v = mesh.vertices[t[(k + 2) % 3]] - p;
  return std::atan2(norm(cross(u, v)), dot(u, v));
}

}  // namespace

PseudoNormals::PseudoNormals(const TriangleMesh& m) {
  corners.resize(m.vertices.size());
  std::unordered_map<std::uint64_t, int> rows;
  rows.reserve(2 * m.triangles.size());
  for (const auto& t : m.triangles) {
    const Vec3d n = unit_or_zero(normal_of(m, t));
    std::array<std::int32_t, 3> own;
    for (int k = 0; k < 3; ++k) {
      add(corners[t[k]], corner_angle(m, t, k) * n);
      own[k] = rows.try_emplace(edge_key(t[k], t[(k + 1) % 3]), int(rows.size())).first->second;
      if (own[k] == int(edges.size())) edges.emplace_back();
      add(edges[own[k]], n);
    }
    sides.push_back(own);
  }
}

Vec3d PseudoNormals::at(const TriangleMesh& mesh, const NearestPoint& q) const {
  const auto& t = mesh.triangles[q.triangle];
  switch (q.feature.kind) {
    case TriangleFeature::Kind::corner:
      return corners[t[q.feature.k]];
    case TriangleFeature::Kind::edge:
      return edges[sides[q.triangle][q.feature.k]];
    case TriangleFeature::Kind::face:
      break;
  }
  return normal_of(mesh, t);
}

}  // namespace rtsim
