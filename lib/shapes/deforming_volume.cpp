#include "shapes/deforming_volume.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/numbered_files.h"
#include "shapes/mesh_shape.h"
#include "shapes/placed.h"
#include "shapes/pseudonormals.h"
#include "shapes/rotation.h"
#include "shapes/surface_motion.h"

namespace rtsim {

namespace {

class BlendedShape final : public Shape {
 public:
  BlendedShape(std::shared_ptr<const Shape> a, std::shared_ptr<const Shape> b, double share)
      : a_(std::move(a)), b_(std::move(b)), share_(share) {}

  double distance(const Vec3d& x) const override {
    return (1 - share_) * a_->distance(x) + share_ * b_->distance(x);
  }
  // The distance from a solid is nowhere less than that from a plane which it does not cross, and
  // this holds for the blend and the blended plane.
  Bounds bounds() const override { return blended(a_->bounds(), b_->bounds()); }
  Bounds surface_bounds() const override {
    return blended(a_->surface_bounds(), b_->surface_bounds());
  }

 private:
  Bounds blended(const Bounds& a, const Bounds& b) const {
    return {(1 - share_) * a.min + share_ * b.min, (1 - share_) * a.max + share_ * b.max};
  }

  std::shared_ptr<const Shape> a_, b_;
  double share_;
};

std::vector<Vec3d> unit_normals(const TriangleMesh& m) {
  std::vector<Vec3d> n = PseudoNormals(m).corners;
  for (Vec3d& v : n)
    if (norm(v) > 0) v = (1 / norm(v)) * v;
  return n;
}

}  // namespace

DeformingVolume::DeformingVolume(const ShapeSpec& shape, const DeformationSpec& s)
    : inside_out_(shape.inside), start_(s.start), interval_(1 / s.fps) {
  if (const std::string why = why_no_sequence(s.frames.pattern); !why.empty())
    throw Error(ExitCode::bad_input, s.frames.pattern + ": " + why);
  const std::vector<NumberedFile> files = numbered_files(s.frames.pattern);
  for (const NumberedFile& f : files) add_frame(shape, f.path);
  if (files.size() > 1) interval_ *= double(files[1].number - files[0].number);
  for (std::size_t k = 0; k + 1 < frames_.size(); ++k) {
    find_ways(k);
    look_for_parted(frames_[k], frames_[k + 1]);
    look_for_parted(frames_[k + 1], frames_[k]);
  }
  frames_.back().way.resize(frames_.back().surface.vertices.size());
}

void DeformingVolume::add_frame(const ShapeSpec& shape, const std::string& file) {
  ShapeSpec own = shape;
  own.volume->file.path = file;
  Frame f{std::filesystem::path(file).filename().string(), read_surface(own), {}, {}};
  const TransformSpec& t = shape.transform;
  const Rotation r = rotation_about(t.axis, t.angle * pi / 180);
  for (Vec3d& x : f.surface.vertices) x = t.translate + t.scale * r.apply(x);
  if (enclosed_volume(f.surface) < 0) turn_triangles(f.surface);
  std::unique_ptr<Shape> solid = make_mesh_shape(f.surface);
  if (!solid->closed()) throw Error(ExitCode::bad_input, file + ": its surface is not closed");
  f.shape = shape.inside ? make_inside_out(std::move(solid)) : std::move(solid);
  frames_.push_back(std::move(f));
}

// Along the normals the surface goes by the distance of the next frame; what it does along itself
// is not seen, and is taken from the motion of the whole.
void DeformingVolume::find_ways(std::size_t k) {
  Frame& f = frames_[k];
  const std::vector<Vec3d> normals = unit_normals(f.surface);
  std::vector<double> along;
  for (const Vec3d& x : f.surface.vertices)
    along.push_back((inside_out_ ? 1 : -1) * frames_[k + 1].shape->distance(x));
  f.way = motion_of_surface(f.surface, normals, along);
}

// Where a surface goes inwards by more than the solid is thick there, nothing of it is left in
// between.
void DeformingVolume::look_for_parted(const Frame& from, const Frame& to) {
  if (!warning_.empty()) return;
  std::vector<Vec3d> normals = unit_normals(from.surface);  // out of the solid
  if (inside_out_)
    for (Vec3d& n : normals) n = -n;
  std::size_t parted = 0;
  double farthest = 0;
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const Vec3d& x = from.surface.vertices[i];
    const double way = to.shape->distance(x);
    if (!(way > 0) || from.shape->distance(x - way * normals[i]) <= 0) continue;
    ++parted, farthest = std::max(farthest, way);
  }
  if (100 * parted < normals.size()) return;
  warning_ = fmt::format(
      "from frame {} to {} parts move by up to {:.3g} m, more than they are thick, so they vanish "
      "and come back in between; write more frames a second",
      std::min(from.file, to.file), std::max(from.file, to.file), farthest);
}

double DeformingVolume::frames_at(double time) const {
  return std::clamp((time - start_) / interval_, 0.0, double(frames_.size()) - 1);
}

std::vector<double> DeformingVolume::moments() const {
  std::vector<double> times;
  for (std::size_t k = 0; k < frames_.size(); ++k) times.push_back(start_ + double(k) * interval_);
  return times;
}

std::unique_ptr<Shape> DeformingVolume::shape_at(double time) const {
  const double s = frames_at(time);
  const auto k = std::size_t(s);
  const std::size_t next = std::min(k + 1, frames_.size() - 1);
  return std::make_unique<BlendedShape>(frames_[k].shape, frames_[next].shape, s - double(k));
}

SurfaceInMotion DeformingVolume::leaving(double end, double dt) const {
  const double s = frames_at(end - dt);
  const auto k = std::size_t(s);
  // A step that ends behind the last frame, or begins before the first, goes a part of its way.
  const double rate = dt > 0 ? std::min((frames_at(end) - s) / dt, 1 / interval_) : 1 / interval_;
  const Frame& f = frames_[k];
  SurfaceInMotion m{end - dt, f.surface, f.way};
  for (std::size_t i = 0; i < f.way.size(); ++i) {
    m.surface.vertices[i] = m.surface.vertices[i] + (s - double(k)) * f.way[i];
    m.velocity[i] = rate * f.way[i];
  }
  return m;
}

std::unique_ptr<const AnimatedShape> make_animated_shape(const ShapeSpec& shape,
                                                         const DeformationSpec& s) {
  if (shape.volume) return std::make_unique<const DeformingVolume>(shape, s);
  return std::make_unique<const DeformingMesh>(shape, s);
}

}  // namespace rtsim
