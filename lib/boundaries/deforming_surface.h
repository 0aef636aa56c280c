#pragma once
#include <string>
#include <vector>

#include "contact/box_tree.h"
#include "exec/buffer.h"
#include "shapes/triangle_tree.h"
#include "world/world.h"

namespace rtsim {

// A surface that deforms as kernels measure distances from it, where its corners are: those of a
// boundary (corner_table()), or rows of a table with the columns `position` [m] and `velocity`
// [m/s]. The boxes over its triangles are those of the mesh before it is carried, fitted anew.
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
  DeformingSurface(World&, std::string table, std::string faces, bool inside_out);
  void take(const TriangleMesh& own);
  void take_faces(World&);
  void fit_boxes(const TriangleMesh&);

  std::string table_;
  std::string faces_;           // table of its triangles; none: they stay
  std::uint64_t revision_ = 0;  // of that table
  bool closed_ = false, inside_out_;
  TriangleMesh mesh_;  // in the order of the tree
  std::vector<TriangleTree::Node> tree_;
  Buffer<contact::BoxNode> nodes_;
  Buffer<Vec<3>> vertices_, velocity_, corner_normals_, edge_normals_;
  Buffer<contact::Corners3> triangles_, sides_;
};

}  // namespace rtsim
