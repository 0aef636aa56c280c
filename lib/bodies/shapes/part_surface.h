#pragma once
#include <cstdint>
#include <vector>

#include "bodies/shapes/body_shape.h"
#include "shapes/mesh_file.h"
#include "world/world.h"

namespace rtsim {

// Triangles of what a part looks like, in the plane of its area; round ones to about 2 %.
TriangleMesh surface_of(const ConvexPart&, int dim);

// Appends the triangles.
void append(TriangleMesh& to, const TriangleMesh&);

// Points on an ellipsoid, or ellipse, about the origin.
std::vector<Vec3d> points_of_ellipsoid(const Vec3d& radii, int dim);

// The triangles of all bodies of an object, where they are.
struct PosedSurface {
  std::vector<Real> points;             // [m] x, y, z of one after the other
  std::vector<std::int32_t> triangles;  // corners of one after the other
  std::vector<std::int32_t> body;       // the row each belongs to
};
PosedSurface posed_surface(World&, const Object&);
std::size_t bytes_of_surface(World&, const Object&);

}  // namespace rtsim
