#include "shapes/csg.h"

#include <algorithm>
#include <limits>

#include "shapes/shape_parts.h"

namespace rtsim {
namespace {

Bounds hull(Bounds a, const Bounds& b) {
  for (int i = 0; i < 3; ++i) {
    a.min[i] = std::min(a.min[i], b.min[i]);
    a.max[i] = std::max(a.max[i], b.max[i]);
  }
  return a;
}

Bounds overlap(Bounds a, const Bounds& b) {
  for (int i = 0; i < 3; ++i) {
    a.min[i] = std::max(a.min[i], b.min[i]);
    a.max[i] = std::max(a.min[i], std::min(a.max[i], b.max[i]));
  }
  return a;
}

class Combined : public Shape {
 public:
  explicit Combined(Shapes parts) : parts_(std::move(parts)) {}

  bool closed() const override {
    return std::all_of(parts_.begin(), parts_.end(), [](const auto& p) { return p->closed(); });
  }
  // The surface of a combination is part of the surfaces of its operands.
  Bounds surface_bounds() const override {
    Bounds box = parts_[0]->surface_bounds();
    for (const auto& part : parts_) box = hull(box, part->surface_bounds());
    return overlap(box, bounds());
  }

 protected:
  // The rest one by one, each turned inside out or not, and taken together with those before.
  void write_all(ShapeParts& to, ShapePart::Kind together, bool subtract) const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      parts_[i]->write(to);
      if (i > 0 && subtract) to.add({ShapePart::Kind::inside_out});
      if (i > 0) to.add({together});
    }
  }

  Shapes parts_;
};

class Union : public Combined {
 public:
  using Combined::Combined;

  void write(ShapeParts& to) const override { write_all(to, ShapePart::Kind::least, false); }
  double distance(const Vec3d& x) const override {
    double d = std::numeric_limits<double>::infinity();
    for (const auto& part : parts_) d = std::min(d, part->distance(x));
    return d;
  }
  Bounds bounds() const override {
    Bounds box = parts_[0]->bounds();
    for (const auto& part : parts_) box = hull(box, part->bounds());
    return box;
  }
};

class Intersection : public Combined {
 public:
  using Combined::Combined;

  void write(ShapeParts& to) const override { write_all(to, ShapePart::Kind::greatest, false); }
  double distance(const Vec3d& x) const override {
    double d = -std::numeric_limits<double>::infinity();
    for (const auto& part : parts_) d = std::max(d, part->distance(x));
    return d;
  }
  Bounds bounds() const override {
    Bounds box = parts_[0]->bounds();
    for (const auto& part : parts_) box = overlap(box, part->bounds());
    return box;
  }
};

class Difference : public Combined {
 public:
  using Combined::Combined;

  void write(ShapeParts& to) const override { write_all(to, ShapePart::Kind::greatest, true); }
  double distance(const Vec3d& x) const override {
    double d = parts_[0]->distance(x);
    for (std::size_t i = 1; i < parts_.size(); ++i) d = std::max(d, -parts_[i]->distance(x));
    return d;
  }
  Bounds bounds() const override { return parts_[0]->bounds(); }
};

}  // namespace

std::unique_ptr<Shape> make_union(Shapes s) { return std::make_unique<Union>(std::move(s)); }

std::unique_ptr<Shape> make_intersection(Shapes s) {
  return std::make_unique<Intersection>(std::move(s));
}

std::unique_ptr<Shape> make_difference(Shapes s) {
  return std::make_unique<Difference>(std::move(s));
}

}  // namespace rtsim
