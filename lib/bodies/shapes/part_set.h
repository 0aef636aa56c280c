#pragma once
#include <string>
#include <vector>

#include "bodies/shapes/boundary_parts.h"
#include "exec/buffer.h"
#include "rigid/shapes/half_space.h"
#include "rigid/shapes/part.h"
#include "shapes/shape_parts.h"

namespace rtsim {

// The triangles of a boundary's mesh, and the tree that finds those in a box. An open mesh has
// both sides of each.
struct MeshParts {
  std::vector<TriangleTree::Node> nodes;
  Rotation rotation;
  Vec3d translation;
  double scale;
  Index first_part = 0;             // of the set
  Index inside = -1;                // the part for bodies that are inside of what it bounds
  int sides = 1;                    // parts a triangle
  std::vector<std::uint8_t> taken;  // none: all; of a height map those that are not its rim's

  struct Side {
    Vec3d corner[3];
    int open;  // bits of its edges that stick out
  };
  std::vector<Side> triangles;  // placed in the world; only while parts are made

  MeshParts(const ShapePart& mesh, const ShapePart* within);
  // Parts whose boxes meet a box of the boundary's frame.
  template <class Visit>
  void visit(const Vec3d& low, const Vec3d& high, const Visit&) const;
};

template <class Visit>
void MeshParts::visit(const Vec3d& low, const Vec3d& high, const Visit& visit) const {
  Vec3d from = rotation.apply_inverse(low - translation), to = from;
  for (int k = 1; k < 8; ++k) {
    const Vec3d x{{k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]}};
    const Vec3d own = rotation.apply_inverse(x - translation);
    for (int a = 0; a < 3; ++a)
      from[a] = own[a] < from[a] ? own[a] : from[a], to[a] = own[a] > to[a] ? own[a] : to[a];
  }
  from = (1 / scale) * from, to = (1 / scale) * to;
  std::vector<int> waiting{0};
  while (!waiting.empty()) {
    const int at = waiting.back();
    waiting.pop_back();
    const TriangleTree::Node& n = nodes[std::size_t(at)];
    bool meets = true;
    for (int a = 0; a < 3; ++a) meets = meets && n.box.min[a] <= to[a] && n.box.max[a] >= from[a];
    if (!meets) continue;
    if (n.count == 0) {
      waiting.push_back(n.first), waiting.push_back(at + 1);
      continue;
    }
    for (int t = n.first; t < n.first + n.count; ++t)
      if (taken.empty() || taken[std::size_t(t)])
        for (int s = 0; s < sides; ++s) visit(first_part + sides * t + s);
  }
}

// Collects the geometry that bodies and boundaries touch with, for kernels.
template <int D>
class PartSet {
 public:
  explicit PartSet(const Exec& ex);

  // The parts of a body's shape; returns the first's number.
  Index add(const BodyShape&);
  // Those of a boundary, in the world's frame at time zero.
  // `solid` is for bodies whose centre is inside of a mesh.
  std::vector<rigid::Item> add(Index body, const BoundaryParts&, Index solid);
  // One that is known by its signed distance.
  void add_field(Index solid);
  Index size() const { return Index(parts_.size()); }
  const std::vector<rigid::Part<D>>& list() const { return parts_; }
  // What a part of the kind plane is, in its boundary's frame.
  rigid::HalfSpace<D> plane(Index part) const {
    const rigid::Part<D>& p = parts_[std::size_t(part)];
    return {points_[std::size_t(p.first_point)], p.axes[0]};
  }

  // In the order of the parts that stand for them.
  const std::vector<MeshParts>& meshes() const { return meshes_; }

  void upload();
  rigid::Parts<D> view() const;

 private:
  void add(const ConvexPart&);
  double inner(const ConvexPart&, const std::vector<Vec3d>& points) const;
  void add_triangle(const MeshParts::Side&);
  void add_mesh(MeshParts, Index solid);
  void add_plane(const Vec3d& point, const Vec3d& normal);
  void add_faces(const ConvexPart&, rigid::Part<D>&);

  std::vector<rigid::Part<D>> parts_;
  std::vector<MeshParts> meshes_;
  std::vector<Vec<D>> points_, normals_;
  std::vector<rigid::PartFace> faces_;
  std::vector<rigid::PartCorner> corners_;
  std::vector<rigid::PartEdge> edges_;

  Buffer<rigid::Part<D>> kept_parts_;
  Buffer<Vec<D>> kept_points_, kept_normals_;
  Buffer<rigid::PartFace> kept_faces_;
  Buffer<rigid::PartCorner> kept_corners_;
  Buffer<rigid::PartEdge> kept_edges_;
};

}  // namespace rtsim
