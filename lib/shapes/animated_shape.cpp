#include "shapes/animated_shape.h"

#include "shapes/deforming_volume.h"
#include "shapes/mesh_shape.h"
#include "shapes/placed.h"

namespace rtsim {

std::unique_ptr<Shape> AnimatedShape::solid(TriangleMesh mesh) const {
  auto shape = make_mesh_shape(std::move(mesh));
  return inside_out_ ? make_inside_out(std::move(shape)) : std::move(shape);
}

AnimatedShape::State AnimatedShape::at(double time, const MotionSpec& motion, double dt) const {
  State state = arriving(time, dt);
  const Pose pose = pose_at(motion, time);
  for (std::size_t i = 0; i < state.position.size(); ++i) {
    const Vec3d x = pose.apply(state.position[i]), v = state.velocity[i];
    state.position[i] = x;
    state.velocity[i] = pose.velocity_at(x) +
                        Vec3d{{dot(pose.row[0], v), dot(pose.row[1], v), dot(pose.row[2], v)}};
  }
  return state;
}

std::unique_ptr<Shape> AnimatedShape::standing(double time, const MotionSpec& motion) const {
  return solid({at(time, motion).position, surface(surface_in(time, 0)).triangles});
}

std::unique_ptr<const AnimatedShape> make_animated_shape(const ShapeSpec& shape,
                                                         const DeformationSpec& s) {
  if (shape.volume) return std::make_unique<const DeformingVolume>(shape, s);
  return std::make_unique<const DeformingMesh>(shape, s);
}

}  // namespace rtsim
