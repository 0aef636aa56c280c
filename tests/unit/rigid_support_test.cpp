#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "bodies/shapes/convex_parts.h"
#include "rigid_bodies.h"
#include "shapes/rotation.h"

using namespace rtsim;

namespace {

ConvexPart part_of(const std::vector<Vec3d>& points) {
  const ConvexHull h = convex_hull(points, 3);
  return {ConvexPart::Kind::hull, h.corners, h.faces};
}

// A bow raked by 45 degrees, which looks down more than the sides of the V do. Its keel is level.
std::vector<Vec3d> boat() {
  return {{{0, 0, 0}}, {{4, 0, 0}}, {{0, 1, 2}}, {{0, -1, 2}}, {{6, 1, 2}}, {{6, -1, 2}}};
}

std::array<double, 4> any_turn(std::mt19937& g) {
  std::normal_distribution<double> u;
  std::array<double, 4> q{u(g), u(g), u(g), u(g)};
  const double s = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (double& c : q) c /= s;
  return q;
}

struct Lowest {
  double corner = 1e30, reach = 0;  // [m] its height; to the farthest corner
};
Lowest lowest(const ConvexPart& p, const std::array<double, 4>& q, double height) {
  const Rotation r =
      rotation_about({{q[0], q[1], q[2]}}, 2 * std::atan2(std::hypot(q[0], q[1], q[2]), q[3]));
  Lowest l;
  for (const Vec3d& x : p.points) {
    l.corner = std::min(l.corner, height + r.apply(x)[1]);
    l.reach = std::max(l.reach, norm(x));
  }
  return l;
}

double least(const rigid::Manifold<3>& m) {
  double all = 1e30;
  for (int k = 0; k < m.points; ++k) all = std::min(all, double(m.separation(k)));
  return all;
}

// Two triangles, 20 m wide.
ShapeSpec wide_floor() {
  const auto file = std::filesystem::temp_directory_path() / "rtsim_rigid_wide_floor.obj";
  std::ofstream(file) << "v -10 0 -10\nv 10 0 -10\nv 10 0 10\nv -10 0 10\nf 1 4 3\nf 1 3 2\n";
  ShapeSpec s;
  s.mesh = MeshSpec{FileName{file.string()}};
  return s;
}

// Slender round ones that lie along z, or nearly so, on a wide top at y = 0, somewhere: each point
// is within their reach, where rounding may take edges of the top for what is nearest.
void check_lying(std::mt19937& g, const std::function<void(Touched&)>& under) {
  constexpr double half = 0.5, radius = 0.02;
  std::uniform_real_distribution<double> place(-8, 8), gap(-2e-3, 2e-3), turn(-0.02, 0.02);
  for (int k = 0; k < 200; ++k) {
    Touched t(3);
    const bool capsule = k % 2 == 0;
    const int shape =
        t.add_shape({capsule ? capsule_part(half, radius) : cylinder_part(half, radius)});
    const Vec3d at{{place(g), radius + gap(g), place(g)}};
    const double angle = pi / 4, yaw = k % 3 == 0 ? 0 : turn(g) / 2;
    const double s = std::sin(angle), c = std::cos(angle);
    t.add(shape, at, {s * std::cos(yaw), c * std::sin(yaw), -s * std::sin(yaw), c * std::cos(yaw)});
    under(t);
    const auto m = t.find<3>(0.01);
    INFO("case " << k << " at " << at[0] << ' ' << at[1] << ' ' << at[2]);
    REQUIRE(!m.empty());
    int points = 0;
    for (const auto& collide : m)
      for (int p = 0; p < collide.points; ++p, ++points) {
        CHECK(norm(collide.arm_a(p)) < std::hypot(half, radius) + 1e-2);
        CHECK(collide.separation(p) == Approx(at[1] - radius).margin(1e-4));
      }
    CHECK(points >= 2);
  }
}

}  // namespace

TEST_CASE("rigid_support: a boat on its level keel is held at bow and stern") {
  Touched t(3);
  t.add(t.add_shape({part_of(boat())}), {{0, 0, -0.001}});
  t.bound_by(PlaneSpec{{{0, 0, 0}}, {{0, 0, 1}}});
  const auto m = t.find<3>(0.01);
  REQUIRE(m.size() == 1);
  REQUIRE(m[0].points == 2);
  CHECK(m[0].separation(0) == Approx(-0.001).margin(1e-6));
  CHECK(m[0].separation(1) == Approx(-0.001).margin(1e-6));
  CHECK(std::abs(m[0].arm_a(0)[0] - m[0].arm_a(1)[0]) == Approx(4).margin(1e-5));
}

TEST_CASE("rigid_support: the lowest corner of a hull is felt, however it is turned") {
  std::mt19937 g(3);
  std::normal_distribution<double> u;
  std::uniform_real_distribution<double> overlap(-0.02, 0.008), longer(0.2, 3);
  for (int k = 0; k < 400; ++k) {
    std::vector<Vec3d> points = boat();
    if (k % 4 > 0) {
      const double stretch = longer(g);
      points.assign(std::size_t(4 + k % 17), {});
      for (Vec3d& x : points) x = {{stretch * u(g), u(g), u(g) / stretch}};
    }
    const ConvexPart part = part_of(points);
    const auto q = any_turn(g);
    const double gap = overlap(g), height = gap - lowest(part, q, 0).corner;
    Touched t(3);
    t.add(t.add_shape({part}), {{0, height, 0}}, q);
    t.bound_by(PlaneSpec{});
    const auto m = t.find<3>(0.01, 1e-6);
    INFO("case " << k << " gap " << gap);
    REQUIRE(m.size() == 1);
    // Where more than four corners are near, one within 0.5 % of the reach stands for the lowest.
    const double alike = m[0].points < 4 ? 1e-5 : 0.005 * lowest(part, q, 0).reach;
    CHECK(least(m[0]) >= gap - 1e-5);
    CHECK(least(m[0]) <= gap + alike);
  }
}

TEST_CASE("rigid_support: what lies along a far edge of a wide top lies on the top") {
  std::mt19937 g(5);
  SECTION("of a body") {
    check_lying(g, [](Touched& t) {
      t.add(t.add_shape({box_part({{10, 0.5, 10}})}), {{0, -0.5, 0}});
    });
  }
  SECTION("of a hull") {
    check_lying(g, [](Touched& t) {
      t.add(t.add_shape({hull_part({{10, 0.5, 10}})}), {{0, -0.5, 0}});
    });
  }
  SECTION("of triangles") {
    check_lying(g, [](Touched& t) { t.bound(wide_floor()); });
  }
}
