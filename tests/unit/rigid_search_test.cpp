#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>
#include <random>

#include "rigid_bodies.h"

using namespace rtsim;

namespace {

std::array<double, 4> any_turn(std::mt19937& g) {
  std::normal_distribution<double> u;
  std::array<double, 4> q{u(g), u(g), u(g), u(g)};
  double s = 0;
  for (double c : q) s += c * c;
  for (double& c : q) c /= std::sqrt(s);
  return q;
}

// Bodies of all kinds and of sizes from 0.05 to 1 m in a tank, that fly about.
void fill(Touched& t, int bodies, double spread, const Vec3d& shift = {}) {
  std::mt19937 g(3);
  std::uniform_real_distribution<double> u(0, 1);
  std::vector<int> shapes;
  for (const double s : {0.1, 0.4, 1.0})
    for (const ConvexPart& p : {box_part(0.5 * s * Vec3d{{1, 0.8, 0.6}}), sphere_part(0.5 * s),
                                capsule_part(0.3 * s, 0.2 * s), cylinder_part(0.3 * s, 0.3 * s),
                                octahedron_part(0.5 * s)})
      shapes.push_back(t.add_shape({p}));
  // A dumb-bell: a body of three parts.
  ConvexPart left = sphere_part(0.3), right = left, bar = capsule_part(0.5, 0.1);
  left.points[0] = {{0, -0.5, 0}}, right.points[0] = {{0, 0.5, 0}};
  shapes.push_back(t.add_shape({left, bar, right}));
  for (int k = 0; k < bodies; ++k) {
    BodyStart& b =
        t.add(shapes[g() % shapes.size()], shift + spread * Vec3d{{u(g), u(g), u(g)}}, any_turn(g));
    b.velocity = {{4 * u(g) - 2, 4 * u(g) - 2, 4 * u(g) - 2}};
    b.angular_velocity = {{u(g), u(g), u(g)}};
  }
  ShapeSpec tank;
  tank.box = BoxSpec{shift, shift + spread * Vec3d{{1, 1, 1}}};
  tank.inside = true;
  t.bound(tank);
}

bool same(const std::vector<rigid::Manifold<3>>& p, const std::vector<rigid::Manifold<3>>& q) {
  if (p.size() != q.size()) return false;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i].a != q[i].a || p[i].b != q[i].b || p[i].part_a != q[i].part_a ||
        p[i].part_b != q[i].part_b || !(p[i].normal == q[i].normal) || p[i].points != q[i].points)
      return false;
    for (int k = 0; k < p[i].points; ++k)
      if (!(p[i].arm_a(k) == q[i].arm_a(k)) || !(p[i].arm_b(k) == q[i].arm_b(k)) ||
          p[i].separation(k) != q[i].separation(k) || p[i].feature(k) != q[i].feature(k))
        return false;
  }
  return true;
}

std::vector<rigid::Manifold<3>> list_of(const Collision<3>& c) {
  return Touched::listed(c.manifolds());
}

}  // namespace

TEST_CASE("rigid_search: 1, 2 and 5 threads find the same, in order") {
  std::vector<rigid::Manifold<3>> first;
  for (const int threads : {1, 2, 5}) {
    Touched t(3, threads);
    fill(t, 2000, 9);
    const auto m = t.find<3>(0.02, 0.01);
    if (first.empty()) first = m;
    CHECK(same(first, m));
  }
  Touched as_device(Exec::cpu(1).device_shaped(), 3);
  fill(as_device, 2000, 9);
  CHECK(same(first, as_device.find<3>(0.02, 0.01)));
  REQUIRE(first.size() > 2000);
  for (std::size_t i = 1; i < first.size(); ++i) {
    const auto key = [&](std::size_t k) {
      return std::tuple(first[k].a, first[k].b, first[k].part_a, first[k].part_b);
    };
    CHECK(key(i - 1) < key(i));
  }
}

TEST_CASE("rigid_search: every pair of boxes that overlap is found, and no other") {
  std::mt19937 g(5);
  std::uniform_real_distribution<float> u(0, 1);
  std::vector<rigid::Aabb<3>> boxes;
  std::vector<rigid::Item> items;
  for (Index i = 0; i < 700; ++i) {
    const Vec<3> x{{Real(9 * u(g)), Real(9 * u(g)), Real(9 * u(g))}};
    const Real size = Real(i % 50 == 0 ? 3 : u(g));
    boxes.push_back({x, x + size * Vec<3>{{1, 1, 1}}});
    items.push_back({i / 2, 0, std::uint32_t(i % 2)});  // two items a body
  }
  const Index moving = 680;
  std::vector<Index> all(boxes.size());
  std::iota(all.begin(), all.end(), Index(0));
  rigid::BroadPhase<3> search;
  std::vector<rigid::OverlapPair> found = search.find(Exec::cpu(1), boxes, items, moving, all);
  std::size_t k = 0, missing = 0;
  for (Index body = 0; body < moving / 2; ++body)
    for (Index other = body + 1; other < 350; ++other)
      for (Index a = 2 * body; a < 2 * body + 2; ++a)
        for (Index b = 2 * other; b < 2 * other + 2; ++b)
          if (rigid::overlap(boxes[std::size_t(a)], boxes[std::size_t(b)])) {
            const bool next = k < found.size() && found[k] == rigid::OverlapPair{{a, b}};
            next ? ++k : ++missing;
          }
  CHECK(missing == 0);
  CHECK(k == found.size());

  // What rests is found by what does not, and by nothing else.
  std::vector<Index> live, resting;
  for (Index i = 0; i < 700; ++i) (i % 14 < 3 ? live : resting).push_back(i);
  std::erase_if(found, [](const auto& p) { return p[0] % 14 >= 3 && p[1] % 14 >= 3; });
  search.rest(boxes, resting);
  const auto by_live = search.find(Exec::cpu(1), boxes, items, moving, live);
  CHECK(by_live.size() > 100);
  CHECK(by_live == found);
}

TEST_CASE("rigid_search: pairs kept from earlier steps do not show in what is found") {
  Touched t(3);
  fill(t, 300, 5);
  t.build();
  Collision<3> kept(t.world, "bodies", t.boundaries);
  const auto x = t.world.table("bodies").column<Vec<3>>("position");
  const auto v = t.world.table("bodies").column<Vec<3>>("velocity");
  constexpr double dt = 1e-3;
  for (long s = 0; s < 10; ++s) {
    const Step step{s, double(s) * dt, dt};
    kept.find(t.world, step, 0.02);
    Collision<3> fresh(t.world, "bodies", t.boundaries);
    fresh.find(t.world, step, 0.02);
    REQUIRE(same(list_of(kept), list_of(fresh)));
    for (Index i = 0; i < x.size; ++i) x[i] = x[i] + Real(dt) * v[i];
  }
  CHECK(kept.searches() < 10);
}

TEST_CASE("rigid_search: moved as a whole, bodies touch as before") {
  Touched here(3), there(3);
  fill(here, 300, 5);
  fill(there, 300, 5, {{2, -1, 4}});
  const auto p = here.find<3>(0.02), q = there.find<3>(0.02);
  // Positions are rounded to 1e-6 m, so that gaps at the margin may come or go, and which of two
  // equal faces counts may change.
  CHECK(std::abs(double(p.size()) - double(q.size())) < 0.01 * double(p.size()));
}

TEST_CASE("rigid_search: exchanged, bodies touch along the opposite normal at the same depth") {
  std::mt19937 g(11);
  std::uniform_real_distribution<double> u(-1, 1);
  const std::vector<ConvexPart> parts = {box_part({{0.5, 0.4, 0.3}}), sphere_part(0.4),
                                         capsule_part(0.4, 0.3), cylinder_part(0.4, 0.4),
                                         octahedron_part(0.6)};
  int met = 0, alike = 0;
  for (const ConvexPart& a : parts)
    for (const ConvexPart& b : parts)
      for (int k = 0; k < 20; ++k) {
        const Vec3d x{{u(g), u(g), u(g)}};
        const auto qa = any_turn(g), qb = any_turn(g);
        Touched one(3), two(3);
        one.add(one.add_shape({a}), {{0, 0, 0}}, qa), one.add(one.add_shape({b}), x, qb);
        two.add(two.add_shape({b}), x, qb), two.add(two.add_shape({a}), {{0, 0, 0}}, qa);
        const auto p = one.find<3>(0.01), q = two.find<3>(0.01);
        REQUIRE(p.empty() == q.empty());
        if (p.empty()) continue;
        ++met;
        alike += norm(p[0].normal + q[0].normal) < 1e-3;
      }
  // Where a face of each is as good as the other's, to a hundredth of the size, the first's counts.
  CHECK(met > 200);
  CHECK(alike > 0.9 * met);
}
