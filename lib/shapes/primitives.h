#pragma once
#include <memory>

#include "shapes/shape.h"

namespace rtsim {

// Closed forms. In 2D (dim = 2) a sphere is a disc, a cylinder a rectangle, an ellipsoid an
// ellipse; components past dim are ignored.
std::unique_ptr<Shape> make_box(const BoxSpec&, int dim);
std::unique_ptr<Shape> make_sphere(const SphereSpec&, int dim);
std::unique_ptr<Shape> make_plane(const PlaneSpec&, int dim);
std::unique_ptr<Shape> make_capsule(const CapsuleSpec&, int dim);
std::unique_ptr<Shape> make_cylinder(const CylinderSpec&, int dim);
std::unique_ptr<Shape> make_ellipsoid(const EllipsoidSpec&, int dim);
std::unique_ptr<Shape> make_polygon(const PolygonSpec&);

}  // namespace rtsim
