#include "pictures/draw_boundaries.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "pictures/draw.h"
#include "pictures/shading.h"

namespace rtsim {

namespace {

constexpr Vec3f wall_colour{{0.84f, 0.84f, 0.82f}}, edge_colour{{0.45f, 0.45f, 0.45f}};

Vec3d corner_of(const Bounds& b, int corner) {
  Vec3d x;
  for (int a = 0; a < 3; ++a) x[a] = corner >> a & 1 ? b.max[a] : b.min[a];
  return x;
}

// A box around where the surface is at a time; infinite where it is.
View view_of(const DrawnBoundary& boundary, double time) {
  const Pose pose = pose_at(boundary.motion, time);
  const Bounds b = boundary.shape->surface_bounds();
  View box;
  for (int corner = 0; corner < 8; ++corner) box.add(pose.apply(corner_of(b, corner)));
  return box;
}

struct Ray {
  Vec3d from, along;
  Vec3d at(double t) const { return from + t * along; }
};

// The part of a ray within a box.
void clip(const Ray& ray, const Vec3d& low, const Vec3d& high, double& begin, double& end) {
  for (int a = 0; a < 3; ++a) {
    if (ray.along[a] == 0) {
      if (ray.from[a] < low[a] || ray.from[a] > high[a]) end = -1;
      continue;
    }
    const double t0 = (low[a] - ray.from[a]) / ray.along[a],
                 t1 = (high[a] - ray.from[a]) / ray.along[a];
    begin = std::max(begin, std::min(t0, t1)), end = std::min(end, std::max(t0, t1));
  }
}

// Where a ray enters the solid, after it has left that which it begins in (Hart, "Sphere Tracing",
// 1996), to within `close` [m].
std::optional<double> first_hit(const Shape& shape, const Ray& ray, double begin, double end,
                                double close) {
  bool within = true;
  for (double t = begin; t < end;) {
    const double d = shape.distance(ray.at(t));
    if (!within && d <= close) return t;
    within = within && d <= close;
    t += std::max(std::abs(d), close);
  }
  return {};
}

Vec3d gradient(const Shape& shape, const Vec3d& x, double by) {
  Vec3d n;
  for (int a = 0; a < 3; ++a) {
    Vec3d before = x, after = x;
    before[a] -= by, after[a] += by;
    n[a] = shape.distance(after) - shape.distance(before);
  }
  const double length = norm(n);
  return length > 0 ? 1 / length * n : Vec3d{};
}

Vec3d turned(const Pose& pose, const Vec3d& local) {
  return pose.apply(local) - pose.apply(Vec3d{});
}
Vec3d turned_back(const Pose& pose, const Vec3d& x) {
  return x[0] * pose.row[0] + x[1] * pose.row[1] + x[2] * pose.row[2];
}

// One boundary that is traced through each pixel, in its own frame.
class Tracer {
 public:
  Tracer(const Camera& camera, const View& view, const DrawnBoundary& b, double time)
      : camera_(camera), shape_(*b.shape), pose_(pose_at(b.motion, time)), hollow_(b.hollow) {
    const double room = 1e-3 * norm(view.high - view.low);
    for (int a = 0; a < 3; ++a) low_[a] = view.low[a] - room, high_[a] = view.high[a] + room;
    surface_ = shape_.surface_bounds();
    endless_ = !std::isfinite(norm(surface_.max - surface_.min));
    for (int a = 0; a < 3; ++a) surface_.min[a] -= room, surface_.max[a] += room;
  }

  void draw(Raster& r, int x, int y) const {
    Vec3f from, along;
    camera_.ray(float(x) + 0.5f, float(y) + 0.5f, from, along);
    const Ray ray{widen(from), widen(along)};
    double begin = 0, end = 1e300;
    if (endless_) clip(ray, low_, high_, begin, end);
    const Ray own{pose_.to_local(ray.from), turned_back(pose_, ray.along)};
    clip(own, surface_.min, surface_.max, begin, end);
    if (begin >= end) return;
    const double close = 0.3 / double(camera_.scale(camera_.project(in_float(ray.at(begin)))[2]));
    const std::optional<double> t = first_hit(shape_, own, begin, end, close);
    if (!t) return;
    const float depth = camera_.project(in_float(ray.at(*t)))[2];
    const std::size_t p = r.at(x, y);
    if (!(depth < r.depth[p])) return;
    r.depth[p] = depth;
    const Vec3d n = turned(pose_, gradient(shape_, own.at(*t), close));
    const float lit = shade(camera_.turned(in_float(n)));
    r.colour[p] = (hollow_ ? 0.8f + 0.2f * lit : lit) * wall_colour;
  }

 private:
  const Camera& camera_;
  const Shape& shape_;
  Pose pose_;
  bool hollow_;  // walls behind what is to be seen
  Vec3d low_, high_;
  Bounds surface_;
  bool endless_;  // a plane, of which the part in the view is drawn
};

void trace(Raster& r, const Camera& camera, const View& view, const DrawnBoundary& b, double time) {
  const Tracer tracer(camera, view, b, time);
  for_bands(r, [&](int, int begin, int end) {
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < r.width; ++x) tracer.draw(r, x, y);
  });
}

void draw_solid(Raster& r, const Camera& camera, const DrawnBoundary& b, double time) {
  const Pose pose = pose_at(b.motion, time);
  const float pixels = camera.scale(0);
  for_bands(r, [&](int, int begin, int end) {
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < r.width; ++x) {
        Vec3f from, along;
        camera.ray(float(x) + 0.5f, float(y) + 0.5f, from, along);
        const double d = b.shape->distance(pose.to_local({{double(from[0]), double(from[1]), 0}}));
        const float part = std::clamp(0.5f - pixels * float(d), 0.f, 1.f);
        Vec3f& colour = r.colour[r.at(x, y)];
        colour = (1 - part) * colour + part * wall_colour;
      }
  });
}

}  // namespace

DrawnBoundary DrawnBoundary::at(double time) const {
  if (!deformation) return *this;
  return {name, deformation->standing(time, motion), {}, hollow};
}

void add_to(View& view, const std::vector<DrawnBoundary>& boundaries,
            const std::vector<double>& times) {
  if (view.empty()) return;
  View all = view;
  for (const DrawnBoundary& b : boundaries)
    for (const double time : times) {
      const View box = view_of(b.at(time), time);
      for (int a = 0; a < 3; ++a) {
        if (std::isfinite(box.low[a])) all.low[a] = std::min(all.low[a], box.low[a]);
        if (std::isfinite(box.high[a])) all.high[a] = std::max(all.high[a], box.high[a]);
      }
    }
  const Vec3d size = view.high - view.low;
  const double most = 0.5 * std::max({size[0], size[1], size[2]});
  for (int a = 0; a < 3; ++a) {
    view.low[a] = std::max(all.low[a], view.low[a] - most);
    view.high[a] = std::min(all.high[a], view.high[a] + most);
  }
}

void draw_boundary(Raster& r, const Camera& camera, const View& view, const DrawnBoundary& b,
                   int dim, double time) {
  if (dim == 2) return draw_solid(r, camera, b, time);
  trace(r, camera, view, b.at(time), time);
}

void draw_edges(Raster& r, const Camera& camera, const DrawnBoundary& drawn, double time) {
  const DrawnBoundary b = drawn.at(time);
  const Pose pose = pose_at(b.motion, time);
  const Bounds box = b.shape->surface_bounds();
  std::vector<Corner> ends;
  for (int corner = 0; corner < 8; ++corner)
    for (int a = 0; a < 3; ++a)
      if (!(corner >> a & 1))
        for (const int end : {corner, corner | 1 << a})
          ends.push_back({in_float(pose.apply(corner_of(box, end))), {}, edge_colour});
  const auto finite = [](const Corner& c) { return std::isfinite(norm(c.x)); };
  if (std::ranges::all_of(ends, finite)) draw_lines(r, camera, ends, 1.5f);
}

}  // namespace rtsim
