#include <algorithm>
#include <catch2/catch.hpp>

#include "shapes/mesh_shape.h"
#include "shapes/sample.h"
#include "shapes/thickness.h"
#include "shapes_support.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

const Bounds no_region{{{-9, -9, -9}}, {{9, 9, 9}}};

std::vector<Vec3d> samples(const ShapeSpec& s, double spacing, int dim = 3,
                           const Bounds& region = no_region, int layers = 1) {
  std::vector<Vec3d> points;
  for (const SurfaceSample& p : sample_surface(*make_shape(s, dim), spacing, dim, region, layers))
    points.push_back(p.position);
  return points;
}

double nearest(const std::vector<Vec3d>& points, const Vec3d& x) {
  double d2 = 1e300;
  for (const Vec3d& p : points) d2 = std::min(d2, dot(p - x, p - x));
  return std::sqrt(d2);
}

// By |axis| about it [rad] (Rodrigues).
Vec3d rotated(const Vec3d& axis, const Vec3d& x) {
  const double angle = norm(axis);
  const Vec3d k = 1 / angle * axis;
  return std::cos(angle) * x + std::sin(angle) * cross(k, x) +
         (1 - std::cos(angle)) * dot(k, x) * k;
}

double least_gap(const std::vector<Vec3d>& points) {
  double d2 = 1e300;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      d2 = std::min(d2, dot(points[i] - points[j], points[i] - points[j]));
  return std::sqrt(d2);
}

// Points as whole multiples of half a spacing; `uneven` counts coordinates that are none.
struct HalfSteps {
  std::vector<std::array<long, 3>> at;
  int uneven = 0;

  HalfSteps(const std::vector<Vec3d>& points, double spacing, int dim) {
    for (const Vec3d& p : points) {
      std::array<long, 3> row{};
      for (int a = 0; a < dim; ++a) {
        row[a] = std::lround(2 * p[a] / spacing);
        uneven += std::abs(p[a] - 0.5 * double(row[a]) * spacing) > 1e-12 || row[a] % 2 == 0;
      }
      at.push_back(row);
    }
    std::sort(at.begin(), at.end());
  }
};

// The layers of lattice points around a tank of n cells.
std::vector<std::array<long, 3>> layer(std::array<long, 3> n, int dim, int deep = 1) {
  std::vector<std::array<long, 3>> at;
  for (long k = -deep; k < n[2] + deep; ++k)
    for (long j = -deep; j < n[1] + deep; ++j)
      for (long i = -deep; i < n[0] + deep; ++i) {
        const bool out =
            i < 0 || i >= n[0] || j < 0 || j >= n[1] || (dim == 3 && (k < 0 || k >= n[2]));
        if (out && (dim == 3 || k == 0))
          at.push_back({2 * i + 1, 2 * j + 1, dim == 3 ? 2 * k + 1 : 0});
      }
  std::sort(at.begin(), at.end());
  return at;
}

}  // namespace

TEST_CASE("fill: a box of whole spacings holds exactly its volume, half a spacing off its faces") {
  const double h = 0.02;
  const auto points = fill_lattice(*make_shape(box({{0.1, 0, -0.3}}, {{0.5, 0.3, 0.1}}), 3), h, 3);
  REQUIRE(points.size() == 20 * 15 * 20);
  CHECK(norm(points[0] - Vec3d{{0.11, 0.01, -0.29}}) < 1e-15);
  CHECK(points[1][0] > points[0][0]);
  CHECK(norm(points.back() - Vec3d{{0.49, 0.29, 0.09}}) < 1e-12);
  CHECK(fill_lattice(*make_shape(box({{0, 0, 0}}, {{0.4, 0.2, 0}}), 2), h, 2).size() == 20 * 10);
}

TEST_CASE("fill: a box of any sides is filled from face to face, and its mass is exact") {
  for (const double h : {0.0298, 0.06, 0.0371, 0.11, 0.43})
    for (const int dim : {2, 3}) {
      INFO(h << " in " << dim << "D");
      const Vec3d low{{0.3, -0.2, 1.1}}, side{{1, 0.47, 0.61}};
      const ShapeSpec s = box(low, low + side);
      const Fill fill = fitted_fill(s, *make_shape(s, dim), h, dim);
      const double volume = side[0] * side[1] * (dim == 3 ? side[2] : 1);
      CHECK(double(fill.points.size()) * std::pow(fill.spacing, dim) ==
            Approx(volume).epsilon(1e-12));
      for (int a = 0; a < dim; ++a) {
        const double cell = side[a] / std::round(side[a] / h);
        double nearest = 1e300, farthest = -1e300;
        for (const Vec3d& p : fill.points)
          nearest = std::min(nearest, p[a]), farthest = std::max(farthest, p[a]);
        CHECK(nearest - low[a] == Approx(cell / 2));
        CHECK(low[a] + side[a] - farthest == Approx(cell / 2));
      }
    }
}

TEST_CASE("fill: a turned, moved and scaled box is filled along its own edges") {
  ShapeSpec s = box({{0, 0, 0}}, {{1, 0.5, 0}}), flat = s;
  s.transform.translate = {{3, -2, 0}}, s.transform.angle = 23, s.transform.scale = 1.7;
  const double h = 0.083, c = std::cos(23 * 3.14159265358979323846 / 180), n = std::sqrt(1 - c * c);
  const Fill turned = fitted_fill(s, *make_shape(s, 2), h, 2),
             straight = fitted_fill(flat, *make_shape(flat, 2), h / 1.7, 2);
  REQUIRE(turned.points.size() == straight.points.size());
  CHECK(turned.spacing == Approx(1.7 * straight.spacing));
  for (std::size_t i = 0; i < turned.points.size(); ++i) {
    const double x = 1.7 * straight.points[i][0], y = 1.7 * straight.points[i][1];
    const Vec3d expected{{3 + c * x - n * y, -2 + n * x + c * y, 0}};
    CHECK(norm(turned.points[i] - expected) < 1e-12);
  }
}

TEST_CASE("fill: what is left of a box round a body has the mass of its volume") {
  for (const double h : {0.025, 0.031, 0.0173}) {  // a disc, and one that stands out of the water
    ShapeSpec s;
    const double middle = h == 0.031 ? 0.8 : 0.43, r = 0.15;
    s.difference = {box({{0, 0, 0}}, {{2.4, 0.8, 0}}), sphere({{1.2, middle, 0}}, r)};
    const Fill fill = fitted_fill(s, *make_shape(s, 2), h, 2);
    const double disc = 3.14159265358979323846 * r * r * (middle == 0.8 ? 0.5 : 1);
    // Cut tiles are counted by 256 parts each.
    CHECK(double(fill.points.size()) * fill.spacing * fill.spacing ==
          Approx(2.4 * 0.8 - disc).epsilon(2e-4));
  }
}

TEST_CASE("fill: takes just the lattice points inside, for shapes of any kind") {
  ShapeSpec s;
  s.difference = {sphere({{0, 0, 0}}, 0.5), box({{0, 0, 0}}, {{1, 1, 1}})};
  const auto shape = make_shape(s, 3);
  const auto points = fill_lattice(*shape, 0.04, 3);
  std::size_t expected = 0;
  for (int k = 0; k < 25; ++k)
    for (int j = 0; j < 25; ++j)
      for (int i = 0; i < 25; ++i)
        expected +=
            shape->distance({{-0.48 + 0.04 * i, -0.48 + 0.04 * j, -0.48 + 0.04 * k}}) < -1e-7;
  CHECK(points.size() == expected);
  for (const Vec3d& p : points) CHECK(shape->distance(p) < 0);
}

TEST_CASE("fill: the estimated volume is near the true one") {
  CHECK(estimate_volume(*make_shape(box({{0, 0, 0}}, {{0.3, 0.7, 0.2}}), 3), 3) == Approx(0.042));
  CHECK(estimate_volume(*make_shape(sphere({{0, 0, 0}}, 1), 3), 3) ==
        Approx(4.18879).epsilon(0.01));
  CHECK(estimate_volume(*make_shape(sphere({{0, 0, 0}}, 1), 2), 2) ==
        Approx(3.14159).epsilon(0.01));
}

TEST_CASE("fill: what has no inside, or no end, is refused") {
  const std::string infinite =
      "cannot fill an infinite shape (a plane, a height map, or \"inside\": true); intersect it "
      "with a box";
  const auto hollow = make_shape(tank({{0, 0, 0}}, {{1, 1, 1}}), 3);
  CHECK(error_of([&] { fill_lattice(*hollow, 0.1, 3); }) == infinite);
  CHECK(error_of([&] { estimate_volume(*hollow, 3); }) == infinite);
  TriangleMesh open = sphere_mesh(1, 2);
  open.triangles.pop_back();
  CHECK(error_of([&] { fill_lattice(*make_mesh_shape(open), 0.1, 3); }) ==
        "cannot fill a mesh that is not closed; close its holes where it was made");
  CHECK(error_of([] {
          fill_lattice(*make_shape(box({{0, 0, 0}}, {{1e9, 1, 1}}), 3), 0.1, 3);
        }) ==
        "a shape reaches from 0 to 1000000000 m along x, which a spacing of 0.1 m cannot divide; "
        "is its "
        "unit the millimetre? (transform: scale 1e-3)");
}

TEST_CASE("sample: a tank continues the lattice of the fluid, over edges and corners") {
  const double h = 0.02;
  const HalfSteps got(samples(tank({{0, 0, 0}}, {{0.4, 0.3, 0.2}}), h), h, 3);
  CHECK(got.uneven == 0);
  CHECK(got.at == layer({20, 15, 10}, 3));
  const HalfSteps flat(samples(tank({{0, 0, 0}}, {{1.6, 1, 0}}), h, 2), h, 2);
  CHECK(flat.uneven == 0);
  CHECK(flat.at == layer({80, 50, 1}, 2));
}

TEST_CASE("sample: deeper layers of a tank go on with the lattice, round its edges and corners") {
  const double h = 0.02;
  for (const int layers : {2, 3}) {
    const HalfSteps got(samples(tank({{0, 0, 0}}, {{0.2, 0.16, 0.12}}), h, 3, no_region, layers), h,
                        3);
    CHECK(got.uneven == 0);
    CHECK(got.at == layer({10, 8, 6}, 3, layers));
    const HalfSteps flat(samples(tank({{0, 0, 0}}, {{0.4, 0.3, 0}}), h, 2, no_region, layers), h,
                         2);
    CHECK(flat.uneven == 0);
    CHECK(flat.at == layer({20, 15, 1}, 2, layers));
  }
}

TEST_CASE("sample: deeper layers fill a solid as far as it goes, and no further") {
  const double h = 0.1;
  const auto filled = [&](double thick, int layers) {
    return samples(box({{0, 0, 0}}, {{1, thick, 0}}), h, 2, no_region, layers).size();
  };
  CHECK(filled(0.1, 3) == 10);  // a sheet has one layer
  CHECK(filled(0.2, 3) == 20);  // two sides
  CHECK(filled(0.3, 1) == 22);
  CHECK(filled(0.3, 2) == 30);
  CHECK(filled(0.3, 3) == 30);
  CHECK(filled(0.5, 3) == 50);
  CHECK(filled(0.7, 2) == 52);
}

TEST_CASE("sample: layers of a ball lie a spacing deeper each, without holes and crowding") {
  const double h = 0.1;
  const auto shape = make_shape(sphere({{0, 0, 0}}, 0.6), 3);
  std::vector<Vec3d> points, own[3];
  for (const SurfaceSample& s : sample_surface(*shape, h, 3, no_region, 3)) {
    CHECK(shape->distance(s.position) == Approx(-(s.layer + 0.5) * h).margin(0.011 * h));
    CHECK((s.area > 0) == (s.layer == 0));
    points.push_back(s.position), own[s.layer].push_back(s.position);
  }
  CHECK(least_gap(points) > 0.9 * h - 1e-12);
  for (int layer = 0; layer < 3; ++layer) {
    double worst = 0;
    for (const Vec3d& x : scatter(1000, 1))
      worst = std::max(worst, nearest(own[layer], ((0.55 - layer * h) / norm(x)) * x));
    CHECK(worst < 1.1 * h);
  }
}

TEST_CASE("sample: a solid box is its outermost layer of cells") {
  const double h = 0.1;
  const HalfSteps got(samples(box({{0, 0, 0}}, {{1, 0.5, 0.8}}), h), h, 3);
  CHECK(got.uneven == 0);
  std::vector<std::array<long, 3>> outermost = layer({8, 3, 6}, 3);
  for (auto& row : outermost)
    for (long& c : row) c += 2;
  CHECK(got.at == outermost);
}

TEST_CASE("sample: a tank of uneven sides has no holes and no crowding") {
  const double h = 0.1;
  const auto points = samples(tank({{0, 0, 0}}, {{1.07, 0.73, 0.58}}), h);
  CHECK(least_gap(points) > 0.9 * h - 1e-12);
  double worst = 0;
  for (Vec3d x : scatter(2000, 1)) {
    const int side = std::abs(x[0]) > std::abs(x[1]) ? 0 : 1;
    x = {{0.535 + 0.535 * x[0], 0.365 + 0.365 * x[1], 0.29 + 0.29 * x[2]}};
    x[side] = x[side] < (side ? 0.365 : 0.535) ? -0.05 : (side ? 0.78 : 1.12);
    worst = std::max(worst, nearest(points, x));
  }
  CHECK(worst < 1.2 * h);
}

TEST_CASE("sample: a face between lattice planes keeps its rows in step with the lattice") {
  const double h = 0.1;
  const auto points = samples(tank({{0, 0, 0}}, {{1.07, 0.8, 0.6}}), h);
  for (int k = 0; k < 6; ++k)
    for (int j = 0; j < 8; ++j) {
      const Vec3d on_face{{1.12, 0.05 + 0.1 * j, 0.05 + 0.1 * k}};
      CHECK(nearest(points, on_face) < 1e-3 * h);
    }
}

TEST_CASE("sample: a sphere is covered without holes and without crowding, half a spacing deep") {
  const double h = 0.1;
  for (const bool mesh : {false, true}) {
    const auto shape =
        mesh ? make_mesh_shape(sphere_mesh(0.6, 12)) : make_shape(sphere({{0, 0, 0}}, 0.6), 3);
    std::vector<Vec3d> points;
    for (const SurfaceSample& s : sample_surface(*shape, h, 3, no_region)) {
      points.push_back(s.position);
      CHECK(shape->distance(s.position) == Approx(-0.5 * h).margin(0.011 * h));
      CHECK(s.area == Approx(h * h));
    }
    CHECK(least_gap(points) > 0.9 * h - 1e-12);
    double worst = 0;
    for (const Vec3d& x : scatter(1000, 1))
      worst = std::max(worst, nearest(points, (0.55 / norm(x)) * x));
    CAPTURE(mesh, points.size());
    CHECK(worst < 1.1 * h);
    CHECK(double(points.size()) * h * h == Approx(4 * 3.14159 * 0.55 * 0.55).epsilon(0.25));
  }
}

TEST_CASE("sample: a disc in 2D is covered like a sphere") {
  const double h = 0.05;
  const auto points = samples(sphere({{0.3, 0, 0}}, 0.5), h, 2);
  CHECK(least_gap(points) > 0.9 * h - 1e-12);
  for (int i = 0; i < 1000; ++i) {
    const Vec3d x{{0.3 + 0.475 * std::cos(i), 0.475 * std::sin(i), 0}};
    CHECK(nearest(points, x) < 0.91 * h);
  }
}

TEST_CASE("sample: a plane is cut to the region, and a level one keeps its lattice") {
  ShapeSpec s;
  s.plane = PlaneSpec{{{0, 0.1, 0}}, {{0, 1, 0}}};
  const double h = 0.1;
  const auto points = samples(s, h, 3, {{{0, -1, 0}}, {{1, 1, 0.5}}});
  CHECK(points.size() == 10 * 5);
  for (const Vec3d& p : points) CHECK(p[1] == Approx(0.05));
  CHECK(nearest(points, {{0.35, 0.05, 0.25}}) < 1e-12);
  CHECK_THAT(error_of([&] {
               samples(s, h, 3, {{{-INFINITY, -1, 0}}, {{1, 1, 1}}});
             }),
             Catch::Contains("a shape reaches from -inf to 1 m along x"));
}

TEST_CASE("sample: a plate thinner than a spacing has one layer in its middle") {
  const double h = 0.1;
  const auto points = samples(box({{0, 0, 0}}, {{1, 1, 0.03}}), h);
  CHECK(points.size() > 70);
  CHECK(points.size() < 150);
  CHECK(least_gap(points) > 0.9 * h - 1e-12);
  for (const Vec3d& p : points) CHECK((p[2] > 0 && p[2] < 0.03));
  for (Vec3d x : scatter(500, 0.5)) {
    x = {{x[0] + 0.5, x[1] + 0.5, 0.03}};
    CHECK(nearest(points, x) < 1.2 * h);
  }
}

// Where two or three of its faces are as near, what differences show of their normals is none: a
// ray along it began inside, and met the surface from there.
TEST_CASE("sample: a turned box has no gap in front of it, at its edges and corners either") {
  for (const Vec3d& axis : scatter(40, 1.0)) {
    const double side = 0.16, h = 0.07;
    const auto point = [&](double x, double y, double z) {
      return rotated(axis, {{x * side, y * side, z * side}});
    };
    TriangleMesh cube;
    for (int k = 0; k < 8; ++k) cube.vertices.push_back(point(k & 1, k >> 1 & 1, k >> 2));
    cube.triangles = {{{0, 2, 1}}, {{1, 2, 3}}, {{4, 5, 6}}, {{5, 7, 6}}, {{0, 1, 4}}, {{1, 5, 4}},
                      {{2, 6, 3}}, {{3, 6, 7}}, {{0, 4, 2}}, {{2, 4, 6}}, {{1, 3, 5}}, {{3, 7, 5}}};
    const auto shape = make_mesh_shape(cube);
    for (const double in : {0.1, 0.3, 0.45}) {
      CHECK(thickness(*shape, point(in, in, 0.5), h, h, 3).gap > h);
      CHECK(thickness(*shape, point(in, 1 - in, in), h, h, 3).gap > h);
      CHECK(thickness(*shape, point(0.5, in, 0.5), h, h, 3).gap > h);
    }
    CHECK(thickness(*shape, point(0.5, 0.2, 0.5), 2 * side, h, 3).solid == Approx(side));
  }
}

TEST_CASE("sample: an open mesh is sampled on its surface") {
  TriangleMesh bowl = sphere_mesh(0.5, 8);
  std::erase_if(bowl.triangles, [&](const auto& t) {
    return bowl.vertices[t[0]][1] + bowl.vertices[t[1]][1] + bowl.vertices[t[2]][1] > 0;
  });
  const auto shape = make_mesh_shape(bowl);
  REQUIRE_FALSE(shape->closed());
  const double h = 0.06;
  std::vector<Vec3d> points;
  for (const SurfaceSample& s : sample_surface(*shape, h, 3, no_region)) {
    points.push_back(s.position);
    CHECK(std::abs(shape->distance(s.position)) <= 0.01 * h);
  }
  CHECK(least_gap(points) > 0.9 * h - 1e-12);
  for (const auto& t : bowl.triangles)
    CHECK(nearest(points, (1.0 / 3) * (bowl.vertices[t[0]] + bowl.vertices[t[1]] +
                                       bowl.vertices[t[2]])) < 1.1 * h);
}

TEST_CASE("sample: the same shape gives the same samples") {
  CHECK(samples(sphere({{0.1, 0.2, 0.3}}, 0.4), 0.05) ==
        samples(sphere({{0.1, 0.2, 0.3}}, 0.4), 0.05));
}

// Lattice neighbours of a sample at 1, sqrt 2 and sqrt 3 spacings weigh w1, w2 and w3.
TEST_CASE("sample: what is open of a wall is what a lattice of fluid fills") {
  const double h = 0.1, w1 = 0.25, w2 = 0.25 * std::pow(2 - std::sqrt(2.0), 3);
  const auto open = [&](const ShapeSpec& s, const Vec3d& x, int dim) {
    double least = 1e300, value = 0;
    for (const SurfaceSample& p : sample_surface(*make_shape(s, dim), h, dim, no_region))
      if (const double d = norm(p.position - x); d < least) least = d, value = p.open;
    CHECK(least < 1e-6);
    return value;
  };
  const ShapeSpec solid = box({{0, 0, 0}}, {{1, 1, 1}});
  CHECK(open(solid, {{0.45, 0.95, 0}}, 2) == Approx(1));
  CHECK(open(solid, {{0.95, 0.45, 0.55}}, 3) == Approx(1));
  // Its corner in the plane has two neighbours and three diagonal ones, a face one and two.
  CHECK(open(solid, {{0.95, 0.95, 0}}, 2) == Approx((2 * w1 + 3 * w2) / (w1 + 2 * w2)));
  // Fluid on both sides of a plate.
  CHECK(open(box({{0, 0, 0}}, {{1, 0.1, 1}}), {{0.45, 0.05, 0.55}}, 3) == Approx(2));
}

TEST_CASE("sample: a ball is open as the shells of fluid around it are larger than its own") {
  const double h = 0.1;
  for (const double radius : {0.3, 0.5, 1.0}) {
    double sum = 0;
    const auto all = sample_surface(*make_shape(sphere({}, radius), 3), h, 3, no_region);
    for (const SurfaceSample& p : all) sum += p.open / double(all.size());
    // A shell of radius R + d gives (R + d) / R times what a plane does at a distance of d: the
    // integral of W over it in |x|, from d on; cells of a lattice smear what is cut, by up to 7 %.
    CHECK(sum == Approx(1 + h / (radius - 0.5 * h)).epsilon(0.08));
  }
}
