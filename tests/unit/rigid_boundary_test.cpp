#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "rigid_bodies.h"

using namespace rtsim;

namespace {

ShapeSpec tank(const Vec3d& min, const Vec3d& max) {
  ShapeSpec s;
  s.box = BoxSpec{min, max};
  s.inside = true;
  return s;
}

// A flat floor at y = 0 of n x n squares with side 1, in two triangles each.
ShapeSpec floor_mesh(int n) {
  const auto file = std::filesystem::temp_directory_path() / "rtsim_rigid_floor.obj";
  std::ofstream out(file);
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) out << "v " << i << " 0 " << j << '\n';
  const auto at = [&](int i, int j) { return j * (n + 1) + i + 1; };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      out << "f " << at(i, j) << ' ' << at(i, j + 1) << ' ' << at(i + 1, j + 1) << '\n';
      out << "f " << at(i, j) << ' ' << at(i + 1, j + 1) << ' ' << at(i + 1, j) << '\n';
    }
  ShapeSpec s;
  s.mesh = MeshSpec{FileName{file.string()}};
  return s;
}

template <int D>
double least(const std::vector<rigid::Manifold<D>>& m) {
  double r = 1e30;
  for (const auto& k : m)
    for (int p = 0; p < k.points; ++p) r = std::min(r, double(k.separation(p)));
  return r;
}

}  // namespace

TEST_CASE("rigid_boundary: a box in the corner of a tank touches its three walls") {
  Touched t(3);
  t.add(t.add_shape({box_part({{0.5, 0.5, 0.5}})}), {{0.499, 0.498, 0.497}});
  t.bound(tank({{0, 0, 0}}, {{4, 4, 4}}));
  const auto m = t.find<3>(0.01);
  REQUIRE(m.size() == 3);
  for (const auto& k : m) {
    CHECK(k.points == 4);
    const int axis = std::abs(k.normal[0]) > 0.9 ? 0 : std::abs(k.normal[1]) > 0.9 ? 1 : 2;
    CHECK(k.normal[axis] == Approx(-1));
    CHECK(k.separation(0) == Approx(-0.001 * (axis + 1)).margin(1e-6));
  }
  CHECK((m[0].part_b < m[1].part_b && m[1].part_b < m[2].part_b));
}

TEST_CASE("rigid_boundary: a ball in a bowl touches it where it is nearest") {
  Touched t(3);
  const Vec3d x{{1.2, -2.1, 0.3}};
  t.add(t.add_shape({sphere_part(0.5)}), x);
  ShapeSpec bowl;
  bowl.sphere = SphereSpec{{{0, 0, 0}}, 3};
  bowl.inside = true;
  t.bound(bowl);
  const auto m = t.find<3>(0.1);
  REQUIRE(m.size() == 1);
  CHECK(m[0].separation(0) == Approx(2.5 - norm(x)).margin(1e-5));
  for (int a = 0; a < 3; ++a) CHECK(m[0].normal[a] == Approx(x[a] / norm(x)).margin(1e-5));
}

TEST_CASE("rigid_boundary: a box in a wedge of two planes' intersection has a manifold a side") {
  // The groove is what two half-spaces leave open: each side's own normal.
  Touched t(3);
  const double c = std::sqrt(0.5);
  t.add(t.add_shape({box_part({{0.5, 0.5, 0.5}})}), {{0, std::sqrt(0.5) - 0.001, 0}},
        {0, 0, std::sin(pi / 8), std::cos(pi / 8)});
  ShapeSpec left, right, both;
  left.plane = PlaneSpec{{{0, 0, 0}}, {{c, c, 0}}};
  right.plane = PlaneSpec{{{0, 0, 0}}, {{-c, c, 0}}};
  both.any_of = {left, right};
  t.bound(both);
  const auto m = t.find<3>(0.01);
  REQUIRE(m.size() == 2);
  for (const auto& k : m) {
    CHECK(k.points == 4);
    CHECK(k.normal[1] == Approx(-c));
  }
}

TEST_CASE("rigid_boundary: a floor of triangles pushes straight up wherever a body lies on it") {
  const std::vector<ConvexPart> parts = {box_part({{0.4, 0.5, 0.3}}), sphere_part(0.5),
                                         capsule_part(0.2, 0.3), cylinder_part(0.5, 0.4),
                                         octahedron_part(0.5)};
  for (const ConvexPart& p : parts)
    for (const double x : {1.5, 2.0, 2.2, 2.9999}) {
      Touched t(3);
      t.add(t.add_shape({p}), {{x, 0.499, 2.2}});
      t.bound(floor_mesh(5));
      const auto m = t.find<3>(0.01);
      INFO("part " << int(p.kind) << " at " << x);
      REQUIRE(!m.empty());
      for (const auto& k : m) CHECK(k.normal[1] == Approx(-1));
      CHECK(least<3>(m) == Approx(-0.001).margin(2e-5));
    }
}

TEST_CASE("rigid_boundary: a body deep in a closed mesh is sent out the shortest way") {
  const auto file = std::filesystem::temp_directory_path() / "rtsim_rigid_box.obj";
  {
    std::ofstream out(file);
    for (int k = 0; k < 8; ++k)
      out << "v " << (k & 1) * 4 << ' ' << (k & 2) << ' ' << (k & 4) << '\n';
    for (const auto& f : box_part({{1, 1, 1}}).faces)
      out << "f " << f[0] + 1 << ' ' << f[1] + 1 << ' ' << f[2] + 1 << ' ' << f[3] + 1 << '\n';
  }
  ShapeSpec box;
  box.mesh = MeshSpec{FileName{file.string()}};
  for (const double y : {1.8, 2.2}) {
    Touched t(3);
    t.add(t.add_shape({sphere_part(0.3)}), {{2.1, y, 1.7}});
    t.bound(box);
    const auto m = t.find<3>(0.01);
    REQUIRE(!m.empty());
    CHECK(m[0].normal[1] == Approx(-1).margin(1e-5));
    CHECK(least<3>(m) == Approx(y - 2 - 0.3).margin(1e-5));
  }
}

TEST_CASE("rigid_boundary: a signed distance holds corners as the planes it is made of do") {
  Touched planes(3), field(3);
  for (Touched* t : {&planes, &field})
    t->add(t->add_shape({box_part({{0.5, 0.5, 0.5}})}), {{0.2, 0.499, 0.1}});
  planes.bound_by(PlaneSpec{});
  ShapeSpec below, above, all;
  below.plane = PlaneSpec{};
  above.box = BoxSpec{{{-9, -9, -9}}, {{9, 9, 9}}};
  all.all_of = {below, above};
  field.bound(all);
  const auto p = planes.find<3>(0.01), f = field.find<3>(0.01);
  REQUIRE(p.size() == 1);
  REQUIRE(f.size() == 1);
  REQUIRE(f[0].points == p[0].points);
  for (int k = 0; k < p[0].points; ++k) {
    CHECK(f[0].separation(k) == Approx(p[0].separation(k)).margin(1e-6));
    CHECK(f[0].feature(k) == p[0].feature(k));
    for (int a = 0; a < 3; ++a) CHECK(f[0].arm_a(k)[a] == Approx(p[0].arm_a(k)[a]).margin(1e-6));
  }
}

TEST_CASE("rigid_boundary: polygons in the plane lie on boxes, in tanks and drums") {
  Touched t(2);
  t.add(t.add_shape({polygon_part(4, std::sqrt(0.5), pi / 4)}), {{0.499, 0.499, 0}});
  t.bound(tank({{0, 0, 0}}, {{4, 4, 4}}));
  CHECK(t.find<2>(0.01).size() == 2);

  Touched on_box(2);
  on_box.add(on_box.add_shape({polygon_part(4, std::sqrt(0.5), pi / 4)}), {{0.2, 0.499, 0}});
  ShapeSpec box;
  box.box = BoxSpec{{{-1, -1, 0}}, {{1, 0, 0}}};
  on_box.bound(box);
  const auto m = on_box.find<2>(0.01);
  REQUIRE(m.size() == 1);
  CHECK(m[0].points == 2);
  CHECK(m[0].normal[1] == Approx(-1));

  Touched in_bowl(2);
  in_bowl.add(in_bowl.add_shape({sphere_part(0.5)}), {{0, -2.501, 0}});
  ShapeSpec bowl;
  bowl.sphere = SphereSpec{{{0, 0, 0}}, 3};
  bowl.inside = true;
  in_bowl.bound(bowl);
  const auto b = in_bowl.find<2>(0.01);
  REQUIRE(b.size() == 1);
  CHECK(b[0].separation(0) == Approx(-0.001).margin(1e-5));
}

TEST_CASE("rigid_boundary: a wall that moves takes its arms and speeds from its pose") {
  Touched t(3);
  t.add(t.add_shape({sphere_part(0.5)}), {{2, 0.6, 0}});
  ShapeSpec lid;
  lid.box = BoxSpec{{{-3, -1, -3}}, {{3, 0, 3}}};
  t.bound(lid);
  MotionSpec motion;
  motion.velocity = {{0, 1, 0}}, motion.spin_axis = {{0, 1, 0}}, motion.spin = 2;
  motion.centre = {{1, 0, 0}};
  t.world.objects.back().moving = true;
  t.world.objects.back().motion = std::make_shared<const MotionSpec>(motion);
  t.build();
  Collision<3> c(t.world, "bodies", t.boundaries);
  c.find(t.world, {50, 0.05, 1e-3}, 0.1);
  REQUIRE(c.manifolds().size == 1);
  const auto& m = c.manifolds()[0];
  CHECK(m.separation(0) == Approx(0.05).margin(1e-5));
  CHECK(c.boundaries()[0].velocity[1] == Approx(1));
  CHECK(c.boundaries()[0].angular_velocity[1] == Approx(2));
  CHECK(m.arm_b(0)[0] == Approx(1).margin(1e-5));
}
