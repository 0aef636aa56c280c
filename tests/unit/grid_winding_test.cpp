#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "boundaries/deforming_surface.h"
#include "grid/solids.h"
#include "shapes/mesh_file.h"

using namespace rtsim;

namespace {

using Inside = std::function<bool(const Vec3d&)>;

void add_box(TriangleMesh& mesh, const Vec3d& low, const Vec3d& high) {
  const auto first = std::int32_t(mesh.vertices.size());
  for (int k = 0; k < 8; ++k)
    mesh.vertices.push_back(
        {{k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]}});
  constexpr int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                               {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (const auto& q : quads)
    for (const auto& t : {std::array{q[0], q[1], q[2]}, std::array{q[0], q[2], q[3]}})
      mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

TriangleMesh moved(TriangleMesh mesh, const std::function<Vec3d(const Vec3d&)>& map) {
  for (Vec3d& x : mesh.vertices) x = map(x);
  return mesh;
}

// Cells of a grid of 23^3 about the origin whose distance has the wrong sign.
int wrong(const TriangleMesh& rest, const TriangleMesh& now, bool inside_out,
          const Inside& inside) {
  World world{Exec::cpu(2), 3};
  std::vector<Vec<3>> place;
  for (const Vec3d& x : now.vertices) place.push_back({{Real(x[0]), Real(x[1]), Real(x[2])}});
  Table& corners = world.add_table("corners", Index(place.size()));
  corners.add<Vec<3>>({"position", "m"}, place);
  corners.add<Vec<3>>({"velocity", "m/s"});
  const DeformingSurface surface(world, "corners", rest, inside_out);

  constexpr Index n = 23;
  grid::GridView g;
  g.spacing = Real(0.2);
  for (int a = 0; a < 3; ++a) g.n[a] = n, g.first[a] = Real(-2.2), g.step[a] = g.spacing;
  const auto rows = std::size_t(g.rows());
  Buffer<std::int8_t> winding(world.exec, rows);
  Buffer<Real> distance(world.exec);
  Buffer<grid::SolidId> nearest(world.exec, rows);
  Buffer<Vec<3>> velocity(world.exec, rows);
  distance.upload(std::vector<Real>(rows, Real(9)));
  grid::take_nearer_surface(world.exec, g, {surface.view(), surface.velocity(), inside_out},
                            Real(9), {0, 0, 0}, {n, n, n}, 1, winding.span(), distance.span(),
                            nearest.span(), velocity.span());
  const std::vector<Real> d = distance.download();
  int count = 0;
  for (Index c = 0; c < g.rows(); ++c)
    count += (d[std::size_t(c)] < 0) != (inside(widen(g.place(c))) != inside_out);
  return count;
}

bool in_box(const Vec3d& x, const Vec3d& low, const Vec3d& high) {
  bool in = true;
  for (int a = 0; a < 3; ++a) in = in && low[a] < x[a] && x[a] < high[a];
  return in;
}

const Vec3d low{{-1.1, -0.9, -1.3}}, high{{0.7, 1.1, 0.9}};

}  // namespace

TEST_CASE("grid: a closed surface has its inside within, however it lies to the grid") {
  TriangleMesh box;
  add_box(box, low, high);
  for (const bool inside_out : {false, true})
    CHECK(wrong(box, box, inside_out, [](const Vec3d& x) { return in_box(x, low, high); }) == 0);
  // Through the middles of cells: what lies on the surface has no side.
  const Vec3d a{{-1.2, -0.8, -1}}, b{{0.6, 1, 1.4}};
  TriangleMesh aligned;
  add_box(aligned, a, b);
  const Vec3d more{{1e-4, 1e-4, 1e-4}};
  int on = 0;
  const auto on_it = [&](const Vec3d& x) {
    return in_box(x, a - more, b + more) && !in_box(x, a + more, b - more);
  };
  CHECK(wrong(aligned, aligned, false, [&](const Vec3d& x) {
          on += on_it(x);
          return in_box(x, a + more, b - more);
        }) <= on);
  CHECK(on > 0);
  // Turned and sheared.
  const auto map = [](const Vec3d& x) {
    return Vec3d{
        {0.8 * x[0] - 0.6 * x[1] + 0.21 * x[2], 0.6 * x[0] + 0.8 * x[1], x[2] + 0.1 * x[0]}};
  };
  const auto back = [](const Vec3d& y) {  // of the map's rows
    const double det = 1 - 0.21 * 0.8 * 0.1;
    const double z = (y[2] - 0.1 * (0.8 * y[0] + 0.6 * y[1])) / det;
    const double u = y[0] - 0.21 * z;
    return Vec3d{{0.8 * u + 0.6 * y[1], -0.6 * u + 0.8 * y[1], z}};
  };
  CHECK(wrong(box, moved(box, map), false,
              [&](const Vec3d& x) { return in_box(back(x), low, high); }) == 0);
}

TEST_CASE("grid: a surface that is turned inside out has nothing within") {
  TriangleMesh box;
  add_box(box, low, high);
  const TriangleMesh turned = moved(box, [](const Vec3d& x) { return Vec3d{{-x[0], x[1], x[2]}}; });
  CHECK(wrong(box, turned, false, [](const Vec3d&) { return false; }) == 0);
}

TEST_CASE("grid: where a surface goes through itself both parts are within") {
  const Vec3d other_low{{-0.3, -0.5, -0.7}}, other_high{{1.7, 0.5, 1.9}};
  TriangleMesh two;
  add_box(two, low, high), add_box(two, other_low, other_high);
  CHECK(wrong(two, two, false, [&](const Vec3d& x) {
          return in_box(x, low, high) || in_box(x, other_low, other_high);
        }) == 0);
}
