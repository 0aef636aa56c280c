#include "boundaries/deforming_surface.h"

#include <algorithm>

#include "boundaries/narrowed.h"
#include "shapes/animated_shape.h"
#include "shapes/pseudonormals.h"

namespace rtsim {

DeformingSurface::DeformingSurface(World& world, const Object& boundary)
    : DeformingSurface(world, corner_table(boundary.name), face_table(boundary.name),
                       boundary.deformation->inside_out()) {
  take_faces(world);
  update(world, 0);
}

DeformingSurface::DeformingSurface(World& world, const std::string& table, const TriangleMesh& rest,
                                   bool inside_out)
    : DeformingSurface(world, table, std::string(), inside_out) {
  take(rest);
  update(world, 0);
}

DeformingSurface::DeformingSurface(World& world, std::string table, std::string faces,
                                   bool inside_out)
    : table_(std::move(table)),
      faces_(std::move(faces)),
      inside_out_(inside_out),
      nodes_(world.exec),
      vertices_(world.exec),
      velocity_(world.exec),
      corner_normals_(world.exec),
      edge_normals_(world.exec),
      triangles_(world.exec),
      sides_(world.exec) {}

void DeformingSurface::take(const TriangleMesh& own) {
  closed_ = open_edges(own) == 0;
  const TriangleTree tree(own);
  mesh_ = tree.mesh(), tree_ = tree.nodes();
  triangles_.upload(corners_of(mesh_.triangles));
}

void DeformingSurface::take_faces(World& world) {
  Table& t = world.table(faces_);
  revision_ = t.revision();
  TriangleMesh own{world.table(table_).download<Vec3d>("own"), {}};
  for (const auto& c : t.download<contact::Corners3>("corner"))
    own.triangles.push_back({c[0], c[1], c[2]});
  take(own);
}

void DeformingSurface::update(World& world, double before_end) {
  if (!faces_.empty() && revision_ != world.table(faces_).revision()) take_faces(world);
  Table& t = world.table(table_);
  const auto x = t.download<Vec<3>>("position"), v = t.download<Vec<3>>("velocity");
  for (std::size_t i = 0; i < x.size(); ++i)
    mesh_.vertices[i] = widen(x[i]) - before_end * widen(v[i]);
  fit_boxes(mesh_);
  nodes_.upload(rounded(tree_));
  vertices_.upload(narrowed(mesh_.vertices));
  velocity_.upload(v);
  if (!closed_) return;
  const PseudoNormals normals(mesh_);
  corner_normals_.upload(narrowed(normals.corners));
  edge_normals_.upload(narrowed(normals.edges));
  sides_.upload(corners_of(normals.sides));
}

// From the leaves up: children stand behind their parents.
void DeformingSurface::fit_boxes(const TriangleMesh& m) {
  const auto grow = [](Bounds& box, const Vec3d& low, const Vec3d& high) {
    for (int a = 0; a < 3; ++a)
      box.min[a] = std::min(box.min[a], low[a]), box.max[a] = std::max(box.max[a], high[a]);
  };
  for (std::size_t k = tree_.size(); k-- > 0;) {
    TriangleTree::Node& node = tree_[k];
    node.box = {{{infinity, infinity, infinity}}, {{-infinity, -infinity, -infinity}}};
    for (int t = node.first; t < node.first + node.count; ++t)
      for (const std::int32_t c : m.triangles[std::size_t(t)])
        grow(node.box, m.vertices[std::size_t(c)], m.vertices[std::size_t(c)]);
    if (node.count > 0) continue;
    for (const std::size_t child : {k + 1, std::size_t(node.first)})
      grow(node.box, tree_[child].box.min, tree_[child].box.max);
  }
}

}  // namespace rtsim
