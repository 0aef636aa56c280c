#pragma once
#include <string>
#include <vector>

#include "bodies/body_shape.h"
#include "exec/buffer.h"
#include "rigid/part.h"
#include "shapes/shape_parts.h"

namespace rtsim {

// Collects the geometry that bodies and boundaries touch with, for kernels.
template <int D>
class PartSet {
 public:
  explicit PartSet(const Exec& ex);

  // The parts of a body's shape; returns the first's number.
  Index add(const BodyShape&);
  // The parts of a boundary, in the world's frame at time zero; returns the first's number. Throws
  // Error{bad_input} for what nothing can touch.
  Index add(const std::string& boundary, const std::vector<ShapePart>&);
  Index size() const { return Index(parts_.size()); }
  const std::vector<rigid::Part<D>>& list() const { return parts_; }

  void upload();
  rigid::Parts<D> view() const;

 private:
  void add(const ConvexPart&);
  double inner(const ConvexPart&, const std::vector<Vec3d>& points) const;
  void add_plane(const Vec3d& point, const Vec3d& normal);
  void add_faces(const ConvexPart&, rigid::Part<D>&);

  std::vector<rigid::Part<D>> parts_;
  std::vector<Vec<D>> points_;
  std::vector<rigid::PartFace> faces_;
  std::vector<rigid::PartCorner> corners_;
  std::vector<rigid::PartEdge> edges_;

  Buffer<rigid::Part<D>> kept_parts_;
  Buffer<Vec<D>> kept_points_;
  Buffer<rigid::PartFace> kept_faces_;
  Buffer<rigid::PartCorner> kept_corners_;
  Buffer<rigid::PartEdge> kept_edges_;
};

}  // namespace rtsim
