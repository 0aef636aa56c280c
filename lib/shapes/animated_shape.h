#pragma once
#include <memory>
#include <string>
#include <vector>

#include "shapes/mesh_file.h"
#include "shapes/motion.h"
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
// function of the time, so it needs no state. One surface after the other is carried along, each
// with triangles of its own: how many there are is the frames' matter.
class AnimatedShape {
 public:
  virtual ~AnimatedShape() = default;

  virtual std::vector<double> moments() const = 0;  // [s] of the frames
  virtual std::unique_ptr<Shape> shape_at(double time) const = 0;
  // At the start of a step, with the velocities of the way to its end. Without a dt those are of
  // the frames around the time.
  virtual SurfaceInMotion leaving(double end, double dt) const = 0;
  virtual std::unique_ptr<Shape> shape_of(const SurfaceInMotion&) const = 0;

  // The surfaces as they are before they are carried, and which of them it is in such a step.
  virtual std::size_t surfaces() const = 0;
  virtual const TriangleMesh& surface(std::size_t) const = 0;
  virtual std::size_t surface_in(double end, double dt) const = 0;
  bool inside_out() const { return inside_out_; }
  // What of its triangles is a solid.
  std::unique_ptr<Shape> solid(TriangleMesh) const;

  struct State {
    std::vector<Vec3d> position, velocity;  // [m], [m/s] of the corners
  };
  // Of that surface at the end of the step, with the motion that the shape has besides. Velocities
  // are those of the way since dt earlier, so that a step of dt moves what is near as far as the
  // surface goes, frames or not; without a dt they are those of the frames around.
  State at(double time, const MotionSpec& = {}, double dt = 0) const;
  // The solid as what is carried has it.
  std::unique_ptr<Shape> standing(double time, const MotionSpec&) const;

  // The fastest of any corner on its way from one frame to the next [m/s].
  virtual double greatest_speed() const = 0;
  // Of an edge, as it is carried, over its length before.
  virtual double greatest_stretch() const = 0;
  // "31 frames, bird_0000.obj to bird_0030.obj, 0.0416667 s apart from 0 to 1.25 s; 642 corners,
  // ..."
  virtual std::string tell() const = 0;
  // What frames too far apart do; empty where none are.
  virtual std::string warning() const { return {}; }

 protected:
  explicit AnimatedShape(bool inside_out) : inside_out_(inside_out) {}
  // at() without a motion.
  virtual State arriving(double end, double dt) const = 0;

 private:
  bool inside_out_;
};

// By frames of a mesh, or of a volume.
std::unique_ptr<const AnimatedShape> make_animated_shape(const ShapeSpec&, const DeformationSpec&);

}  // namespace rtsim
