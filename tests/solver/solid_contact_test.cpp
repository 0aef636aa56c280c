#include <algorithm>
#include <array>

#include "support/mesh_scenes.h"
#include "support/source_folder.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

const std::initializer_list<const char*> both = {"a", "b"};

// Two solids of finite elements that meet, and what they stand on.
struct Meeting {
  std::string a, b;  // their forms
  double dt = 0.002, youngs_modulus = 3e5, friction = 0.3;
  std::string gravity = "[0, 0, 0]", velocity = "[0, 0, 0]";  // of b
  bool ground = false;
  std::string more_stages = {};
  std::string type = "fem";  // of both

  std::string text() const {
    return fmt::format(
        R"({{"rtsim": 1, "dim": 3, "gravity": {4},
             "time": {{"dt": {2}, "steps_per_frame": 1, "frames": 1000000}},
             "objects": [{{"name": "a", "kind": "mesh", "mesh": {{{0}}}, "density": 1000}},
                         {{"name": "b", "kind": "mesh", "mesh": {{{1}}}, "density": 1000,
                           "velocity": {5}}}{6}],
             "stages": [{7} {8}, {9},
                        {{"type": "mesh_contact", "meshes": ["a", "b"], "thickness": 0.005,
                          "friction": {3}{10}}}],
             "output": []}})",
        a, b, dt, friction, gravity, velocity,
        ground ? R"(, {"name": "ground", "kind": "boundary", "shape": {"plane": {}}})" : "",
        more_stages, solver("a"), solver("b"), ground ? R"(, "boundary": ["ground"])" : "");
  }
  std::string solver(const char* mesh) const {
    return fmt::format(
        R"({{"type": "{2}", "name": "solver_{0}", "mesh": "{0}", "youngs_modulus": {1},
             "poissons_ratio": 0.35{3}}})",
        mesh, youngs_modulus, type,
        type == "fem" ? R"(, "material": "neo_hookean")" : R"(, "modes": 20)");
  }
};

std::string block(const std::string& min, const std::string& max, int cells) {
  return fmt::format(R"("block": {{"min": {0}, "max": {1}, "cells": [{2}, {2}, {2}]}})", min, max,
                     cells);
}
std::string ring(const std::string& place = "{}") {
  return fmt::format(
      R"("solid": {{"shape": {{"mesh": {{"file": "{}/configs/rigid/ring.obj"}},
                              "transform": {{"scale": 0.25}}}},
                    "spacing": 0.04, "method": "stuffing"}}, "transform": {})",
      source_folder(), place);
}

double energy(Running& r) {
  double e = 0;
  for (const char* mesh : {"a.", "b."})
    for (const char* what : {"kinetic_energy", "potential_energy", "elastic_energy"})
      e += r.measure(std::string(mesh) + what);
  return e;
}

struct Course {
  double most = 0, last = 0;               // energy over that at the start
  double least_ratio = 1, last_ratio = 1;  // of volumes
};
Course run(Running& r, int steps, bool elements = true) {
  Course c;
  const double start = energy(r);
  for (int n = 0; n < steps; ++n) {
    r.advance(1);
    c.most = std::max(c.most, c.last = energy(r) / start);
    if (!elements) continue;
    c.last_ratio = std::min(r.measure("a.volume_ratio_min"), r.measure("b.volume_ratio_min"));
    c.least_ratio = std::min(c.least_ratio, c.last_ratio);
  }
  return c;
}

// What the sums of energies round by.
constexpr double rounding = 1e-5;

Meeting drop(double dt) {
  Meeting m{block("[0, 0.005, 0]", "[0.4, 0.405, 0.4]", 6),
            block("[0.1, 2.41, 0.06]", "[0.5, 2.81, 0.46]", 6), dt};
  m.gravity = "[0, -9.81, 0]", m.ground = true;
  return m;
}

// A ring that flies at one that rests: their tubes meet at angles that are not those of anything.
const char* const odd_places[] = {
    R"({"translate": [0.27, 0, 0.39], "axis": [1, 0.3, 0.2], "angle": 70})",
    R"({"translate": [0.05, 0.1, 0.3], "axis": [1, 1, 0], "angle": 35})",
    R"({"translate": [0.25, 0.03, 0.39], "axis": [0.2, 1, 0.4], "angle": 100})"};
Meeting rings(const char* place, double speed, double dt) {
  Meeting m{ring(), ring(place), dt, 2e5};
  m.velocity = fmt::format("[0, 0, {}]", -speed);
  return m;
}

}  // namespace

// 2 x 1080 tetrahedra at 6.3 m/s. Without damping an implicit step may lose energy, never make it.
TEST_CASE("solid contact: a solid that falls on another from 2 m gains no energy at any step",
          "[slow]") {
  for (const double dt : {0.0005, 0.001, 0.002, 0.004}) {
    INFO(dt);
    Running r(drop(dt).text(), Exec::cpu(2));
    const Course c = run(r, int(0.9 / dt));
    CHECK(c.most < 1 + rounding);
    CHECK(c.least_ratio > 0.5);
    CHECK(r.measure("meshes.intersections") == 0);
  }
}

TEST_CASE("solid contact: rings that meet at odd angles gain no energy", "[slow]") {
  for (const double speed : {1., 5.})
    for (const char* place : odd_places)
      for (const double dt : {0.002, 0.005}) {
        INFO(speed << " " << place << " " << dt);
        Running r(rings(place, speed, dt).text(), Exec::cpu(2));
        const Course c = run(r, int((0.5 / speed + 0.1) / dt));
        CHECK(c.most < 1 + rounding);
        CHECK(c.last < 0.9);  // they met
        CHECK(c.least_ratio > 0.5);
        CHECK(r.measure("meshes.intersections") == 0);
        CHECK(r.measure("meshes.points_inside") == 0);
      }
}

// What v = 0.5 m/s of recovery may put into a mesh of the mass M is 2 M v^2.
TEST_CASE("solid contact: rings that start through each other come apart without a burst",
          "[slow]") {
  const Meeting m{ring(),
                  ring(R"({"translate": [0.02, 0.05, 0], "axis": [1, 0.1, 0], "angle": 40})"),
                  0.005, 2e5};
  Running r(m.text(), Exec::cpu(2));
  CHECK(r.measure("meshes.points_inside") > 100);
  const double mass = r.measure("a.mass") + r.measure("b.mass");
  double most = 0;
  for (int n = 0; n < 400; ++n) {
    r.advance(1);
    most = std::max(most, energy(r));
  }
  CHECK(most < 0.5 * mass * 0.5 * 0.5);
  CHECK(r.measure("meshes.points_inside") == 0);
  CHECK(r.measure("meshes.intersections") == 0);
}

// Impulses of a pair are opposite, and so are what solvers make of them: what rounding leaves of
// the momentum that passes. Friction across the gap turns: its moment is no more than the thickness
// times what friction passes.
TEST_CASE("solid contact: solids that meet keep energy, momentum and angular momentum") {
  for (const char* type : {"fem", "modal"}) {
    INFO(type);
    Meeting m{block("[0, 0, 0]", "[0.4, 0.4, 0.4]", 4),
              block("[0.45, 0.05, 0.1]", "[0.65, 0.25, 0.3]", 3)};
    m.velocity = "[-2, 0, 0]", m.type = type;
    Running r(m.text(), Exec::cpu(2));
    const Motion before = motion(r, both);
    const Course c = run(r, 100, m.type == "fem");
    const Motion after = motion(r, both);
    const double passed = norm(before.momentum);
    CHECK(c.most < 1 + rounding);
    CHECK(c.last < 0.9);
    CHECK(norm(after.momentum - before.momentum) < 1e-4 * passed);
    CHECK(norm(after.moment - before.moment) < 0.005 * 0.3 * passed);
    CHECK(r.measure("b.momentum.x") > -0.5 * passed);
  }
}

// At steps in which a block would sink by g h^2 = 0.06 mm.
TEST_CASE("solid contact: a block on a slope sticks and slides as Coulomb's law says") {
  const double t = M_PI / 9, dt = 0.0025;
  const auto speeds = [&](double friction) {
    Meeting m{R"("block": {"min": [-0.3, -0.1, -0.2], "max": [1.7, 0, 0.2], "cells": [20, 1, 4]})",
              block("[-0.1, 0.005, -0.1]", "[0.1, 0.105, 0.1]", 2), dt, 1e5, friction};
    m.gravity = fmt::format("[{}, {}, 0]", g * std::sin(t), -g * std::cos(t));
    m.more_stages =
        R"({"type": "attach", "mesh": "a", "inside": {"box": {"min": [-9, -9, -9], "max": [9, 9, 9]}}},)";
    Running r(m.text(), Exec::cpu(2));
    std::array<double, 2> speed{};
    for (double& v : speed) {
      r.advance(120);
      v = r.measure("b.momentum.x") / r.measure("b.mass");
    }
    return speed;
  };
  for (const double friction : {0.1, 0.2}) {
    const auto [first, last] = speeds(friction);
    CHECK((last - first) / (120 * dt) ==
          Approx(g * (std::sin(t) - friction * std::cos(t))).epsilon(0.05));
  }
  CHECK(std::abs(speeds(0.5)[1]) < 0.01);  // it trembles; by its weight alone it had 2 m/s
}

// By a hundredth of a millimetre in a second.
TEST_CASE("solid contact: a block that rests on another neither sinks nor takes in energy",
          "[slow]") {
  for (const double dt : {0.001, 0.004}) {
    INFO(dt);
    Meeting m{block("[0, 0.005, 0]", "[0.3, 0.155, 0.3]", 2),
              block("[0.05, 0.165, 0.06]", "[0.25, 0.315, 0.26]", 2), dt};
    m.gravity = "[0, -9.81, 0]", m.ground = true;
    Running r(m.text(), Exec::cpu(2));
    const Course c = run(r, int(1 / dt));
    const double before = r.measure("b.potential_energy"), all = energy(r),
                 weight = g * r.measure("b.mass"), allowed = 1e-5;
    const Course later = run(r, int(1 / dt));
    CHECK(c.most < 1 + rounding);
    CHECK((later.most - 1) * all < allowed * (weight + g * r.measure("a.mass")));
    CHECK(std::abs(before - r.measure("b.potential_energy")) < allowed * weight);
    CHECK(r.measure("b.kinetic_energy") < 1e-5 * before);
  }
}
