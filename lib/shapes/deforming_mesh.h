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
// The key `deformation` beside a shape, which must be a mesh or a volume then.
void describe_deformation(Describe&, std::optional<DeformationSpec>&, const ShapeSpec*,
                          const char* doc);

// A mesh whose corners move from frame to frame on straight lines, and stand before the first and
// after the last. Evaluated at a time, so it needs no state.
class DeformingMesh final : public AnimatedShape {
 public:
  // Throws Error{bad_input}, with the file's name, for frames that have not the triangles of the
  // shape's mesh, or turn it inside out.
  DeformingMesh(const ShapeSpec& rest, const DeformationSpec&);

  std::vector<double> moments() const override;
  std::unique_ptr<Shape> shape_at(double time) const override;
  SurfaceInMotion leaving(double end, double dt) const override;
  std::unique_ptr<Shape> shape_of(const SurfaceInMotion&) const override;
  std::size_t surfaces() const override { return 1; }  // at rest
  const TriangleMesh& surface(std::size_t) const override { return rest_; }
  std::size_t surface_in(double, double) const override { return 0; }
  double greatest_speed() const override;
  double greatest_stretch() const override;  // in any frame, over that at rest
  std::string tell() const override;

 protected:
  State arriving(double end, double dt) const override;

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
  std::string rest_file_, first_file_, last_file_;
  TriangleMesh raw_, rest_;           // as the file has it; joined and placed
  std::vector<std::int32_t> corner_;  // of rest_, for each of raw_
  std::vector<std::vector<Vec3d>> frames_;
  double start_, interval_, rate_;  // [s], [s], [1/s]
};

}  // namespace rtsim
