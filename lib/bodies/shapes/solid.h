#pragma once
#include "bodies/shapes/body_shape.h"
#include "bodies/shapes/mass_properties.h"
#include "shapes/shape.h"

namespace rtsim {

// A body's geometry before its centre of mass and its axes are known.
struct Solid {
  std::vector<ConvexPart> parts;
  TriangleMesh surface;
  Moments moments;
  double added = 0;  // [m^D] that its parts hold beyond it, as hulls of what is not convex
};

// What has no closed form touches with at most so many convex parts, of at most so many corners
// each in space; one is the convex hull.
struct Hulls {
  int corners = 64, parts = 1;
};

// In the shape's own frame, before its transform. Throws Error{bad_input} for
// shapes without bounds, meshes that are open or hold no volume, and differences.
Solid make_solid(const ShapeSpec&, int dim, const Hulls&);

// The hull of points.
Solid make_hull(const std::vector<Vec3d>& points, int dim, int hull_corners);
// What touches with the hull of a mesh, in space: it weighs what the mesh does where that is
// closed, else what the hull does.
Solid make_hull(const FileName& mesh, int hull_corners);

// x -> shift + rotation (scale x).
void place(Solid&, const Rotation&, const Vec3d& shift, double scale, int dim);
Rotation rotation_of(const TransformSpec&, int dim);

}  // namespace rtsim
