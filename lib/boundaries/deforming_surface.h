#pragma once
#include <string>
#include <vector>

#include "contact/box_tree.h"
#include "exec/buffer.h"
#include "shapes/deforming_mesh.h"
#include "shapes/triangle_tree.h"
#include "world/world.h"

namespace rtsim {

// A surface that deforms as kernels measure distances from it, where its corners are: those of a
// boundary (corner_table()), or rows of a table with the columns `position` [m] and `velocity`
// [m/s]. The boxes over its triangles are those of the mesh at rest, fitted anew.
class DeformingSurface {
 public:
  DeformingSurface(World&, const Object& boundary);
  DeformingSurface(World&, const std::string& table, const TriangleMesh& rest,
                   bool inside_out = false);

  // So many seconds before the end of the step, by the velocities there.
  void update(World&, double before_end);

  contact::SurfaceMesh view() const {
    return {nodes_.span(), vertices_.span(),       triangles_.span(),
            sides_.span(), corner_normals_.span(), edge_normals_.span()};
  }
  Span<const Vec<3>> velocity() const { return velocity_.span(); }  // [m/s] of the corners
  bool inside_out() const { return inside_out_; }  // the solid is what lies outside
  Bounds bounds() const { return tree_[0].box; }

 private:
  void fit_boxes(const TriangleMesh&);

  std::string table_;
  bool closed_, inside_out_;
  TriangleMesh mesh_;  // in the order of the tree
  std::vector<TriangleTree::Node> tree_;
  Buffer<contact::BoxNode> nodes_;
  Buffer<Vec<3>> vertices_, velocity_, corner_normals_, edge_normals_;
  Buffer<contact::Corners3> triangles_, sides_;
};

}  // namespace rtsim
