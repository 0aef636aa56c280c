#include <catch2/catch.hpp>

#include "shapes/shape.h"
#include "shapes_support.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

double at(const ShapeSpec& s, const Vec3d& x, int dim = 3) {
  return make_shape(s, dim)->distance(x);
}

ShapeSpec capsule() {
  ShapeSpec s;
  s.capsule = CapsuleSpec{{{0, -0.5, 0}}, {{0, 0.5, 0}}, 0.2};
  return s;
}
ShapeSpec cylinder() {
  ShapeSpec s;
  s.cylinder = CylinderSpec{{{0, -0.5, 0}}, {{0, 0.5, 0}}, 0.2};
  return s;
}
ShapeSpec ellipsoid(const Vec3d& radii) {
  ShapeSpec s;
  s.ellipsoid = EllipsoidSpec{{}, radii};
  return s;
}
ShapeSpec plane() {
  ShapeSpec s;
  s.plane = PlaneSpec{{{0, 1, 0}}, {{0, 3, 4}}};
  return s;
}
ShapeSpec l_shape() {
  ShapeSpec s;
  s.polygon =
      PolygonSpec{{{{0, 0, 0}}, {{2, 0, 0}}, {{2, 1, 0}}, {{1, 1, 0}}, {{1, 2, 0}}, {{0, 2, 0}}}};
  return s;
}

// Central differences of the distance.
double gradient_length(const Shape& shape, const Vec3d& x, int dim) {
  const double e = 1e-6;
  Vec3d g;
  for (int a = 0; a < dim; ++a) {
    Vec3d before = x, after = x;
    before[a] -= e, after[a] += e;
    g[a] = (shape.distance(after) - shape.distance(before)) / (2 * e);
  }
  return norm(g);
}

}  // namespace

TEST_CASE("distance: of a box to its faces, edges and corners, and to the nearest face inside") {
  const ShapeSpec s = box({{0, 0, 0}}, {{2, 1, 3}});
  CHECK(at(s, {{3, 0.5, 1}}) == Approx(1));
  CHECK(at(s, {{3, 2, 1}}) == Approx(std::sqrt(2)));
  CHECK(at(s, {{3, 2, 4}}) == Approx(std::sqrt(3)));
  CHECK(at(s, {{1, 0.4, 1}}) == Approx(-0.4));
  CHECK(at(s, {{2, 0.5, 1}}) == 0);
}

TEST_CASE("distance: of a sphere, a plane, a capsule and a cylinder from their closed forms") {
  CHECK(at(sphere({{1, 0, 0}}, 0.5), {{1, 2, 0}}) == Approx(1.5));
  CHECK(at(sphere({{1, 0, 0}}, 0.5), {{1, 0.1, 0}}) == Approx(-0.4));
  CHECK(at(plane(), {{7, 1, 5}}) == Approx(4));
  CHECK(at(plane(), {{7, 1, -5}}) == Approx(-4));
  CHECK(at(capsule(), {{0.5, 0.1, 0}}) == Approx(0.3));
  CHECK(at(capsule(), {{0, 1.5, 0}}) == Approx(0.8));
  CHECK(at(cylinder(), {{0.5, 0.1, 0}}) == Approx(0.3));
  CHECK(at(cylinder(), {{0, 1.5, 0}}) == Approx(1.0));
  CHECK(at(cylinder(), {{0.5, 0.9, 0}}) == Approx(0.5));
  CHECK(at(cylinder(), {{0.1, 0.45, 0}}) == Approx(-0.05));
}

TEST_CASE("distance: of an ellipsoid with equal radii is a sphere's, also at its centre") {
  const auto round = make_shape(ellipsoid({{0.7, 0.7, 0.7}}), 3);
  for (const Vec3d& x : scatter(200, 2))
    CHECK(round->distance(x) == Approx(norm(x) - 0.7).margin(1e-12));
  CHECK(round->distance({{0, 0, 0}}) == Approx(-0.7));
}

TEST_CASE("distance: of an ellipsoid is exact a known way along its normals") {
  const Vec3d e{{1.0, 0.4, 0.1}};
  const auto shape = make_shape(ellipsoid(e), 3);
  for (const Vec3d& u : scatter(200, 1)) {
    Vec3d on, normal;
    for (int a = 0; a < 3; ++a) on[a] = e[a] * u[a] / norm(u), normal[a] = on[a] / (e[a] * e[a]);
    // Inwards up to half the least radius of curvature, e_min^2 / e_max.
    for (const double way : {-0.005, 0.0, 0.05, 2.0})
      CHECK(shape->distance(on + (way / norm(normal)) * normal) == Approx(way).margin(1e-10));
  }
  CHECK(shape->distance({{0, 0, 0}}) == Approx(-0.1));
  CHECK(shape->distance({{0.5, 0, 0}}) < -0.08);
  CHECK(shape->distance({{3, 0, 0}}) == Approx(2));
}

TEST_CASE("distance: of a polygon is the same whichever way its corners go") {
  ShapeSpec turned = l_shape();
  std::reverse(turned.polygon->points.begin(), turned.polygon->points.end());
  CHECK(at(l_shape(), {{0.5, 1.5, 9}}, 2) == Approx(-0.5));
  CHECK(at(l_shape(), {{1.5, 1.5, 9}}, 2) == Approx(0.5));
  CHECK(at(l_shape(), {{3, 2, 9}}, 2) == Approx(std::sqrt(2)));
  CHECK(at(l_shape(), {{0.9, 0.9, 0}}, 2) == Approx(-std::sqrt(0.02)));
  for (const Vec3d& x : scatter(100, 3, 2)) CHECK(at(turned, x, 2) == at(l_shape(), x, 2));
}

TEST_CASE("distance: has a gradient of unit length away from corners and centres") {
  int bends = 0;
  for (const ShapeSpec& s : {box({{-1, -1, -1}}, {{1, 0.5, 0.3}}), sphere({{0, 0, 0}}, 0.8),
                             plane(), capsule(), cylinder(), ellipsoid({{1, 0.5, 0.3}})}) {
    const auto shape = make_shape(s, 3);
    for (const Vec3d& x : scatter(100, 1.5))
      if (std::abs(gradient_length(*shape, x, 3) - 1) > 1e-5) ++bends;
  }
  CHECK(bends == 0);
}

TEST_CASE("distance: never changes faster than the point moves") {
  ShapeSpec all;
  all.difference = {box({{-1, -1, -1}}, {{1, 1, 1}}), sphere({{0.5, 0, 0}}, 0.6), capsule()};
  all.transform = {{{0.1, 0, 0}}, {{1, 2, 3}}, 40, 0.7};
  const auto shape = make_shape(all, 3);
  const auto points = scatter(300, 1.5);
  for (std::size_t i = 1; i < points.size(); ++i)
    CHECK(std::abs(shape->distance(points[i]) - shape->distance(points[i - 1])) <=
          norm(points[i] - points[i - 1]) * (1 + 1e-12));
}

TEST_CASE("distance: union, intersection and difference have the signs of sets") {
  const ShapeSpec a = box({{-1, -1, -1}}, {{1, 1, 1}}), b = sphere({{1, 0, 0}}, 0.8);
  ShapeSpec any, all, without;
  any.any_of = {a, b}, all.all_of = {a, b}, without.difference = {a, b};
  for (const Vec3d& x : scatter(300, 2)) {
    const bool in_a = at(a, x) < 0, in_b = at(b, x) < 0;
    CHECK((at(any, x) < 0) == (in_a || in_b));
    CHECK((at(all, x) < 0) == (in_a && in_b));
    CHECK((at(without, x) < 0) == (in_a && !in_b));
  }
}

TEST_CASE("distance: inside turns a box into a tank that knows where its hollow is") {
  const auto shape = make_shape(tank({{0, 0, 0}}, {{1, 2, 3}}), 3);
  CHECK(shape->distance({{0.5, 0.1, 1}}) == Approx(0.1));
  CHECK(shape->distance({{0.5, -0.1, 1}}) == Approx(-0.1));
  CHECK(std::isinf(shape->bounds().min[0]));
  CHECK(shape->surface_bounds().max == Vec3d{{1, 2, 3}});
}

TEST_CASE("distance: a transform scales, then turns, then shifts") {
  ShapeSpec s = box({{0, 0, 0}}, {{1000, 100, 100}});
  s.transform = {{{5, 0, 0}}, {{0, 0, 1}}, 90, 1e-3};
  const auto shape = make_shape(s, 3);
  CHECK(shape->distance({{4.95, 0.5, 0.05}}) == Approx(-0.05));
  CHECK(shape->distance({{5.05, 0.5, 0.05}}) == Approx(0.05));
  CHECK(shape->bounds().min[0] == Approx(4.9));
  CHECK(shape->bounds().max[1] == Approx(1));
}

TEST_CASE("distance: a turned half space is unbounded, a level one is bounded above") {
  ShapeSpec s;
  s.plane = PlaneSpec{};
  CHECK(make_shape(s, 3)->bounds().max[1] == 0);
  CHECK(std::isinf(make_shape(s, 3)->bounds().min[1]));
  s.transform.angle = 30;
  CHECK(std::isinf(make_shape(s, 3)->bounds().max[1]));
  CHECK(std::isinf(make_shape(s, 3)->bounds().max[0]));
}

TEST_CASE("distance: in 2D z is ignored, of points and of shapes") {
  CHECK(at(box({{0, 0, 5}}, {{2, 1, 5}}), {{1, 0.4, 9}}, 2) == Approx(-0.4));
  CHECK(at(sphere({{0, 0, 3}}, 1), {{0, 0, -7}}, 2) == Approx(-1));
  CHECK(at(ellipsoid({{1, 0.5, 0}}), {{0, 0.25, 4}}, 2) == Approx(-0.25));
  ShapeSpec turned = box({{0, 0, 0}}, {{2, 1, 0}});
  turned.transform = {{{0, 0, 8}}, {{1, 0, 0}}, 90, 1};  // the axis is z whatever is given
  CHECK(at(turned, {{-0.5, 1, 0}}, 2) == Approx(-0.5));
  CHECK(make_shape(turned, 2)->bounds().max[2] == 0);
}

TEST_CASE("distance: a shape without a shape is refused") {
  CHECK(error_of([] { make_shape(ShapeSpec{}, 3); }) ==
        "a shape is empty; give it a box, a sphere, a mesh or another");
}
