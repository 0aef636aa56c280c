#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "support/running.h"

// Fluids that flow along mapped walls.
using namespace rtsim;

namespace {

std::string scene(int dim, const std::string& type, const std::string& objects,
                  const std::string& boundaries, double dt, int frames, const std::string& more) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": {}}},
    "objects": [{}],
    "stages": [{{"type": "{}", "fluid": "water", "boundary": [{}],
                 "boundary_method": "volume_map"{}}}], "output": []}})",
      dim, dt, frames, objects, type, boundaries, more);
}

// A dam that breaks in a tank with a ball in the way.
template <int D>
std::string dam_break(const std::string& type, int substeps, const std::string& more = "") {
  const bool plane = D == 2;
  return scene(
      D, type,
      plane
          ? R"({"name": "water", "kind": "particles", "spacing": 0.05, "fill": {"box": {"min": [0, 0], "max": [0.5, 1]}}},
      {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0], "max": [1.5, 1.5]}, "inside": true}},
      {"name": "ball", "kind": "boundary", "shape": {"sphere": {"centre": [1, 0.1], "radius": 0.2}}})"
          : R"({"name": "water", "kind": "particles", "spacing": 0.05, "fill": {"box": {"min": [0, 0, 0], "max": [0.4, 0.6, 0.3]}}},
      {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0, 0], "max": [1, 1, 0.3]}, "inside": true}},
      {"name": "ball", "kind": "boundary", "shape": {"sphere": {"centre": [0.7, 0.05, 0.2], "radius": 0.15}}})",
      R"("tank", "ball")", 0.002, 500, fmt::format(R"(, "substeps": {}{})", substeps, more));
}

// How far the row that is furthest out is beyond the tank and within the ball [m].
template <int D>
double deepest(Running& r, const Vec3d& size, const Vec3d& centre, double radius) {
  double most = -1e9;
  for (const auto& x : r.world().table("water").download<Vec<D>>("position")) {
    for (int a = 0; a < D; ++a) most = std::max({most, -double(x[a]), double(x[a]) - size[a]});
    Vec3d from_ball = widen(x) - centre;
    if (D == 2) from_ball[2] = 0;
    most = std::max(most, radius - norm(from_ball));
  }
  return most;
}

}  // namespace

TEST_CASE("volume map: water at rest weighs on its floor what it weighs, and stays") {
  for (const auto& [type, substeps] : {std::pair("wcsph", 6), std::pair("dfsph", 1)}) {
    INFO(type);
    Running r(
        scene(
            2, type,
            R"({"name": "water", "kind": "particles", "spacing": 0.05, "fill": {"box": {"min": [0, 0], "max": [1, 1]}}},
      {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0], "max": [1, 2]}, "inside": true}})",
            R"("tank")", 0.002, 1500,
            fmt::format(R"(, "substeps": {}, "kinematic_viscosity": 0.05, "boundary_forces": true,
         "probes": [{{"name": "middle", "at": [0.5, 0.5]}}, {{"name": "top", "quantity": "height", "at": [0.5, 0]}}])",
                        substeps)),
        Exec::cpu(2));
    r.advance(1000);
    double mean = 0, sideways = 0, pressure = 0;
    for (int k = 0; k < 500; ++k) {
      r.advance(1);
      mean += r.measure("tank.force.y") / 500, sideways += r.measure("tank.force.x") / 500;
      pressure += r.measure("water.middle") / 500;
    }
    const double weight = 9.81 * r.measure("water.mass");
    CHECK(-mean == Approx(weight).epsilon(0.01));
    CHECK(std::abs(sideways) < 0.01 * weight);
    // Half way down. Within a support of the wall rows stand in layers of their own, and the
    // pressure of the two solves of dfsph adds up to more than the hydrostatic one everywhere, as
    // it does with samples.
    if (std::string(type) == "wcsph") CHECK(pressure == Approx(0.5 * 9810).epsilon(0.03));
    CHECK(r.measure("water.top") == Approx(1).epsilon(0.05));
  }
}

TEST_CASE("volume map: a breaking dam stays in its tank and out of the ball", "[long]") {
  for (const auto& [type, substeps] :
       {std::pair("wcsph", 5), std::pair("dfsph", 1), std::pair("iisph", 1), std::pair("pcisph", 2),
        std::pair("sph_bodin", 1)}) {
    INFO(type);
    Running flat(dam_break<2>(type, substeps), Exec::cpu(2));
    Running deep(dam_break<3>(type, substeps), Exec::cpu(2));
    double most = -1;
    for (int k = 0; k < 50; ++k) {
      flat.advance(10), deep.advance(10);
      most = std::max({most, deepest<2>(flat, {{1.5, 9, 0}}, {{1, 0.1, 0}}, 0.2),
                       deepest<3>(deep, {{1, 9, 0.3}}, {{0.7, 0.05, 0.2}}, 0.15)});
    }
    CHECK(most < 0.0125);  // a quarter of a spacing, where contact stops what is fast
  }
}

TEST_CASE("volume map: a piston pushes water ahead of it") {
  for (const auto& [type, substeps] : {std::pair("wcsph", 5), std::pair("dfsph", 1)}) {
    INFO(type);
    Running r(
        scene(
            2, type,
            R"({"name": "water", "kind": "particles", "spacing": 0.05, "fill": {"box": {"min": [0, 0], "max": [0.6, 0.3]}}},
      {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [-1, 0], "max": [2, 1]}, "inside": true}},
      {"name": "piston", "kind": "boundary", "shape": {"box": {"min": [-0.3, 0], "max": [0, 1.5]}},
       "motion": {"velocity": [0.5, 0]}})",
            R"("tank", "piston")", 0.002, 500, fmt::format(R"(, "substeps": {})", substeps)),
        Exec::cpu(2));
    const double still = r.measure("water.momentum.x");
    for (int k = 0; k < 50; ++k) {
      r.advance(10);
      for (const auto& x : r.world().table("water").download<Vec<2>>("position"))
        REQUIRE(double(x[0]) > 0.5 * r.time() - 0.0125);
    }
    CHECK(r.measure("water.momentum.x") - still > 0.25 * r.measure("water.mass"));
  }
}

TEST_CASE("volume map: a tank that turns keeps its water") {
  for (const auto& [type, substeps] : {std::pair("wcsph", 5), std::pair("dfsph", 1)}) {
    INFO(type);
    const double spin = 2;
    Running r(
        scene(
            2, type,
            R"({"name": "water", "kind": "particles", "spacing": 0.05, "fill": {"box": {"min": [-0.5, -0.5], "max": [0.5, 0]}}},
      {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [-0.5, -0.5], "max": [0.5, 0.5]}, "inside": true},
       "motion": {"spin": 2}})",
            R"("tank")", 0.002, 750, fmt::format(R"(, "substeps": {})", substeps)),
        Exec::cpu(2));
    double most = 0;
    for (int k = 0; k < 75; ++k) {
      r.advance(10);
      const double c = std::cos(spin * r.time()), s = std::sin(spin * r.time());
      for (const auto& x : r.world().table("water").download<Vec<2>>("position"))
        most = std::max({most, std::abs(c * double(x[0]) + s * double(x[1])) - 0.5,
                         std::abs(c * double(x[1]) - s * double(x[0])) - 0.5});
    }
    CHECK(most < 0.0125);
  }
}

TEST_CASE("volume map: no step carries a particle through a wall, and walls get what it lost") {
  Running r(
      scene(
          2, "dfsph",
          R"({"name": "water", "kind": "particles", "spacing": 0.05, "velocity": [8, -20], "fill": {"box": {"min": [0.2, 0.5], "max": [0.4, 0.7]}}},
      {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0], "max": [1, 1]}, "inside": true}})",
          R"("tank")", 0.01, 20, R"(, "boundary_forces": true)"),
      Exec::cpu(2));
  const double mass = r.measure("water.mass");
  for (int k = 0; k < 20; ++k) {  // at first four spacings a step
    const double y0 = r.measure("water.momentum.y");
    r.advance(1);
    const double gained = r.measure("water.momentum.y") - y0;
    CHECK(gained ==
          Approx((-r.measure("tank.force.y") - 9.81 * mass) * r.dt()).margin(1e-4 * mass * 20));
    for (const auto& x : r.world().table("water").download<Vec<2>>("position"))
      for (int a = 0; a < 2; ++a) {
        REQUIRE(double(x[a]) > -0.0126);
        REQUIRE(double(x[a]) < 1.0126);
      }
  }
}

TEST_CASE("volume map: the same bytes on 1, 2 and 5 threads") {
  for (const std::string type : {"wcsph", "dfsph", "sph_bodin"}) {
    INFO(type);
    std::uint64_t one = 0;
    for (int threads : {1, 2, 5}) {
      Running r(dam_break<3>(type, 5), Exec::cpu(threads));
      r.advance(20);
      if (threads == 1) one = r.world().state_hash();
      CHECK(r.world().state_hash() == one);
    }
  }
}

TEST_CASE("volume map: loops over lists and over cells find the same") {
  for (const std::string type : {"wcsph", "dfsph", "iisph", "sph_mueller", "sph_bodin"}) {
    INFO(type);
    Running lists(dam_break<3>(type, 5), Exec::cpu(2));
    Running cells(dam_break<3>(type, 5), Exec::cpu(2).device_shaped());
    CHECK(lists.measure("water.pairs") == cells.measure("water.pairs"));
    lists.advance(10), cells.advance(10);
    for (const char* figure : {"water.kinetic_energy", "water.density_error_mean"})
      CHECK(lists.measure(figure) == Approx(cells.measure(figure)).epsilon(1e-3).margin(1e-6));
  }
}
