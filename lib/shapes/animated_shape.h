#pragma once
#include <memory>
#include <string>
#include <vector>

#include "shapes/mesh_file.h"
#include "shapes/shape.h"

namespace rtsim {

struct DeformationSpec;

// Where a surface is at a time, and how fast its corners go.
struct SurfaceInMotion {
  double time = 0;  // [s]
  TriangleMesh surface;
  std::vector<Vec3d> velocity;  // [m/s]

  bool operator==(const SurfaceInMotion& b) const {
    return surface.vertices == b.surface.vertices && surface.triangles == b.surface.triangles &&
           velocity == b.velocity;
  }
};

// A solid that changes by the frames of an animation, before the motion that it has besides. A
// function of the time, so it needs no state.
class AnimatedShape {
 public:
  virtual ~AnimatedShape() = default;

  virtual std::vector<double> moments() const = 0;  // [s] of the frames
  virtual std::unique_ptr<Shape> shape_at(double time) const = 0;
  // At the start of a step, with the velocities of the way to its end. Without a dt those are of
  // the frames around the time.
  virtual SurfaceInMotion leaving(double end, double dt) const = 0;
  virtual std::unique_ptr<Shape> shape_of(const SurfaceInMotion&) const = 0;
  // What frames too far apart do; empty where none are.
  virtual std::string warning() const { return {}; }
};

// By frames of a mesh, or of a volume.
std::unique_ptr<const AnimatedShape> make_animated_shape(const ShapeSpec&, const DeformationSpec&);

}  // namespace rtsim
