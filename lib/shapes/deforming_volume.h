#pragma once
#include <memory>
#include <string>
#include <vector>

#include "shapes/animated_shape.h"
#include "shapes/deforming_mesh.h"

namespace rtsim {

// A solid by volumes, a file for each frame, whose surfaces need not have anything in common.
// Between two frames its signed distance is that of both, each with its share of the time: d = (1 -
// s) d0 + s d1. So it is 1-Lipschitz, nowhere larger than the distance, and lies within the bounds
// of both with the same shares. What is shifted by more than it is thick vanishes in between and
// comes back: then there is a warning.
class DeformingVolume final : public AnimatedShape {
 public:
  // Throws Error{bad_input}, with the file's name, for frames that have no surface.
  DeformingVolume(const ShapeSpec&, const DeformationSpec&);

  std::vector<double> moments() const override;
  std::unique_ptr<Shape> shape_at(double time) const override;
  // The surface of the frame before, carried along with the part of the way that is gone.
  SurfaceInMotion leaving(double end, double dt) const override;
  std::unique_ptr<Shape> shape_of(const SurfaceInMotion& s) const override {
    return shape_at(s.time);
  }
  std::string warning() const override { return warning_; }

  // Of the frames, each carried along until the next.
  std::size_t surfaces() const override { return frames_.size(); }
  const TriangleMesh& surface(std::size_t k) const override { return frames_[k].surface; }
  std::size_t surface_in(double end, double dt) const override {
    return std::size_t(frames_at(end - dt));
  }
  double greatest_speed() const override;
  double greatest_stretch() const override;  // of a frame on the whole: the root of its area's
  std::string tell() const override;

 protected:
  State arriving(double end, double dt) const override;

 private:
  struct Frame {
    std::string file;  // its name alone
    TriangleMesh surface;
    std::shared_ptr<const Shape> shape;
    std::vector<Vec3d> way;  // [m] of the surface's corners to the next frame
  };

  void add_frame(const ShapeSpec&, const std::string& file);
  void find_ways(std::size_t k);
  void look_for_parted(const Frame& from, const Frame& to);
  double frames_at(double time) const;  // so many after the first

  std::vector<Frame> frames_;
  std::string warning_;
  double start_, interval_;  // [s]
};

}  // namespace rtsim
