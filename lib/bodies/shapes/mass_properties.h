#pragma once
#include <array>
#include <vector>

#include "shapes/mesh_file.h"
#include "shapes/rotation.h"

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

}  // namespace rtsim
