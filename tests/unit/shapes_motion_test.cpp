#include <catch2/catch.hpp>

#include "shapes/mesh_shape.h"
#include "shapes/motion.h"
#include "shapes_support.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

MotionSpec spinning() {
  MotionSpec m;
  m.velocity = {{0.3, -0.2, 0.1}};
  m.spin_axis = {{1, 2, 2}};
  m.spin = 1.7;
  m.centre = {{0.5, 0.4, -0.3}};
  return m;
}

MotionSpec keyframed() {
  MotionSpec m;
  m.centre = {{0, 1, 0}};
  m.keyframes = {{1, {{0, 0, 0}}, {{0, 0, 1}}, 0},
                 {2, {{1, 0, 0}}, {{0, 0, 1}}, 720},
                 {4, {{1, 3, 0}}, {{1, 0, 0}}, 90}};
  return m;
}

// The largest difference between velocity_at and the central difference of where points go.
double velocity_error(const MotionSpec& m, double time) {
  const double e = 1e-6;
  const Pose before = pose_at(m, time - e), now = pose_at(m, time), after = pose_at(m, time + e);
  double worst = 0;
  for (const Vec3d& local : scatter(20, 2)) {
    const Vec3d v = (0.5 / e) * (after.apply(local) - before.apply(local));
    worst = std::max(worst, norm(v - now.velocity_at(now.apply(local))));
  }
  return worst;
}

}  // namespace

TEST_CASE("motion: a shape without one stays where it is") {
  CHECK_FALSE(moves(MotionSpec{}));
  CHECK(pose_at(MotionSpec{}, 3).apply({{1, 2, 3}}) == Vec3d{{1, 2, 3}});
}

TEST_CASE("motion: velocity is the derivative of position") {
  CHECK(moves(spinning()));
  for (const double t : {0.0, 0.4, 2.3}) CHECK(velocity_error(spinning(), t) < 1e-8);
  for (const double t : {0.5, 1.2, 1.9, 2.5, 3.9, 4.5})
    CHECK(velocity_error(keyframed(), t) < 1e-6);
}

TEST_CASE("motion: a spin turns by the right hand about its centre") {
  MotionSpec m;
  m.spin = 0.5 * 3.14159265358979323846;
  m.centre = {{1, 0, 0}};
  const Vec3d x = pose_at(m, 1).apply({{2, 0, 0}});
  CHECK(x[0] == Approx(1).margin(1e-12));
  CHECK(x[1] == Approx(1));
  CHECK(pose_at(m, 1).velocity_at({{2, 0, 0}})[1] == Approx(m.spin));
}

TEST_CASE("motion: keyframes are met, joined linearly and held at both ends") {
  const MotionSpec m = keyframed();
  CHECK(pose_at(m, 0).apply({{1, 1, 0}}) == Vec3d{{1, 1, 0}});
  CHECK(pose_at(m, 0).velocity_at({{1, 1, 0}}) == Vec3d{});
  CHECK(pose_at(m, 1.25).apply({{0, 1, 0}})[0] == Approx(0.25));
  CHECK(norm(pose_at(m, 1.5).angular_velocity) == Approx(4 * 3.14159265358979323846));
  const Vec3d end = pose_at(m, 9).apply({{0, 2, 0}});  // y turns to z, then moves by (1, 3, 0)
  CHECK(norm(end - Vec3d{{1, 4, 1}}) < 1e-12);
  CHECK(norm(pose_at(m, 4).apply({{0, 2, 0}}) - end) < 1e-12);
  CHECK(pose_at(m, 9).velocity_at(end) == Vec3d{});
}

TEST_CASE("motion: keyframed turns stay rotations where axes differ") {
  const Pose p = pose_at(keyframed(), 3.1);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) CHECK(dot(p.row[i], p.row[j]) == Approx(i == j).margin(1e-14));
}

// A square in the plane x + 2 y + 2 z = 0.
TEST_CASE("motion: a sheet is as fast along its normal as a solid's side is") {
  const Vec3d n{{1.0 / 3, 2.0 / 3, 2.0 / 3}}, u{{0, 0.6, -0.6}}, v{{-0.8, 0.2, 0.2}};
  TriangleMesh sheet;
  sheet.vertices = {{}, u, u + v, v};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  const auto shape = make_mesh_shape(sheet);
  MotionSpec m;
  m.keyframes = {{0, {}, {{0, 0, 1}}, 0}, {0.5, 1.5 * n + 3 * u, {{0, 0, 1}}, 0}};
  const std::vector<Vec3d> places{{0.3 * u + 0.4 * v}, {0.7 * u + 0.6 * v}};
  CHECK(greatest_normal_speed(m, *shape, places) == Approx(3).epsilon(1e-6));
  m.keyframes[1].translate = 3 * u;
  CHECK(greatest_normal_speed(m, *shape, places) < 1e-6);
}
