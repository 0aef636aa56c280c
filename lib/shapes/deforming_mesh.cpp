#include "shapes/deforming_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/numbered_files.h"
#include "shapes/mesh_shape.h"
#include "shapes/rotation.h"
#include "shapes/weld.h"

namespace rtsim {

namespace {

[[noreturn]] void fault(const std::string& file, const std::string& why) {
  throw Error(ExitCode::bad_input, file + ": " + why);
}

double size_of(const std::vector<Vec3d>& points) {
  double most = 0;
  for (const Vec3d& x : points) most = std::max(most, norm(x - points[0]));
  return most;
}

}  // namespace

void describe(Describe& d, DeformationSpec& s) {
  d.required(
      "frames", s.frames,
      "OBJ, PLY or STL files with the triangles of the shape's mesh, # for the digits of "
      "their numbers: `bird_####.obj`. `rtsim convert --to ply` writes them for cloth, "
      "solids and bodies of another run. Of a shape that is a `volume` they are `.vdb` files, "
      "whose surfaces may part and join.");
  d.required("fps", s.fps, "1/s", above(0),
             "Frames a second, by their numbers: 0, 5, 10 are 5 / fps apart. Corners move on "
             "straight lines in between.");
  d("start", s.start, "s", any(),
    "Time of the first frame, which the mesh keeps until then; the last one stays.");
}

void describe_deformation(Describe& d, std::optional<DeformationSpec>& s, const ShapeSpec* shape,
                          const char* doc) {
  d.nested("deformation", s, doc);
  if (!s || (shape && (shape->mesh || shape->volume))) return;
  d.fault("deformation",
          "moves the corners of a mesh, so the shape must be one: \"shape\": { \"mesh\": "
          "{ \"file\": ... } } with the same triangles as the frames, or a \"volume\" with frames "
          "of .vdb");
}

DeformingMesh::DeformingMesh(const ShapeSpec& rest, const DeformationSpec& s)
    : AnimatedShape(rest.inside),
      transform_(rest.transform),
      rest_file_(rest.mesh->file.path),
      start_(s.start),
      rate_(s.fps) {
  raw_ = read_mesh(std::filesystem::path(rest_file_));
  rest_ = weld(raw_, corner_);
  if (open_edges(rest_) == 0 && enclosed_volume(rest_) < 0) turn_triangles(rest_);
  if (const std::string why = why_no_sequence(s.frames.pattern); !why.empty())
    fault(s.frames.pattern, why);
  const std::vector<NumberedFile> files = numbered_files(s.frames.pattern);
  for (const NumberedFile& f : files) add_frame(f.path, read_mesh(std::filesystem::path(f.path)));
  place(rest_.vertices);
  first_file_ = std::filesystem::path(files.front().path).filename().string();
  last_file_ = std::filesystem::path(files.back().path).filename().string();
  interval_ = files.size() > 1 ? double(files[1].number - files[0].number) / rate_ : 0;
}

void DeformingMesh::add_frame(const std::string& file, const TriangleMesh& raw) {
  if (raw.vertices.size() != raw_.vertices.size() || raw.triangles.size() != raw_.triangles.size())
    fault(file, fmt::format("has {} corners and {} triangles, and the shape's mesh {} has {} and "
                            "{}; a mesh deforms with the same triangles in all frames",
                            raw.vertices.size(), raw.triangles.size(), rest_file_,
                            raw_.vertices.size(), raw_.triangles.size()));
  for (std::size_t t = 0; t < raw.triangles.size(); ++t)
    if (raw.triangles[t] != raw_.triangles[t])
      fault(file, fmt::format("its triangle {} joins other corners than that of the shape's mesh "
                              "{}; a mesh deforms with the same triangles in all frames",
                              t + 1, rest_file_));
  TriangleMesh frame{std::vector<Vec3d>(rest_.vertices.size()), rest_.triangles};
  std::vector<std::int32_t> from(rest_.vertices.size(), -1);
  const double close = 1e-6 * size_of(raw.vertices);
  for (std::size_t i = 0; i < corner_.size(); ++i) {
    const auto c = std::size_t(corner_[i]);
    if (from[c] < 0) frame.vertices[c] = raw.vertices[i], from[c] = std::int32_t(i);
    if (norm(raw.vertices[i] - frame.vertices[c]) > close)
      fault(file, fmt::format("its corners {} and {} are apart, and at one place in the shape's "
                              "mesh {}; the surface must not open",
                              from[c] + 1, i + 1, rest_file_));
  }
  if (open_edges(rest_) == 0 && !(enclosed_volume(frame) > 0))
    fault(file, "the mesh is turned inside out, and was not in " + rest_file_);
  place(frame.vertices);
  frames_.push_back(std::move(frame.vertices));
}

void DeformingMesh::place(std::vector<Vec3d>& points) const {
  const Rotation r = rotation_about(transform_.axis, transform_.angle * pi / 180);
  for (Vec3d& x : points) x = transform_.translate + transform_.scale * r.apply(x);
}

DeformingMesh::Moment DeformingMesh::moment(double time) const {
  const double last = double(frames_.size()) - 1;
  const double s = interval_ > 0 ? std::clamp((time - start_) / interval_, 0.0, last) : 0;
  const auto next = std::size_t(std::ceil(s)), from = next > 0 ? next - 1 : 0;
  return {from, next, next > from ? s - double(from) : 0,
          interval_ > 0 && s > 0 && time <= start_ + last * interval_};
}

Vec3d DeformingMesh::corner(const Moment& m, std::size_t i) const {
  return frames_[m.from][i] + m.part * (frames_[m.next][i] - frames_[m.from][i]);
}

AnimatedShape::State DeformingMesh::arriving(double time, double dt) const {
  const Moment now = moment(time), earlier = moment(time - dt);
  const double rate = dt > 0 ? 1 / dt : now.moves ? 1 / interval_ : 0;
  State state;
  for (std::size_t i = 0; i < rest_.vertices.size(); ++i) {
    const Vec3d own = corner(now, i);
    const Vec3d way =
        dt > 0 ? own - corner(earlier, i) : frames_[now.next][i] - frames_[now.from][i];
    state.position.push_back(own);
    state.velocity.push_back(rate * way);
  }
  return state;
}

std::vector<double> DeformingMesh::moments() const {
  std::vector<double> all;
  for (std::size_t k = 0; k < frames_.size(); ++k) all.push_back(start_ + double(k) * interval_);
  return all;
}

double DeformingMesh::greatest_speed() const {
  double longest = 0;
  for (std::size_t k = 1; k < frames_.size(); ++k)
    for (std::size_t i = 0; i < rest_.vertices.size(); ++i)
      longest = std::max(longest, norm(frames_[k][i] - frames_[k - 1][i]));
  return interval_ > 0 ? longest / interval_ : 0;
}

std::unique_ptr<Shape> DeformingMesh::shape_at(double time) const {
  return solid({at(time).position, rest_.triangles});
}

SurfaceInMotion DeformingMesh::leaving(double end, double dt) const {
  State now = at(end, {}, dt);
  for (std::size_t i = 0; i < now.position.size(); ++i)
    now.position[i] = now.position[i] - dt * now.velocity[i];
  return {end - dt, {std::move(now.position), rest_.triangles}, std::move(now.velocity)};
}

std::unique_ptr<Shape> DeformingMesh::shape_of(const SurfaceInMotion& s) const {
  return solid(s.surface);
}

double DeformingMesh::greatest_stretch() const {
  double most = 0;
  const auto length = [](const std::vector<Vec3d>& x, std::int32_t a, std::int32_t b) {
    return norm(x[std::size_t(a)] - x[std::size_t(b)]);
  };
  for (const std::vector<Vec3d>& frame : frames_)
    for (const auto& [a, b, c] : rest_.triangles)
      for (const auto& [i, j] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)})
        most = std::max(most, length(frame, i, j) / length(rest_.vertices, i, j));
  return most;
}

std::string DeformingMesh::tell() const {
  const double end = start_ + double(frames_.size() - 1) * interval_;
  return fmt::format(
      "{} frames, {} to {}, {:.6g} s apart from {:.6g} to {:.6g} s; {} corners, {} triangles, "
      "{:.3g} MB",
      frames_.size(), first_file_, last_file_, interval_, start_, end, rest_.vertices.size(),
      rest_.triangles.size(),
      double(frames_.size() * rest_.vertices.size() * sizeof(Vec3d)) * 1e-6);
}

}  // namespace rtsim
