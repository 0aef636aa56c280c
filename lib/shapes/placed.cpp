#include "shapes/placed.h"

#include <algorithm>
#include <limits>

#include "shapes/rotation.h"
#include "shapes/shape_parts.h"

namespace rtsim {
namespace {

class InsideOut : public Shape {
 public:
  explicit InsideOut(std::unique_ptr<Shape> inner) : inner_(std::move(inner)) {}

  double distance(const Vec3d& x) const override { return -inner_->distance(x); }
  Bounds bounds() const override {
    const double infinity = std::numeric_limits<double>::infinity();
    return {{{-infinity, -infinity, -infinity}}, {{infinity, infinity, infinity}}};
  }
  Bounds surface_bounds() const override { return inner_->surface_bounds(); }
  bool closed() const override { return inner_->closed(); }
  void write(ShapeParts& parts) const override {
    inner_->write(parts);
    parts.add({ShapePart::Kind::inside_out});
  }

 private:
  std::unique_ptr<Shape> inner_;
};

class Placed : public Shape {
 public:
  Placed(std::unique_ptr<Shape> inner, const TransformSpec& t, int dim)
      : inner_(std::move(inner)),
        rotation_(rotation_about(dim == 2 ? Vec3d{{0, 0, 1}} : t.axis, t.angle * pi / 180)),
        translation_(t.translate),
        scale_(t.scale) {
    if (dim == 2) translation_[2] = 0;
  }

  double distance(const Vec3d& x) const override {
    return scale_ * inner_->distance((1 / scale_) * rotation_.apply_inverse(x - translation_));
  }
  Bounds bounds() const override { return place(inner_->bounds()); }
  Bounds surface_bounds() const override { return place(inner_->surface_bounds()); }
  bool closed() const override { return inner_->closed(); }
  std::optional<double> volume() const override {
    const auto v = inner_->volume();
    return v ? std::optional(scale_ * scale_ * scale_ * *v) : v;
  }
  void write(ShapeParts& parts) const override {
    parts.within(rotation_, translation_, scale_, [&] { inner_->write(parts); });
  }

 private:
  // Interval arithmetic; entries of R that are round-off must not meet an infinite bound.
  Bounds place(const Bounds& b) const {
    Bounds box{translation_, translation_};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const double r = scale_ * rotation_.row[i][j];
        if (std::abs(r) < 1e-15 * scale_) continue;
        box.min[i] += r * (r > 0 ? b.min : b.max)[j];
        box.max[i] += r * (r > 0 ? b.max : b.min)[j];
      }
    return box;
  }

  std::unique_ptr<Shape> inner_;
  Rotation rotation_;
  Vec3d translation_;
  double scale_;
};

class Flat : public Shape {
 public:
  explicit Flat(std::unique_ptr<Shape> inner) : inner_(std::move(inner)) {}

  double distance(const Vec3d& x) const override { return inner_->distance({{x[0], x[1], 0}}); }
  Bounds bounds() const override { return flat(inner_->bounds()); }
  Bounds surface_bounds() const override { return flat(inner_->surface_bounds()); }
  bool closed() const override { return inner_->closed(); }
  void write(ShapeParts& parts) const override { inner_->write(parts); }

 private:
  static Bounds flat(Bounds b) {
    b.min[2] = b.max[2] = 0;
    return b;
  }

  std::unique_ptr<Shape> inner_;
};

}  // namespace

std::unique_ptr<Shape> make_inside_out(std::unique_ptr<Shape> inner) {
  return std::make_unique<InsideOut>(std::move(inner));
}

std::unique_ptr<Shape> make_placed(std::unique_ptr<Shape> inner, const TransformSpec& t, int dim) {
  return std::make_unique<Placed>(std::move(inner), t, dim);
}

std::unique_ptr<Shape> make_flat(std::unique_ptr<Shape> inner) {
  return std::make_unique<Flat>(std::move(inner));
}

}  // namespace rtsim
