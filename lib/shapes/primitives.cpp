#include "shapes/primitives.h"

#include <algorithm>
#include <limits>

#include "base/ellipsoid_distance.h"
#include "shapes/shape_parts.h"

namespace rtsim {
namespace {

Vec3d flat(Vec3d v, int dim) {
  for (int a = dim; a < 3; ++a) v[a] = 0;
  return v;
}

Bounds around(const Vec3d& a, const Vec3d& b, double radius) {
  Bounds box;
  for (int i = 0; i < 3; ++i) {
    box.min[i] = std::min(a[i], b[i]) - radius;
    box.max[i] = std::max(a[i], b[i]) + radius;
  }
  return box;
}

class Box : public Shape {
 public:
  Box(const BoxSpec& s, int dim) : min_(flat(s.min, dim)), max_(flat(s.max, dim)), dim_(dim) {}

  double distance(const Vec3d& x) const override {
    double outside = 0, inside = -infinity;
    for (int a = 0; a < dim_; ++a) {
      const double q = std::max(min_[a] - x[a], x[a] - max_[a]);
      outside += q > 0 ? q * q : 0;
      inside = std::max(inside, q);
    }
    return inside > 0 ? std::sqrt(outside) : inside;
  }
  Bounds bounds() const override { return {min_, max_}; }

  // In the plane it goes on for ever across it.
  void write(ShapeParts& parts) const override {
    Vec3d low = min_, high = max_;
    for (int a = dim_; a < 3; ++a) low[a] = -1e15, high[a] = 1e15;
    parts.add({ShapePart::Kind::box, low, high});
  }

 private:
  Vec3d min_, max_;
  int dim_;
};

// All points within `radius` of the segment from a to b; a sphere where they coincide.
class Capsule : public Shape {
 public:
  Capsule(const Vec3d& a, const Vec3d& b, double radius) : a_(a), ab_(b - a), radius_(radius) {}

  double distance(const Vec3d& x) const override {
    const double length2 = dot(ab_, ab_);
    const double t = length2 > 0 ? std::clamp(dot(x - a_, ab_) / length2, 0.0, 1.0) : 0;
    return norm(x - a_ - t * ab_) - radius_;
  }
  Bounds bounds() const override { return around(a_, a_ + ab_, radius_); }

  void write(ShapeParts& parts) const override {
    parts.add({ShapePart::Kind::capsule, a_, a_ + ab_, radius_});
  }

 private:
  Vec3d a_, ab_;
  double radius_;
};

// Bounds are finite only along an axis that the normal follows.
class Plane : public Shape {
 public:
  Plane(const Vec3d& point, const Vec3d& normal) : point_(point) {
    for (int a = 0; a < 3; ++a) normal_[a] = normal[a] / norm(normal);
  }

  double distance(const Vec3d& x) const override { return dot(x - point_, normal_); }
  Bounds bounds() const override {
    Bounds box = everything;
    for (int a = 0; a < 3; ++a) {
      if (normal_[a] == 1) box.max[a] = point_[a];
      if (normal_[a] == -1) box.min[a] = point_[a];
    }
    return box;
  }
  Bounds surface_bounds() const override {
    Bounds box = everything;
    for (int a = 0; a < 3; ++a)
      if (std::abs(normal_[a]) == 1) box.min[a] = box.max[a] = point_[a];
    return box;
  }

  void write(ShapeParts& parts) const override {
    parts.add({ShapePart::Kind::plane, point_, normal_});
  }

 private:
  static constexpr Bounds everything{{{-infinity, -infinity, -infinity}},
                                     {{infinity, infinity, infinity}}};
  Vec3d point_, normal_;
};

class Cylinder : public Shape {
 public:
  Cylinder(const Vec3d& a, const Vec3d& b, double radius)
      : centre_(0.5 * (a + b)), half_(0.5 * norm(b - a)), radius_(radius) {
    axis_ = (0.5 / half_) * (b - a);
  }

  // A rectangle in (distance from the axis, distance along it).
  double distance(const Vec3d& x) const override {
    const double along = dot(x - centre_, axis_);
    const double across = norm(x - centre_ - along * axis_) - radius_;
    const double beyond = std::abs(along) - half_;
    const double outside = std::hypot(std::max(across, 0.0), std::max(beyond, 0.0));
    return outside > 0 ? outside : std::max(across, beyond);
  }
  // A disc of unit normal n and radius r reaches r sqrt(1 - n_i^2) along axis i.
  Bounds bounds() const override {
    Bounds box;
    for (int i = 0; i < 3; ++i) {
      const double disc = radius_ * std::sqrt(std::max(0.0, 1 - axis_[i] * axis_[i]));
      const double reach = half_ * std::abs(axis_[i]) + disc;
      box.min[i] = centre_[i] - reach;
      box.max[i] = centre_[i] + reach;
    }
    return box;
  }

  void write(ShapeParts& parts) const override {
    parts.add(
        {ShapePart::Kind::cylinder, centre_ - half_ * axis_, centre_ + half_ * axis_, radius_});
  }

 private:
  Vec3d centre_, axis_;
  double half_, radius_;
};

class Ellipsoid : public Shape {
 public:
  Ellipsoid(const Vec3d& centre, const Vec3d& radii, int dim)
      : centre_(centre), radii_(radii), distance_(radii, dim) {}

  double distance(const Vec3d& x) const override { return distance_(x - centre_); }
  Bounds bounds() const override { return {centre_ - radii_, centre_ + radii_}; }
  void write(ShapeParts& parts) const override {
    parts.add({ShapePart::Kind::ellipsoid, centre_, radii_});
  }

 private:
  Vec3d centre_, radii_;
  EllipsoidDistance distance_;
};

class Polygon : public Shape {
 public:
  explicit Polygon(std::vector<Vec3d> points) : points_(std::move(points)) {}

  // Nearest edge; inside where a ray crosses the outline an odd number of times.
  double distance(const Vec3d& x) const override {
    double nearest2 = infinity;
    bool inside = false;
    for (std::size_t i = 0, j = points_.size() - 1; i < points_.size(); j = i++) {
      const Vec3d &a = points_[j], &b = points_[i], ab = b - a, ax = x - a;
      const double length2 = dot(ab, ab);
      const double t = length2 > 0 ? std::clamp(dot(ax, ab) / length2, 0.0, 1.0) : 0;
      const Vec3d gap = ax - t * ab;
      nearest2 = std::min(nearest2, dot(gap, gap));
      if ((a[1] > x[1]) != (b[1] > x[1]) && x[0] < a[0] + (x[1] - a[1]) / ab[1] * ab[0])
        inside = !inside;
    }
    return inside ? -std::sqrt(nearest2) : std::sqrt(nearest2);
  }
  Bounds bounds() const override {
    Bounds box{points_[0], points_[0]};
    for (const Vec3d& p : points_)
      for (int a = 0; a < 3; ++a) {
        box.min[a] = std::min(box.min[a], p[a]);
        box.max[a] = std::max(box.max[a], p[a]);
      }
    return box;
  }
  void write(ShapeParts& parts) const override {
    parts.add({.kind = ShapePart::Kind::polygon, .corners = points_});
  }

 private:
  std::vector<Vec3d> points_;
};

}  // namespace

std::unique_ptr<Shape> make_box(const BoxSpec& s, int dim) { return std::make_unique<Box>(s, dim); }

std::unique_ptr<Shape> make_sphere(const SphereSpec& s, int dim) {
  const Vec3d centre = flat(s.centre, dim);
  return std::make_unique<Capsule>(centre, centre, s.radius);
}

std::unique_ptr<Shape> make_plane(const PlaneSpec& s, int dim) {
  return std::make_unique<Plane>(flat(s.point, dim), flat(s.normal, dim));
}

std::unique_ptr<Shape> make_capsule(const CapsuleSpec& s, int dim) {
  return std::make_unique<Capsule>(flat(s.a, dim), flat(s.b, dim), s.radius);
}

std::unique_ptr<Shape> make_cylinder(const CylinderSpec& s, int dim) {
  return std::make_unique<Cylinder>(flat(s.a, dim), flat(s.b, dim), s.radius);
}

std::unique_ptr<Shape> make_ellipsoid(const EllipsoidSpec& s, int dim) {
  return std::make_unique<Ellipsoid>(flat(s.centre, dim), flat(s.radii, dim), dim);
}

std::unique_ptr<Shape> make_polygon(const PolygonSpec& s) {
  std::vector<Vec3d> points = s.points;
  for (Vec3d& p : points) p = flat(p, 2);
  return std::make_unique<Polygon>(std::move(points));
}

}  // namespace rtsim
