#include "shapes/deforming_volume.h"

#include <fmt/format.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetSphere.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "shapes/surface_motion.h"
#include "shapes_support.h"
#include "support/temporary_folder.h"

using namespace rtsim;

namespace {

constexpr double radius = 0.1, voxel = 0.005, fps = 20;
// Corners stand in the middle of what a voxel's edges cut: half of voxel^2 / radius within a ball.
constexpr double within = 0.51 * voxel * voxel / radius;

struct Balls {
  TemporaryFolder folder;
  ShapeSpec shape;
  DeformationSpec spec;

  explicit Balls(const std::vector<Vec3d>& centres, double size = radius) {
    openvdb::initialize();
    for (std::size_t k = 0; k < centres.size(); ++k) {
      const auto& c = centres[k];
      const auto grid = openvdb::tools::createLevelSetSphere<openvdb::FloatGrid>(
          float(size), openvdb::Vec3f(float(c[0]), float(c[1]), float(c[2])), float(voxel));
      grid->setName("surface");
      openvdb::io::File(path(k)).write({grid});
    }
    shape.volume = VolumeSpec{{path(0)}, "", {}};
    spec.frames.pattern = (folder.path / "ball_##.vdb").string();
    spec.fps = fps, spec.start = 1;
  }
  std::string path(std::size_t number) const {
    return (folder.path / fmt::format("ball_{:02}.vdb", number)).string();
  }
  DeformingVolume made() const { return {shape, spec}; }
};

}  // namespace

TEST_CASE("deforming_volume: midway between two balls lies what both distances make of them") {
  const double d = 0.06, thinner = std::sqrt(radius * radius - 0.25 * d * d);
  const DeformingVolume v = Balls({{{0, 0, 0}}, {{d, 0, 0}}}).made();
  CHECK(v.warning().empty());
  const auto ball = v.shape_at(1 + 0.5 / fps);
  const Vec3d middle{{0.5 * d, 0, 0}};
  for (const Vec3d& along : {Vec3d{{1, 0, 0}}, Vec3d{{-1, 0, 0}}})
    CHECK(std::abs(ball->distance(middle + radius * along)) < within);
  for (const Vec3d& across : {Vec3d{{0, 1, 0}}, Vec3d{{0, 0, -1}}})
    CHECK(std::abs(ball->distance(middle + thinner * across)) < within);
  CHECK(ball->bounds().min[0] == Approx(0.5 * d - radius).margin(within));
  CHECK(ball->bounds().max[0] == Approx(0.5 * d + radius).margin(within));
}

TEST_CASE(
    "deforming_volume: its distance is nowhere steeper than one, and stands beyond the frames") {
  const DeformingVolume v = Balls({{{0, 0, 0}}, {{0.05, 0.03, 0}}}).made();
  const auto ball = v.shape_at(1.02);
  const auto points = rtsim::testing::scatter(400, 0.3);
  for (std::size_t i = 1; i < points.size(); ++i)
    CHECK(std::abs(ball->distance(points[i]) - ball->distance(points[i - 1])) <=
          norm(points[i] - points[i - 1]) + 1e-12);
  for (const Vec3d& x : points) {
    CHECK(std::abs(v.shape_at(0)->distance(x) - (norm(x) - radius)) < 2 * within);
    CHECK(std::abs(v.shape_at(9)->distance(x) - (norm(x - Vec3d{{0.05, 0.03, 0}}) - radius)) <
          2 * within);
  }
}

TEST_CASE(
    "deforming_volume: a shift is the velocity of the whole surface, for its part of a step") {
  const Vec3d way{{0.02, 0.01, 0}};
  const DeformingVolume v = Balls({{{0, 0, 0}}, way}).made();
  // Across the way the blend grows thinner by d / (2 R) = 0.11; normals of triangles do the rest.
  const double slack = 0.15 * norm(way) * fps;
  const auto greatest = [&](const SurfaceInMotion& s, double share) {
    double most = 0;
    for (const Vec3d& u : s.velocity) most = std::max(most, norm(u - share * fps * way));
    return most;
  };
  CHECK(greatest(v.leaving(1.02, 0.01), 1) < slack);
  CHECK(greatest(v.leaving(1.005, 0.01), 0.5) < slack);  // it stands until 1 s
  CHECK(greatest(v.leaving(0.9, 0.01), 0) == 0);
  CHECK(greatest(v.leaving(2, 0.01), 0) == 0);
}

TEST_CASE("deforming_volume: frames that are further apart than the solid is thick are told",
          "[long]") {
  CHECK(Balls({{{0, 0, 0}}, {{0.15, 0, 0}}}).made().warning().empty());
  CHECK_THAT(Balls({{{0, 0, 0}}, {{0.25, 0, 0}}}).made().warning(),
             Catch::Matchers::Contains("from frame ball_00.vdb to ball_01.vdb"));
}

TEST_CASE("level_set: in double precision it is the same ball") {
  const Balls balls(std::vector<Vec3d>(1));
  const auto single = make_shape(balls.shape, 3);
  const auto grid = openvdb::tools::createLevelSetSphere<openvdb::DoubleGrid>(
      float(radius), openvdb::Vec3f(0), float(voxel));
  openvdb::io::File(balls.path(0)).write({grid});
  const auto twice = make_shape(balls.shape, 3);
  // A voxel that lies on the surface is on a side by its rounding: corners beside it then differ.
  for (const Vec3d& x : rtsim::testing::scatter(100, 0.2))
    CHECK(std::abs(twice->distance(x) - single->distance(x)) < 0.01 * voxel);
}

TEST_CASE("surface_motion: what is linear in the place is found from the normals alone") {
  const TriangleMesh ball = rtsim::testing::sphere_mesh(0.1, 8);
  std::vector<Vec3d> normals, expected;
  std::vector<double> along;
  for (const Vec3d& x : ball.vertices) {
    normals.push_back((1 / norm(x)) * x);
    expected.push_back({{0.3 + 2 * x[0] + x[1], -0.1 + x[0] - x[1], 0.5 * x[2]}});
    along.push_back(dot(normals.back(), expected.back()));
  }
  const std::vector<Vec3d> found = motion_of_surface(ball, normals, along);
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(norm(found[i] - expected[i]) < 1e-5);
}
