#pragma once
#include <vector>

#include "shapes/pseudonormals.h"
#include "shapes/rotation.h"
#include "shapes/shape.h"

namespace rtsim {

// One solid, which pushes its signed distance, or an operation on the distances pushed last.
struct ShapePart {
  enum class Kind {
    box,        // from a to b
    plane,      // through a, with the normal b
    capsule,    // from a to b
    cylinder,   // from a to b
    ellipsoid,  // about a, with the radii b
    polygon,    // in the plane
    mesh,
    inside_out,  // takes one, pushes its negative
    least,       // takes two: union
    greatest     // takes two: intersection
  };
  Kind kind;
  Vec3d a{}, b{};
  double radius = 0;                   // [m]
  const TriangleTree* tree = nullptr;  // of a mesh; only while the shape lives
  std::vector<Vec3d> corners = {};     // of a polygon
  PseudoNormals normals = {};          // none: an open mesh, whose distance has no sign
  // Of a solid: x = translation + scale rotation (own x).
  Rotation rotation = {};
  Vec3d translation = {};
  double scale = 1;
};

// A shape as parts in postfix order, for code that measures distances where no Shape is: in
// kernels.
class ShapeParts {
 public:
  explicit ShapeParts(const Shape& shape) { shape.write(*this); }

  void add(ShapePart);
  // What `write` adds is placed so: x = translation + scale rotation (own x).
  template <class Write>
  void within(const Rotation& rotation, const Vec3d& translation, double scale,
              const Write& write) {
    const Rotation outer = rotation_;
    const Vec3d shift = translation_;
    const double size = scale_;
    translation_ = shift + size * outer.apply(translation);
    rotation_ = product(outer, rotation);
    scale_ = size * scale;
    write();
    rotation_ = outer, translation_ = shift, scale_ = size;
  }

  const std::vector<ShapePart>& list() const { return list_; }

 private:
  std::vector<ShapePart> list_;
  Rotation rotation_;
  Vec3d translation_;
  double scale_ = 1;
};

}  // namespace rtsim
