#pragma once
#include <vector>

#include "base/nearest_on_triangle.h"
#include "shapes/mesh_file.h"
#include "shapes/shape.h"

namespace rtsim {

struct NearestPoint {
  double distance;  // [m]
  Vec3d point;
  int triangle;
  TriangleFeature feature;
};

// Finds the nearest point of a mesh: a hierarchy of boxes over its triangles, halved at the median
// of the longest side, searched nearer box first. Keeps the mesh, its triangles reordered.
class TriangleTree {
 public:
  // A leaf holds triangles [first, first + count); an inner node (count 0) is followed by one child
  // and has its other at `first`.
  struct Node {
    Bounds box;
    int first, count;
  };

  explicit TriangleTree(TriangleMesh);  // at least one triangle

  NearestPoint nearest(const Vec3d& x) const;
  const TriangleMesh& mesh() const { return mesh_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  Bounds bounds() const { return nodes_[0].box; }

 private:
  void grow(std::vector<int>& order, const std::vector<Vec3d>& centres, int first, int count);
  Bounds box_of(const std::vector<int>& order, int first, int count) const;
  void nearest_in_leaf(const Node&, const Vec3d& x, NearestPoint&) const;

  TriangleMesh mesh_;
  std::vector<Node> nodes_;
};

}  // namespace rtsim
