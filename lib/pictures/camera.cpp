#include "pictures/camera.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace rtsim {

void View::add(const Vec3d& x) {
  for (int a = 0; a < 3; ++a) low[a] = std::min(low[a], x[a]), high[a] = std::max(high[a], x[a]);
}

namespace {

struct Axes {
  Vec3d right, up, towards;
};

Axes axes_of(const std::string& from) {
  if (from == "front") return {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};
  if (from == "side") return {{{0, 0, -1}}, {{0, 1, 0}}, {{1, 0, 0}}};
  if (from == "top") return {{{1, 0, 0}}, {{0, 0, -1}}, {{0, 1, 0}}};
  if (from != "corner")
    throw Error(ExitCode::usage, fmt::format("--from {}: wants front, side, top or corner", from));
  const Vec3d towards{{0.40, 0.42, 0.8146}};
  const Vec3d t = 1 / norm(towards) * towards, up{{0, 1, 0}};
  const Vec3d right = cross(up, t);
  const Vec3d r = 1 / norm(right) * right;
  return {r, cross(t, r), t};
}

}  // namespace

Camera::Camera(const CameraSpec& spec, const View& view, int dim, int width, int height)
    : half_width_(0.5f * float(width)),
      half_height_(0.5f * float(height)),
      perspective_(dim == 3 && spec.from == "corner") {
  const Axes axes = axes_of(dim == 2 ? "front" : spec.from);
  right_ = in_float(axes.right), up_ = in_float(axes.up), towards_ = in_float(axes.towards);
  const Vec3d middle = view.empty() ? Vec3d{} : 0.5 * (view.low + view.high);
  centre_ = in_float(middle);
  // Half of what the corners of the box span across the screen and towards the viewer.
  Vec3d half;
  for (int corner = 0; corner < 8 && !view.empty(); ++corner) {
    Vec3d r;
    for (int a = 0; a < 3; ++a) r[a] = (corner >> a & 1 ? view.high[a] : view.low[a]) - middle[a];
    half[0] = std::max(half[0], std::abs(dot(r, axes.right)));
    half[1] = std::max(half[1], std::abs(dot(r, axes.up)));
    half[2] = std::max(half[2], std::abs(dot(r, axes.towards)));
  }
  const double room = 0.92 * spec.zoom, tiny = 1e-9 + 1e-6 * norm(half);
  const double fit = room * std::min(half_width_ / std::max(half[0], tiny),
                                     half_height_ / std::max(half[1], tiny));
  const double size = norm(half) > 0 ? norm(half) : 1;
  distance_ = float((perspective_ ? 3.2 : 2) * size);
  // What is nearest is largest, and fits.
  scale_ = float(perspective_ ? fit * (3.2 * size - half[2]) : fit);
}

void Camera::ray(float x, float y, Vec3f& from, Vec3f& along) const {
  const float s = perspective_ ? distance_ / scale_ : 1 / scale_;
  const Vec3f through = centre_ + s * ((x - half_width_) * right_ + (half_height_ - y) * up_);
  if (!perspective_) {
    along = -towards_;
    from = through + distance_ * towards_;
    return;
  }
  from = centre_ + distance_ * towards_;
  const Vec3f d = through - from;
  along = 1 / norm(d) * d;
}

}  // namespace rtsim
