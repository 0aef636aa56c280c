#pragma once
#include "shapes/shape.h"

namespace rtsim {

// Volume [m^3] of the part of a cube that lies inside a shape. Eighths of it that the surface may
// cross are cut again, `cuts` times, and what is left there is cut by the plane that the distance
// knows: exact of flat faces, of second order of round ones and of edges.
double volume_inside(const Shape&, const Vec3d& centre, double side, int cuts = 3);

// [m^3] Of a shape with finite bounds: where it does not know it, from cubes cut by the above, to
// some 1e-3.
double shape_volume(const Shape&);

// Part of the cube |x_a| <= 1/2 in which n . x <= s, with |n| = 1.
double cube_below_plane(const Vec3d& n, double s);

}  // namespace rtsim
