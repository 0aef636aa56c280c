#include "shapes/mesh_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "shapes/triangle_tree.h"

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

Vec3d unit(const Vec3d& v) {
  const double length = norm(v);
  return length > 0 ? (1 / length) * v : v;
}

double corner_angle(const TriangleMesh& mesh, const std::array<std::int32_t, 3>& t, int k) {
  const Vec3d& p = mesh.vertices[t[k]];
  const Vec3d u = mesh.vertices[t[(k + 1) % 3]] - p, v = mesh.vertices[t[(k + 2) % 3]] - p;
  return std::atan2(norm(cross(u, v)), dot(u, v));
}

// Six times the volume, by tetrahedra from the first vertex.
double signed_volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.triangles)
    sum += dot(mesh.vertices[t[0]] - mesh.vertices[0], normal_of(mesh, t));
  return sum;
}

class OpenMesh : public Shape {
 public:
  explicit OpenMesh(TriangleMesh mesh) : tree_(std::move(mesh)) {}

  double distance(const Vec3d& x) const override { return tree_.nearest(x).distance; }
  Bounds bounds() const override { return tree_.bounds(); }
  bool closed() const override { return false; }

 private:
  TriangleTree tree_;
};

// Baerentzen & Aanaes, "Signed Distance Computation Using the Angle Weighted Pseudonormal" (2005):
// x is outside where (x - nearest) . n >= 0, with n of the face, the sum of its faces on an edge,
// and at a corner the sum of its faces weighted by their angles there.
class ClosedMesh : public Shape {
 public:
  explicit ClosedMesh(TriangleMesh mesh) : tree_(std::move(mesh)) {
    const TriangleMesh& m = tree_.mesh();
    corner_normals_.resize(m.vertices.size());
    std::unordered_map<std::uint64_t, int> edges;
    edges.reserve(2 * m.triangles.size());
    for (const auto& t : m.triangles) {
      const Vec3d n = unit(normal_of(m, t));
      std::array<int, 3> sides;
      for (int k = 0; k < 3; ++k) {
        add(corner_normals_[t[k]], corner_angle(m, t, k) * n);
        sides[k] =
            edges.try_emplace(edge_key(t[k], t[(k + 1) % 3]), int(edges.size())).first->second;
        if (sides[k] == int(edge_normals_.size())) edge_normals_.emplace_back();
        add(edge_normals_[sides[k]], n);
      }
      sides_.push_back(sides);
    }
  }

  double distance(const Vec3d& x) const override {
    const NearestPoint q = tree_.nearest(x);
    return dot(x - q.point, pseudonormal(q)) < 0 ? -q.distance : q.distance;
  }
  Bounds bounds() const override { return tree_.bounds(); }

 private:
  Vec3d pseudonormal(const NearestPoint& q) const {
    const auto& t = tree_.mesh().triangles[q.triangle];
    switch (q.feature.kind) {
      case TriangleFeature::Kind::corner:
        return corner_normals_[t[q.feature.k]];
      case TriangleFeature::Kind::edge:
        return edge_normals_[sides_[q.triangle][q.feature.k]];
      case TriangleFeature::Kind::face:
        break;
    }
    return normal_of(tree_.mesh(), t);
  }

  TriangleTree tree_;
  std::vector<Vec3d> corner_normals_, edge_normals_;
  std::vector<std::array<int, 3>> sides_;  // rows of edge_normals_
};

void turn(TriangleMesh& mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
}

}  // namespace

std::unique_ptr<Shape> make_mesh_shape(TriangleMesh mesh) {
  if (open_edges(mesh) > 0) return std::make_unique<OpenMesh>(std::move(mesh));
  if (signed_volume(mesh) < 0) turn(mesh);
  return std::make_unique<ClosedMesh>(std::move(mesh));
}

}  // namespace rtsim
