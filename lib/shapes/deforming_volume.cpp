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

double area_of(const TriangleMesh& m) {
  double twice = 0;
  for (const auto& [a, b, c] : m.triangles) {
    const Vec3d& x = m.vertices[std::size_t(a)];
    twice += norm(cross(m.vertices[std::size_t(b)] - x, m.vertices[std::size_t(c)] - x));
  }
  return twice / 2;
}

std::vector<Vec3d> unit_normals(const TriangleMesh& m) {
  std::vector<Vec3d> n = PseudoNormals(m).corners;
  for (Vec3d& v : n)
    if (norm(v) > 0) v = (1 / norm(v)) * v;
  return n;
}

}  // namespace

DeformingVolume::DeformingVolume(const ShapeSpec& shape, const DeformationSpec& s)
    : AnimatedShape(shape.inside), start_(s.start), interval_(1 / s.fps) {
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
// is not seen, and is taken from the motion of the whole. Where it lands beside the next surface,
// as what is curved does by the square of its way, the rest is added along the normals and the
// motion is fitted anew: the iteration from points to planes (Chen & Medioni 1992), while it lands
// nearer, until that is a hundredth of a triangle's side.
void DeformingVolume::find_ways(std::size_t k) {
  constexpr int most_rounds = 5;
  Frame& f = frames_[k];
  const std::vector<Vec3d>& x = f.surface.vertices;
  const std::vector<Vec3d> normals = unit_normals(f.surface);
  const double close = 1e-4 * area_of(f.surface) / double(f.surface.triangles.size());
  std::vector<Vec3d> way(x.size());
  double nearest = infinity;
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<double> along;
    double square = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double off = (inside_out() ? 1 : -1) * frames_[k + 1].shape->distance(x[i] + way[i]);
      along.push_back(dot(way[i], normals[i]) + off);
      square += off * off / double(x.size());
    }
    if (round > 1 && !(square < nearest)) return;
    nearest = square, f.way = way;
    if (square < close) return;
    way = motion_of_surface(f.surface, normals, along);
  }
}

// Where a surface goes inwards by more than the solid is thick there, nothing of it is left in
// between.
void DeformingVolume::look_for_parted(const Frame& from, const Frame& to) {
  if (!warning_.empty()) return;
  std::vector<Vec3d> normals = unit_normals(from.surface);  // out of the solid
  if (inside_out())
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
  const double rate = dt > 0         ? std::min((frames_at(end) - s) / dt, 1 / interval_)
                      : end < start_ ? 0
                                     : 1 / interval_;
  const Frame& f = frames_[k];
  SurfaceInMotion m{end - dt, f.surface, f.way};
  for (std::size_t i = 0; i < f.way.size(); ++i) {
    m.surface.vertices[i] = m.surface.vertices[i] + (s - double(k)) * f.way[i];
    m.velocity[i] = rate * f.way[i];
  }
  return m;
}

AnimatedShape::State DeformingVolume::arriving(double end, double dt) const {
  SurfaceInMotion m = leaving(end, dt);
  for (std::size_t i = 0; i < m.velocity.size(); ++i)
    m.surface.vertices[i] = m.surface.vertices[i] + dt * m.velocity[i];
  return {std::move(m.surface.vertices), std::move(m.velocity)};
}

double DeformingVolume::greatest_speed() const {
  double longest = 0;
  for (const Frame& f : frames_)
    for (const Vec3d& way : f.way) longest = std::max(longest, norm(way));
  return longest / interval_;
}

double DeformingVolume::greatest_stretch() const {
  double most = 0;
  for (const Frame& f : frames_) {
    TriangleMesh carried = f.surface;
    for (std::size_t i = 0; i < f.way.size(); ++i)
      carried.vertices[i] = carried.vertices[i] + f.way[i];
    most = std::max(most, area_of(carried) / area_of(f.surface));
  }
  return std::sqrt(most);
}

std::string DeformingVolume::tell() const {
  const auto corners = [](const Frame& f) { return f.surface.vertices.size(); };
  const auto [least, most] = std::ranges::minmax_element(frames_, {}, corners);
  return fmt::format(
      "{} frames, {} to {}, {:.6g} s apart from {:.6g} to {:.6g} s; {} to {} corners",
      frames_.size(), frames_.front().file, frames_.back().file, interval_, start_,
      start_ + double(frames_.size() - 1) * interval_, corners(*least), corners(*most));
}

}  // namespace rtsim
