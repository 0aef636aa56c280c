#include "bodies/body_solid.h"

#include "bodies/make_bodies.h"
#include "shapes/mesh_shape.h"
#include "shapes/primitives.h"

namespace rtsim {

namespace {

std::unique_ptr<Shape> shape_of_hull(const BodyShape& b, int dim) {
  if (dim == 2) return make_polygon({b.parts[0].points});
  return make_mesh_shape({b.vertices, b.triangles});
}

}  // namespace

Vec3d BodySolid::in_body(const Vec3d& place) const {
  const Vec3d x = place - position, u{{-orientation[0], -orientation[1], -orientation[2]}};
  const Vec3d t = 2.0 * cross(u, x);
  return x + orientation[3] * t + cross(u, t);
}

// A hull's is made of what its body touches with, in the body's own frame.
BodySolid solid_of_body(const BodySpec& body, int dim) {
  BodySpec own = body;
  TransformSpec& transform = own.hull ? own.hull->transform : own.shape[0].transform;
  transform.translate = {}, transform.angle = 0;
  const PlacedBody b = place_body(own, dim);
  if (own.hull) return {shape_of_hull(b.shape, dim), {}, {0, 0, 0, 1}};
  return {make_shape(own.shape[0], dim), b.position, b.orientation};
}

}  // namespace rtsim
