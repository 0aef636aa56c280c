#include "grids/solids.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "shapes/shape.h"
#include "stage/boundary_pose.h"

using namespace rtsim;
using Catch::Matchers::Contains;

namespace {

// A ball of radius 0.3 m at the middle of a box of 20^3 cells.
struct BallInBox {
  World world{Exec::cpu(1), 3};
  std::shared_ptr<const Shape> shape;
  GridShape grid;

  explicit BallInBox(bool moving) {
    ShapeSpec spec;
    spec.sphere = SphereSpec{{{0.5, 0.5, 0.5}}, 0.3};
    shape = make_shape(spec, 3);
    world.objects.push_back({"ball", Kind::boundary, 0, moving, shape});
    grid.spacing = 0.05;
    for (Index& n : grid.cells) n = 20;
  }

  // The largest error of the distance within the band, the ball being moved by `by`.
  double error(const Solids& s, const Vec3d& by) const {
    const std::vector<Real> d(s.distance().data, s.distance().data + s.distance().size);
    double worst = 0;
    for (Index c = 0; c < Index(d.size()); ++c) {
      const double exact = norm(grid.centre(c) - by - Vec3d{{0.5, 0.5, 0.5}}) - 0.3;
      if (std::abs(exact) < 0.1)
        worst = std::max(worst, std::abs(double(d[std::size_t(c)]) - exact));
      if (std::abs(exact) > 0.01) CHECK((exact < 0) == (d[std::size_t(c)] < 0));
    }
    return worst;
  }
};

}  // namespace

TEST_CASE("solids: what stands still is exact within the band") {
  BallInBox b(false);
  Solids s(b.world, {"ball"}, b.grid, 0.15, "seen");
  CHECK(!s.moving());
  CHECK(b.error(s, {}) < 1e-6);
}

// Between the nodes of its map a ball of radius R is off by at most 3 h^2 / (8 R).
TEST_CASE("solids: what moves is read from its map, wherever it goes") {
  BallInBox b(true);
  Solids s(b.world, {"ball"}, b.grid, 0.15, "seen");
  REQUIRE(s.moving());
  const Vec3d by{{0.11, -0.07, 0.02}};
  const Vec3d rows[pose_rows] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}, by, {{2, 0, 0}}, {}, {}};
  b.world.exec.upload(b.world.table(pose_table("ball")).column<Vec3d>("pose").data, rows,
                      sizeof rows);
  s.update(b.world, 0, 0);
  CHECK(b.error(s, by) < 3 * 0.05 * 0.05 / (8 * 0.2));
  CHECK(s.poses()[0].velocity[0] == 2);
}

// Its width and that of its band are no whole cells.
TEST_CASE("solids: the map of what moves lies evenly round it, so that mirrored bodies are alike") {
  BallInBox b(true);
  Solids s(b.world, {"ball"}, b.grid, 0.163, "seen");
  const Vec3d rows[pose_rows] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};
  b.world.exec.upload(b.world.table(pose_table("ball")).column<Vec3d>("pose").data, rows,
                      sizeof rows);
  s.update(b.world, 0, 0);
  for (Index c = 0; c < Index(b.grid.rows()); ++c) {
    const Index i = c % 20, j = c / 20 % 20, k = c / 400;
    for (const Index other : {b.grid.row(19 - i, j, k), b.grid.row(i, 19 - j, 19 - k)})
      CHECK(s.distance().data[c] == Approx(s.distance().data[other]).margin(1e-6));
  }
}
