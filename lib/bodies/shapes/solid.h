#pragma once
#include <array>
#include <vector>

#include "bodies/shapes/body_shape.h"
#include "shapes/mesh_file.h"
#include "shapes/rotation.h"
#include "shapes/shape.h"

namespace rtsim {

// Integrals over a solid; in the plane over an area, with nothing along z.
struct Moments {
  double volume = 0;                 // [m^D]
  Vec3d centre;                      // [m]
  std::array<Vec3d, 3> second = {};  // of (x - centre)(x - centre)^T [m^(D+2)], by rows
};

// About the origin.
Moments moments_of_box(const Vec3d& half, int dim);
Moments moments_of_ellipsoid(const Vec3d& radii, int dim);
// Of this length along x, without its round ends.
Moments moments_of_cylinder(double length, double radius, int dim);
Moments moments_of_capsule(double length, double radius, int dim);

// Exact; of a closed mesh, or outline, of the wrong sense the negative.
Moments moments_of_mesh(const TriangleMesh&);
Moments moments_of_polygon(const std::vector<Vec3d>& corners);

Moments combined(const Moments&, const Moments&);
// Of what x -> shift + rotation (scale x) makes of the solid.
Moments placed(const Moments&, const Rotation&, const Vec3d& shift, double scale, int dim);

// The axes in which the products of inertia vanish: columns of `axes` (x = centre + axes own), and
// the moments about them over mass [m^2].
struct PrincipalAxes {
  Rotation axes;  // none where they vanish already, so that a box keeps its own
  Vec3d moments;
  double thinnest;  // root mean square extent along the shortest axis over that along the longest
};
PrincipalAxes principal_axes(const Moments&, int dim);

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
