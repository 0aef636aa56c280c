#include "shapes/mesh_shape.h"

#include <algorithm>

#include "shapes/shape_parts.h"

namespace rtsim {
namespace {

class OpenMesh : public Shape {
 public:
  explicit OpenMesh(TriangleMesh mesh) : tree_(std::move(mesh)) {}

  double distance(const Vec3d& x) const override { return tree_.nearest(x).distance; }
  Bounds bounds() const override { return tree_.bounds(); }
  bool closed() const override { return false; }
  void write(ShapeParts& parts) const override {
    parts.add({.kind = ShapePart::Kind::mesh, .tree = &tree_});
  }

 private:
  TriangleTree tree_;
};

class ClosedMesh : public Shape {
 public:
  explicit ClosedMesh(TriangleMesh mesh) : tree_(std::move(mesh)), normals_(tree_.mesh()) {}

  double distance(const Vec3d& x) const override {
    const NearestPoint q = tree_.nearest(x);
    return dot(x - q.point, normals_.at(tree_.mesh(), q)) < 0 ? -q.distance : q.distance;
  }
  Bounds bounds() const override { return tree_.bounds(); }
  std::optional<double> volume() const override { return enclosed_volume(tree_.mesh()); }
  void write(ShapeParts& parts) const override {
    parts.add({.kind = ShapePart::Kind::mesh, .tree = &tree_, .normals = normals_});
  }

 private:
  TriangleTree tree_;
  PseudoNormals normals_;
};

}  // namespace

// By tetrahedra from the first vertex.
double enclosed_volume(const TriangleMesh& mesh) {
  const Vec3d& o = mesh.vertices[0];
  double sum = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3d& a = mesh.vertices[t[0]];
    sum += dot(a - o, cross(mesh.vertices[t[1]] - a, mesh.vertices[t[2]] - a));
  }
  return sum / 6;
}

void turn_triangles(TriangleMesh& mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
}

std::unique_ptr<Shape> make_mesh_shape(TriangleMesh mesh) {
  if (open_edges(mesh) > 0) return std::make_unique<OpenMesh>(std::move(mesh));
  if (enclosed_volume(mesh) < 0) turn_triangles(mesh);
  return std::make_unique<ClosedMesh>(std::move(mesh));
}

}  // namespace rtsim
