#pragma once
#include "bodies/shapes/body_shape.h"
#include "shapes/mesh_file.h"

namespace rtsim {

// Triangles of what a part looks like, in the plane of its area; round ones to about 2 %.
TriangleMesh surface_of(const ConvexPart&, int dim);

// Appends the triangles.
void append(TriangleMesh& to, const TriangleMesh&);

// Points on an ellipsoid, or ellipse, about the origin.
std::vector<Vec3d> points_of_ellipsoid(const Vec3d& radii, int dim);

}  // namespace rtsim
