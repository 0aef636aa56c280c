#pragma once
#include <array>
#include <memory>

#include "bodies/body_spec.h"
#include "shapes/shape.h"

namespace rtsim {

// What a body fills of space, not the convex parts that it touches with: a shape in a frame of its
// own, in which the body's frame (bodies/shapes/body_shape.h) stands at `position`, turned by
// `orientation`.
struct BodySolid {
  std::unique_ptr<Shape> shape;
  Vec3d position;                     // [m]
  std::array<double, 4> orientation;  // (x, y, z, w)

  // A place of the shape's frame in the body's.
  Vec3d in_body(const Vec3d&) const;
};

BodySolid solid_of_body(const BodySpec&, int dim);

}  // namespace rtsim
