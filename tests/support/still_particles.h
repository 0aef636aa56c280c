#pragma once
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "particles/sph_forces.h"
#include "support/running.h"

// What the tests of the shared forces start from.
namespace rtsim::testing {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());
constexpr double pi = 3.14159265358979323846;

// Particles that stay where they are while forces change their velocities: what a law does alone.
template <int D>
struct Still {
  using Places = std::vector<Vec<D>>;
  struct Walls {
    Places position = {}, velocity = {};
  };

  World world;
  SphParams sph;
  std::optional<SphFluid<D>> fluid;
  std::optional<SphForces<D>> forces;

  Still(const Places& x, double spacing, double support, const SphForcesParams& p,
        const Walls& walls = {})
      : world(Exec::cpu(2), D) {
    world.gravity = {0, 0, 0};
    world.objects.push_back({"fluid", Kind::particles, spacing, false});
    Table& t = world.add_table("fluid", Index(x.size()));
    t.add<Vec<D>>({"position", "m"}, x);
    t.add<Vec<D>>({"velocity", "m/s"});
    sph.fluid.name = "fluid", sph.support = support;
    if (!walls.position.empty()) add_walls(walls);
    fluid.emplace(world, sph, sph.kernel_support(world));
    forces.emplace(world, *fluid, p);
    fluid->find_neighbours(world, fluid->medium.kernel, 0);
  }

  void add_walls(const Walls& walls) {
    world.objects.push_back({"walls", Kind::boundary, 0, false});
    Table& t = world.add_table(sample_table("walls", "fluid"), Index(walls.position.size()));
    t.add<Vec<D>>({"position", "m"}, walls.position);
    t.add<Vec<D>>({"velocity", "m/s"}, walls.velocity);
    t.add<Real>({"volume", "m^2"});
    t.add<Index>({"layer", ""});
    sph.boundary.names = {"walls"};
  }

  Places position() { return world.table("fluid").template download<Vec<D>>("position"); }
  Places velocity() { return world.table("fluid").template download<Vec<D>>("velocity"); }
  void set_velocity(const Places& v) {
    world.exec.upload(fluid->velocity(world).data, v.data(), v.size() * sizeof(v[0]));
  }
  void set_velocity(const std::function<Vec<D>(const Vec<D>&)>& of) {
    Places v = position();
    for (Vec<D>& at : v) at = of(at);
    set_velocity(v);
  }
  void apply(double dt) { forces->apply_to_column(world, *fluid, dt); }
};

template <int D>
std::vector<Vec<D>> block(int n, double d) {
  std::vector<Vec<D>> x;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < (D == 3 ? n : 1); ++k) {
        Vec<D> p{};
        const int at[3] = {i, j, k};
        for (int a = 0; a < D; ++a) p[a] = Real((at[a] + 0.5) * d);
        x.push_back(p);
      }
  return x;
}

// Velocities without order, each component in [-1, 1].
template <int D>
std::vector<Vec<D>> noise(std::size_t n) {
  std::vector<Vec<D>> v(n);
  std::uint32_t state = 1;
  for (auto& at : v)
    for (int a = 0; a < D; ++a) {
      state = state * 1664525u + 1013904223u;
      at[a] = Real(2 * (state >> 8) / double(1 << 24) - 1);
    }
  return v;
}

template <int D>
Vec3d total(const std::vector<Vec<D>>& v) {
  Vec3d sum;
  for (const auto& at : v) sum = sum + widen(at);
  return sum;
}
template <int D>
Vec3d total_moment(const std::vector<Vec<D>>& x, const std::vector<Vec<D>>& v) {
  Vec3d sum;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const Vec3d a = widen(x[i]), b = widen(v[i]);
    const Vec3d c{
        {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
    sum = sum + c;
  }
  return sum;
}
template <int D>
double energy(const std::vector<Vec<D>>& v) {
  double sum = 0;
  for (const auto& at : v) sum += 0.5 * double(dot(at, at));
  return sum;
}

inline std::string drop_scene(int dim, const std::string& shape, double d, double dt,
                              const std::string& groups, const std::string& more = "",
                              const std::string& gravity = "") {
  return fmt::format(
      R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 10000}},
    "objects": [{{"name": "water", "kind": "particles", "spacing": {}, "fill": {{{}}}}}{}],
    "stages": [{{"type": "dfsph", "fluid": "water"{}, {}}}], "output": []}})",
      dim,
      gravity != "" ? gravity
      : dim == 2    ? "[0, 0]"
                    : "[0, 0, 0]",
      dt, d, shape, more, more != "" ? ", \"boundary\": [\"wall\"]" : "", groups);
}

// Farthest over root mean square distance from the centre: sqrt(3) of squares and cubes, sqrt(2) of
// discs, sqrt(5/3) of balls.
template <int D>
double angularity(Running& r) {
  const auto x = r.world().table("water").download<Vec<D>>("position");
  const Vec3d c = (1 / double(x.size())) * total(x);
  double sum = 0, far = 0;
  for (const auto& p : x) {
    const double r2 = dot(widen(p) - c, widen(p) - c);
    sum += r2, far = std::max(far, r2);
  }
  return std::sqrt(far / (sum / double(x.size())));
}

}  // namespace rtsim::testing
