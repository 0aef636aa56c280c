#include <catch2/catch.hpp>
#include <cmath>

#include "base/random.h"
#include "meshes/adjacency.h"
#include "support/sliding_points.h"
#include "support/source_folder.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

using Triangle = std::array<int, 3>;

// Sheets of n x n cells of side 0.1 above one another, and a rope across; nothing but contact
// joins their points.
struct Layers {
  int sheets = 2, n = 4;
  double gap = 0.05, thickness = 0.01;
  std::string more;

  Running run(double dt, int threads = 1) const {
    std::string at, triangles;
    for (int s = 0; s < sheets; ++s)
      for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i) {
          const double turn = 0.5 * s, x = 0.1 * i - 0.2, z = 0.1 * j - 0.2;
          at += fmt::format("{}[{}, {}, {}]", at.empty() ? "" : ", ",
                            x * std::cos(turn) - z * std::sin(turn), gap * s,
                            x * std::sin(turn) + z * std::cos(turn));
          if (i == n || j == n) continue;
          const int a = s * (n + 1) * (n + 1) + j * (n + 1) + i, b = a + 1, c = a + n + 1;
          triangles += fmt::format("{}{}, {}, {}, {}, {}, {}", triangles.empty() ? "" : ", ", a, c,
                                   b, b, c, c + 1);
        }
    const std::string text = fmt::format(
        R"({{"rtsim": 1, "dim": 3, "gravity": [0, 0, 0], "time": {{"dt": {}, "steps_per_frame": 1, "frames": 100000}},
      "objects": [{{"name": "mesh", "kind": "mesh", "vertex_mass": 1,
        "mesh": {{"nodes": {{"positions": [{}], "triangles": [{}]}}}}}}],
      "stages": [{{"type": "points", "mesh": "mesh", "self_contact": true, "thickness": {}{}}}]}})",
        dt, at, triangles, thickness, more);
    return Running(read_scene_text(text, "scene.json", source_folder(), {}, points_catalog()),
                   Exec::cpu(threads));
  }
};

// Every point gets a velocity of its own; those of sheet s also -s times `closing` along y.
void stir(Running& r, double speed, double closing, std::uint64_t seed, int of_sheet = 25) {
  const auto v = r.world().table("mesh").column<Vec<3>>("velocity");
  std::uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  const auto random = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return double(state >> 40) / double(1 << 23) - 1;
  };
  for (Index i = 0; i < v.size; ++i) {
    for (int a = 0; a < 3; ++a) v[i][a] = Real(speed * random());
    v[i][1] -= Real(closing * (i / of_sheet));
  }
}

double volume(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  return dot(b - a, cross(c - a, d - a));
}

// All edges against all triangles, with signs of volumes.
int pierced(Running& r) {
  const auto x = positions(r);
  const auto edges = corners_of<2>(r.world(), edge_table("mesh"));
  const auto triangles = corners_of<3>(r.world(), triangle_table("mesh"));
  int n = 0;
  for (const auto& e : edges)
    for (const auto& t : triangles) {
      if (std::ranges::count(t, e[0]) + std::ranges::count(t, e[1]) > 0) continue;
      const auto p = [&](int k) { return x[std::size_t(t[std::size_t(k)])]; };
      const Vec3d &a = x[std::size_t(e[0])], &b = x[std::size_t(e[1])];
      if (!(volume(p(0), p(1), p(2), a) * volume(p(0), p(1), p(2), b) < 0)) continue;
      const double u = volume(a, b, p(0), p(1)), v = volume(a, b, p(1), p(2)),
                   w = volume(a, b, p(2), p(0));
      n += (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
    }
  return n;
}

}  // namespace

TEST_CASE("contact: a mesh that starts free of intersections stays so, whatever its points do",
          "[long]") {
  for (const double speed : {0.5, 5.0, 50.0, 5000.0})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      INFO(speed << " m/s, seed " << seed);
      Running r = Layers{3, 4, 0.05, 0.01, {}}.run(0.005);
      for (int k = 0; k < 20; ++k) {
        stir(r, speed, speed, seed + 100 * std::uint64_t(k));
        r.advance(1);
        REQUIRE(pierced(r) == 0);
      }
      CHECK(r.measure("mesh.intersections") == 0);
    }
}

TEST_CASE("contact: intersections are counted where there are some") {
  Running r = Layers{3, 4, 0.05, 0.01, {}}.run(0.005);
  const auto x = r.world().table("mesh").column<Vec<3>>("position");
  // Off the other layers' lattices and in no plane: where edges meet edges, or lie in the plane of
  // a triangle, rounding would decide.
  for (Index i = 25; i < 50; ++i) {
    const Real bend = Real(0.3) * x[i][0] - Real(0.05) + Real(0.1) * x[i][2] * (x[i][2] + x[i][0]);
    x[i] = x[i] + Vec<3>{{Real(0.0137), bend, Real(0.0071)}};
  }
  const int n = pierced(r);
  CHECK(n > 3);
  CHECK(r.measure("mesh.intersections") == n);
}

TEST_CASE("contact: layers that meet come to rest against each other, and keep their momentum") {
  Running r = Layers{}.run(0.001);
  stir(r, 0, 1, 1);
  r.advance(200);
  double momentum = 0;
  const auto v = velocities(r), x = positions(r);
  for (const Vec3d& u : v) momentum += u[1];
  // 50 points, each within a few roundings of a substep, 1e-8 m / 1 ms, times 200 of them.
  CHECK(momentum == Approx(-25).epsilon(1e-4));
  // The middles of the sheets, which cover each other, go on a thickness apart or more, at about
  // one speed; nothing makes it quite the same, as each point is pushed by others.
  CHECK(x[25 + 12][1] - x[12][1] > 0.0099);
  CHECK(v[25 + 12][1] == Approx(v[12][1]).margin(0.1));
  CHECK(pierced(r) == 0);
}

TEST_CASE("contact: parts of a mesh that are far from one another do not feel each other") {
  Running r = Layers{2, 4, 0.5, 0.01, {}}.run(0.001);
  stir(r, 0.05, 0, 2);
  const auto start = positions(r), v = velocities(r);
  r.advance(20);
  const auto x = positions(r);
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(norm(x[i] - start[i] - 0.02 * v[i]) < 1e-6);
}

TEST_CASE("contact: self-contact gives the same bytes for any number of threads") {
  std::uint64_t hash = 0;
  for (const int threads : {1, 2, 5}) {
    Running r = Layers{4, 4, 0.02, 0.01, {}}.run(0.005, threads);
    for (int k = 0; k < 5; ++k) stir(r, 5, 5, 7 + std::uint64_t(k)), r.advance(1);
    if (threads == 1) hash = r.world().state_hash();
    CHECK(r.world().state_hash() == hash);
  }
}
