#pragma once
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bodies/contacts/collision.h"
#include "bodies/make_bodies.h"
#include "shapes/shape.h"

namespace rtsim {

// Bodies "bodies" and boundaries of shapes, and what collision finds between them.
struct Touched {
  explicit Touched(int dim, int threads = 1) : world(Exec::cpu(threads), dim) {}
  Touched(const Exec& ex, int dim) : world(ex, dim) {}

  int add_shape(std::vector<ConvexPart> parts) {
    set->shapes.push_back({std::move(parts), {}, {}, 1, {{1, 1, 1}}});
    return int(set->shapes.size()) - 1;
  }
  BodyStart& add(int shape, const Vec3d& position,
                 const std::array<double, 4>& orientation = {0, 0, 0, 1}) {
    starts.push_back({shape, 1, position, orientation, {}, {}});
    return starts.back();
  }
  void bound(const ShapeSpec& spec) {
    shapes.push_back(make_shape(spec, world.dim));
    const std::string name = "wall" + std::to_string(shapes.size());
    Object o{name, Kind::boundary};
    o.shape = shapes.back();
    world.objects.push_back(o);
    boundaries.push_back(name);
  }
  void bound_by(const PlaneSpec& plane) {
    ShapeSpec s;
    s.plane = plane;
    bound(s);
  }
  void build() {
    add_bodies(world, "bodies", *set, starts);
    Object o{"bodies", Kind::bodies};
    o.bodies = set;
    world.objects.push_back(o);
  }
  template <int D>
  std::vector<rigid::Manifold<D>> find(double margin, double dt = 1e-3) {
    if (world.objects.empty() || !world.has_table("bodies")) build();
    Collision<D> c(world, "bodies", boundaries);
    c.find(world, {0, 0, dt}, margin);
    return listed(c.manifolds());
  }

  template <int D>
  static std::vector<rigid::Manifold<D>> listed(const rigid::ManifoldList<D>& list) {
    std::vector<rigid::Manifold<D>> all(std::size_t(list.size));
    for (Index k = 0; k < list.size; ++k) {
      const std::size_t points = std::size_t(list[k].rows_of_points(list[k].points));
      std::memcpy(static_cast<void*>(&all[std::size_t(k)]), &list[k],
                  (rigid::manifold_head_rows + points) * sizeof(Row4));
    }
    return all;
  }

  World world;
  std::shared_ptr<BodySet> set = std::make_shared<BodySet>();
  std::vector<BodyStart> starts;
  std::vector<std::shared_ptr<const Shape>> shapes;
  std::vector<std::string> boundaries;
};

// With half sides h [m].
inline ConvexPart box_part(const Vec3d& h) {
  ConvexPart p{ConvexPart::Kind::box, {}, {}};
  for (int k = 0; k < 8; ++k)
    p.points.push_back({{k & 1 ? h[0] : -h[0], k & 2 ? h[1] : -h[1], k & 4 ? h[2] : -h[2]}});
  p.faces = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  return p;
}
inline ConvexPart sphere_part(double radius) {
  return {ConvexPart::Kind::sphere, {{{0, 0, 0}}}, {}, radius};
}
inline ConvexPart capsule_part(double half, double radius) {
  return {ConvexPart::Kind::capsule, {{{0, -half, 0}}, {{0, half, 0}}}, {}, radius};
}
inline ConvexPart cylinder_part(double half, double radius) {
  return {ConvexPart::Kind::cylinder, {{{0, -half, 0}}, {{0, half, 0}}}, {}, radius};
}
// The same corners and faces as a box, without being known as one.
inline ConvexPart hull_part(const Vec3d& h) {
  ConvexPart p = box_part(h);
  p.kind = ConvexPart::Kind::hull;
  return p;
}
// A double pyramid.
inline ConvexPart octahedron_part(double r) {
  ConvexPart p{ConvexPart::Kind::hull, {}, {}};
  for (int a = 0; a < 3; ++a)
    for (const double s : {r, -r}) {
      Vec3d x{};
      x[a] = s, p.points.push_back(x);
    }
  p.faces = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
             {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  return p;
}
// Regular, in the plane; four corners: a square.
inline ConvexPart polygon_part(int corners, double r, double turn = 0) {
  ConvexPart p{ConvexPart::Kind::hull, {}, {}};
  for (int k = 0; k < corners; ++k) {
    const double t = turn + 2 * 3.14159265358979 * k / corners;
    p.points.push_back({{r * std::cos(t), r * std::sin(t), 0}});
  }
  return p;
}

}  // namespace rtsim
