#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shapes/animated_shape.h"
#include "shapes/mesh_file.h"
#include "shapes/motion.h"

namespace rtsim {

// The frames of an animation, each a file: meshes with the triangles of the shape at rest, or
// volumes.
struct DeformationSpec {
  FileSequence frames;
  double fps = 24;   // frames a second, counted by the numbers in the files' names
  double start = 0;  // [s] of the first frame
};

void describe(Describe&, DeformationSpec&);
// The key `deformation` beside a shape, which must be a mesh then, or for what takes it a volume.
void describe_deformation(Describe&, std::optional<DeformationSpec>&, const ShapeSpec*,
                          const char* doc, bool takes_volumes = false);

// A mesh whose corners move from frame to frame on straight lines, and stand before the first and
// after the last. Evaluated at a time, so it needs no state.
class DeformingMesh final : public AnimatedShape {
 public:
  // Throws Error{bad_input}, with the file's name, for frames that have not the triangles of the
  // shape's mesh, or turn it inside out.
  DeformingMesh(const ShapeSpec& rest, const DeformationSpec&);

  struct State {
    std::vector<Vec3d> position, velocity;  // [m], [m/s] of the corners
  };
  // With the motion that the shape has besides. Velocities are those of the way since dt earlier,
  // so that a step of dt moves what is near as far as the surface goes, frames or not; without a
  // dt they are those of the frames around.
  State at(double time, const MotionSpec& = {}, double dt = 0) const;
  std::vector<double> moments() const override;
  std::unique_ptr<Shape> shape_at(double time) const override;
  SurfaceInMotion leaving(double end, double dt) const override;
  std::unique_ptr<Shape> shape_of(const SurfaceInMotion&) const override;
  // The fastest of any corner on its way from one frame to the next [m/s].
  double greatest_speed() const;

  // The solid with its corners at these places.
  std::unique_ptr<Shape> shape(std::vector<Vec3d> position) const;

  const TriangleMesh& rest() const { return rest_; }
  // Of an edge in any frame over its length at rest.
  double greatest_stretch() const;
  bool inside_out() const { return inside_out_; }
  // "31 frames, bird_0000.obj to bird_0030.obj, 0.0416667 s apart from 0 to 1.25 s; 642 corners,
  // ..."
  std::string tell() const;

 private:
  void add_frame(const std::string& file, const TriangleMesh& raw);
  void place(std::vector<Vec3d>&) const;
  // Where a time is among the frames: between from and next.
  struct Moment {
    std::size_t from, next;
    double part;
    bool moves;
  };
  Moment moment(double time) const;
  Vec3d corner(const Moment&, std::size_t) const;

  TransformSpec transform_;
  bool inside_out_;
  std::string rest_file_, first_file_, last_file_;
  TriangleMesh raw_, rest_;           // as the file has it; joined and placed
  std::vector<std::int32_t> corner_;  // of rest_, for each of raw_
  std::vector<std::vector<Vec3d>> frames_;
  double start_, interval_, rate_;  // [s], [s], [1/s]
};

}  // namespace rtsim
