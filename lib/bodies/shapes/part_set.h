#pragma once
#include <string>
#include <vector>

#include "bodies/shapes/boundary_parts.h"
#include "bodies/shapes/mesh_parts.h"
#include "exec/buffer.h"
#include "rigid/shapes/half_space.h"

namespace rtsim {

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
