#include "shapes/line_cut.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "shapes/mesh_shape.h"
#include "shapes_support.h"

// Lines through shapes, held against their distances.
using namespace rtsim;
using namespace rtsim::testing;

namespace {

ShapeSpec box(const Vec3d& min, const Vec3d& max) {
  ShapeSpec s;
  s.box = BoxSpec{min, max};
  return s;
}
ShapeSpec turned(ShapeSpec s) {
  s.transform = {{{0.1, -0.2, 0.05}}, {{1, 2, 3}}, 37, 0.8};
  return s;
}

// A box less a capsule, with a cylinder and an ellipsoid, and all of it below a plane.
ShapeSpec carved() {
  ShapeSpec hole, pipe, egg, ground, s, all;
  hole.capsule = CapsuleSpec{{{-0.3, 0.1, 0}}, {{0.4, 0.2, 0.1}}, 0.25};
  pipe.cylinder = CylinderSpec{{{0.2, -0.9, 0.1}}, {{0.3, 0.9, -0.2}}, 0.15};
  egg.ellipsoid = EllipsoidSpec{{{-0.5, 0.4, 0.2}}, {{0.3, 0.5, 0.2}}};
  ground.plane = PlaneSpec{{{0, 0.6, 0}}, {{0.2, 1, -0.1}}};
  s.difference = {turned(box({{-0.6, -0.5, -0.7}}, {{0.7, 0.6, 0.5}})), hole};
  all.any_of = {s, turned(pipe), egg};
  ShapeSpec below;
  below.all_of = {all, ground};
  return below;
}

}  // namespace

TEST_CASE("line_cut: a line is inside where the distance is negative") {
  ShapeSpec inverted = carved();
  inverted.inside = true;
  for (const ShapeSpec& spec : {carved(), inverted}) {
    const auto shape = make_shape(spec, 3);
    const ShapeParts parts(*shape);
    const auto from = scatter(60, 0.8), way = scatter(61, 1);
    int met = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto inside = cut_line(parts, from[i], way[i + 1]);
      for (double t = -3; t < 3; t += 0.037) {
        const double d = shape->distance(from[i] + t * way[i + 1]);
        if (std::abs(d) < 1e-9) continue;
        bool in = false;
        for (const Stretch& s : inside) in = in || (s.from < t && t < s.to);
        REQUIRE(in == (d < 0));
        met += in;
      }
    }
    CHECK(met > 500);
  }
}

TEST_CASE("line_cut: no line slips through the edges and corners of a mesh") {
  const TriangleMesh ball = sphere_mesh(1, 6);
  const auto shape = make_mesh_shape(ball);
  const ShapeParts parts(*shape);
  for (const Vec3d& v : ball.vertices) {
    if (std::hypot(v[0], v[2]) > 0.95) continue;  // grazes
    const auto inside = cut_line(parts, {{v[0], 0, v[2]}}, {{0, 1, 0}});
    REQUIRE(inside.size() == 1);
    CHECK(inside[0].to == Approx(std::abs(v[1])).margin(1e-9));
    CHECK(inside[0].from == Approx(-std::abs(v[1])).margin(1e-9));
  }
}
