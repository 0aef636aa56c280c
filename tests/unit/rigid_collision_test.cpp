#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "rigid_bodies.h"
#include "shapes/rotation.h"

using namespace rtsim;

TEST_CASE("rigid_collision: boxes on a plane and on each other touch at four corners") {
  Touched t(3);
  const int box = t.add_shape({box_part({{0.5, 0.5, 0.5}})});
  t.add(box, {{0, 0.499, 0}});
  t.add(box, {{0.1, 1.498, 0.2}});
  t.bound_by(PlaneSpec{});
  const auto m = t.find<3>(0.01);
  REQUIRE(m.size() == 2);
  CHECK((m[0].a == 0 && m[0].b == 1));
  CHECK((m[1].a == 0 && m[1].b == 2));
  for (const auto& k : m) {
    REQUIRE(k.points == 4);
    CHECK(std::abs(k.normal[1]) == Approx(1));
    for (int p = 0; p < 4; ++p) CHECK(k.separation(p) == Approx(-0.001).margin(1e-6));
  }
  CHECK(m[0].normal[1] == Approx(1));
  CHECK(m[1].normal[1] == Approx(-1));
}

TEST_CASE("rigid_collision: crossed beams touch in the middle, upright on edge or flat") {
  for (const bool on_edge : {false, true}) {
    const double turn = on_edge ? pi / 4 : 0, high = on_edge ? 0.1 * std::sqrt(2.0) : 0.1;
    Touched t(3);
    // About its own length, then the upper one a quarter of a circle about y.
    t.add(t.add_shape({box_part({{1, 0.1, 0.1}})}), {{0, 0, 0}},
          {std::sin(turn / 2), 0, 0, std::cos(turn / 2)});
    t.add(t.add_shape({box_part({{0.1, 0.1, 1}})}), {{0, 2 * high - 0.001, 0}},
          {0, 0, std::sin(turn / 2), std::cos(turn / 2)});
    const auto m = t.find<3>(0.005);
    REQUIRE(m.size() == 1);
    CHECK(m[0].points == (on_edge ? 1 : 4));
    CHECK(m[0].normal[1] == Approx(1));
    CHECK(m[0].separation(0) == Approx(-0.001).margin(1e-5));
    if (on_edge) CHECK(norm(m[0].arm_a(0) - Vec<3>{{0, Real(high), 0}}) < 1e-3);
  }
}

TEST_CASE("rigid_collision: names of points stay while resting bodies tremble") {
  for (const double turn : {0.0, pi / 4, 0.3}) {
    std::mt19937 g(1);
    std::normal_distribution<double> noise(0, 1e-5);
    std::vector<std::uint32_t> first;
    int changed = 0;
    for (int k = 0; k < 40; ++k) {
      Touched t(3);
      const int box = t.add_shape({box_part({{0.5, 0.5, 0.5}})});
      t.add(box, {{noise(g), 0, noise(g)}}, {noise(g), noise(g), noise(g), 1});
      t.add(box, {{noise(g), 0.999, noise(g)}},
            {noise(g), std::sin(turn / 2), noise(g), std::cos(turn / 2)});
      const auto m = t.find<3>(0.02);
      REQUIRE(m.size() == 1);
      REQUIRE(m[0].points == 4);
      std::vector<std::uint32_t> names;
      for (int k = 0; k < 4; ++k) names.push_back(m[0].feature(k));
      std::sort(names.begin(), names.end());
      if (first.empty()) first = names;
      changed += names != first;
    }
    INFO("turned by " << turn);
    CHECK(changed == 0);
  }
}

TEST_CASE("rigid_collision: a box known as a hull touches as one known as a box") {
  std::mt19937 g(2);
  std::uniform_real_distribution<double> u(-0.2, 0.2);
  for (int k = 0; k < 50; ++k) {
    const Vec3d x{{u(g), 0.995, u(g)}};
    const std::array<double, 4> q{0, std::sin(u(g)), 0, 1};
    std::vector<rigid::Manifold<3>> m[2];
    for (const bool hull : {false, true}) {
      Touched t(3);
      const Vec3d h{{0.5, 0.5, 0.5}};
      const int shape = t.add_shape({hull ? hull_part(h) : box_part(h)});
      t.add(shape, {{0, 0, 0}}), t.add(shape, x, q);
      m[hull] = t.find<3>(0.02);
    }
    REQUIRE((m[0].size() == 1 && m[1].size() == 1));
    REQUIRE(m[0][0].points == m[1][0].points);
    CHECK(norm(m[0][0].normal - m[1][0].normal) < 1e-5);
    for (int p = 0; p < m[0][0].points; ++p)
      CHECK(m[0][0].separation(p) == Approx(m[1][0].separation(p)).margin(1e-5));
  }
}

TEST_CASE("rigid_collision: a ball meets a box at a face, an edge and a corner") {
  for (const int axes : {1, 2, 3}) {
    Touched t(3);
    const int box = t.add_shape({box_part({{0.5, 0.5, 0.5}})});
    const int ball = t.add_shape({sphere_part(0.2)});
    Vec3d x{}, n{};
    for (int a = 0; a < axes; ++a) n[a] = 1 / std::sqrt(double(axes)), x[a] = 0.5 + 0.19 * n[a];
    t.add(box, {{0, 0, 0}});
    t.add(ball, x);
    const auto m = t.find<3>(0.01);
    REQUIRE(m.size() == 1);
    REQUIRE(m[0].points == 1);
    CHECK(m[0].separation(0) == Approx(-0.01).margin(1e-6));
    for (int a = 0; a < 3; ++a) CHECK(m[0].normal[a] == Approx(n[a]).margin(1e-6));
  }
}
