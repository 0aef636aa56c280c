#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "bodies/shapes/convex_parts.h"
#include "bodies/shapes/solid.h"
#include "shapes/mesh_text.h"
#include "unit/shapes_support.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

using Parts = std::vector<std::vector<Vec3d>>;

double volume_of_hull(const std::vector<Vec3d>& points) {
  const ConvexHull hull = convex_hull(points, 3);
  TriangleMesh m{hull.corners, {}};
  for (const auto& f : hull.faces)
    for (std::size_t k = 1; k + 1 < f.size(); ++k) m.triangles.push_back({f[0], f[k], f[k + 1]});
  return moments_of_mesh(m).volume;
}

// Unit cubes of a lattice as one closed surface.
TriangleMesh cubes(const std::vector<std::array<int, 3>>& places, double side, const Vec3d& shift) {
  TriangleMesh m;
  std::map<std::array<int, 3>, std::int32_t> known;
  for (const auto& p : places)
    for (std::size_t a = 0; a < 3; ++a)
      for (const int up : {0, 1}) {
        std::array<int, 3> beside = p;
        beside[a] += up ? 1 : -1;
        if (std::ranges::count(places, beside) > 0) continue;
        std::array<std::int32_t, 4> face;
        for (std::size_t k = 0; k < 4; ++k) {
          std::array<int, 3> c = p;
          c[a] += up, c[(a + 1) % 3] += k == 1 || k == 2, c[(a + 2) % 3] += k >= 2;
          const auto [it, fresh] = known.insert({c, std::int32_t(m.vertices.size())});
          if (fresh)
            m.vertices.push_back(shift + side * Vec3d{{double(c[0]), double(c[1]), double(c[2])}});
          face[k] = it->second;
        }
        if (!up) std::swap(face[1], face[3]);
        m.triangles.push_back({face[0], face[1], face[2]});
        m.triangles.push_back({face[0], face[2], face[3]});
      }
  return m;
}

double hulls_of(const Parts& parts) {
  double sum = 0;
  for (const auto& p : parts) sum += volume_of_hull(p);
  return sum;
}

Parts parts_of_outline(const std::vector<Vec3d>& corners, int most) {
  TriangleMesh m{corners, {}};
  std::vector<std::int32_t> all;
  for (std::size_t k = 0; k < corners.size(); ++k) all.push_back(std::int32_t(k));
  append_polygon(m, all);
  return convex_parts_in_the_plane(m, most);
}

double areas_of(const Parts& parts) {
  double sum = 0;
  for (const auto& p : parts) sum += moments_of_polygon(convex_hull(p, 2).corners).volume;
  return sum;
}

}  // namespace

TEST_CASE("bodies_parts: what boxes make up is cut into boxes, wherever it stands") {
  const std::vector<std::array<int, 3>> angle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 2, 0}},
      corner{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
      cross{{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (const double side : {0.013, 1.0, 37.0})
    for (const Vec3d& shift : {Vec3d{}, Vec3d{{0.31, -7, 100}}}) {
      INFO(side << " m at " << shift[2]);
      const double v = side * side * side;
      const auto cut = [&](const auto& places) {
        return convex_parts(cubes(places, side, shift), 32);
      };
      CHECK(cut(angle).size() == 2);
      CHECK(hulls_of(cut(angle)) == Approx(4 * v).epsilon(1e-6));
      CHECK(cut(corner).size() == 3);
      CHECK(hulls_of(cut(corner)) == Approx(4 * v).epsilon(1e-6));
      CHECK(cut(cross).size() <= 7);
      CHECK(hulls_of(cut(cross)) == Approx(7 * v).epsilon(1e-6));
    }
}

TEST_CASE("bodies_parts: a ring keeps its hole, and its parts come nearer with their number",
          "[long]") {
  const TriangleMesh ring = torus_mesh(1, 0.3, 24);
  const double own = moments_of_mesh(ring).volume;
  CHECK(convex_parts(ring, 1).size() == 1);
  double last = volume_of_hull(ring.vertices) / own;
  for (const int most : {4, 8, 16, 32}) {
    const Parts parts = convex_parts(ring, most);
    CHECK(parts.size() == std::size_t(most));
    const double now = hulls_of(parts) / own;
    INFO(most << ": " << now);
    CHECK(now > 1);
    CHECK(now < last);
    last = now;
    for (const auto& p : parts) {  // none has the middle
      std::vector<Vec3d> with = p;
      with.push_back({});
      CHECK(volume_of_hull(with) > (1 + 1e-3) * volume_of_hull(p));
    }
  }
  CHECK(last < 1.03);
}

TEST_CASE("bodies_parts: what is convex stays whole") {
  CHECK(convex_parts(cubes({{0, 0, 0}, {1, 0, 0}}, 1, {}), 32).size() == 1);
  CHECK(convex_parts(sphere_mesh(2, 8), 32).size() == 1);
}

TEST_CASE("bodies_parts: outlines are cut along diagonals, into all of themselves") {
  for (const int points : {3, 5, 12}) {
    std::vector<Vec3d> star;
    for (int k = 0; k < 2 * points; ++k) {
      const double a = 0.3 + pi * k / points, r = k % 2 ? 0.4 : 1;
      star.push_back({{r * std::cos(a), r * std::sin(a), 0}});
    }
    const double own = moments_of_polygon(star).volume;
    const Parts parts = parts_of_outline(star, 64);
    INFO(points << " points: " << parts.size() << " parts");
    CHECK(areas_of(parts) == Approx(own).epsilon(1e-9));
    CHECK(parts.size() <= 2 * std::size_t(points));  // four times the least, in the worst case
    const Parts few = parts_of_outline(star, 2);
    CHECK(few.size() == 2);
    CHECK(areas_of(few) < moments_of_polygon(convex_hull(star, 2).corners).volume * (1 + 1e-12));
  }
}
