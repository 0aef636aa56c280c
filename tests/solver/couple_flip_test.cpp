#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <numbers>

#include "support/resumed.h"

// Rigid bodies that float in flip: draught by Archimedes, added masses by potential flow, what all
// together must keep.
using namespace rtsim;

namespace {

// Water in a tank whose sides are those of the grid; bodies as a list, cut out of the fill.
struct Pool {
  int dim = 2;
  double spacing = 0.0625, dt = 0.01, density = 500;
  std::string gravity = "[0, -9.81]", min = "[0, 0]", max = "[2, 2]";
  std::string fill, bodies, tank = R"({"box": {"min": [0, 0], "max": [2, 4]}, "inside": true})";
  std::string flow = {}, coupling = "strong", objects = {}, boundary = {};

  std::string text() const {
    return fmt::format(
        R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "water", "kind": "particles", "spacing": {}, "fill": {}}},
      {{"name": "room", "kind": "grid", "spacing": {}, "min": {}, "max": {}}},
      {{"name": "tank", "kind": "boundary", "shape": {}}}{},
      {{"name": "b", "kind": "bodies", "density": {}, "bodies": [{}]}}],
    "stages": [{{"type": "flip", "fluid": "water", "grid": "room", "boundary": [{}"b"]{}}},
      {{"type": "couple", "fluid": "water", "solid": "b", "coupling": "{}"}},
      {{"type": "rigid", "bodies": "b", "boundary": ["tank"]}}], "output": []}})",
        dim, gravity, dt, spacing / 2, fill, spacing, min, max, tank, objects, density, bodies,
        boundary, flow, coupling);
  }
};

template <int D>
Vec<D> position(Running& r, std::size_t body = 0) {
  return r.world().table("b").download<Vec<D>>("position")[body];
}
template <int D>
Vec<D> velocity(Running& r, std::size_t body = 0) {
  return r.world().table("b").download<Vec<D>>("velocity")[body];
}

// A box of 0.5 x 0.3 m at its draught in water that is 1 m deep where it is not.
Pool box_at_rest(double s, double spacing, double x) {
  Pool p;
  p.spacing = spacing, p.density = 1000 * s;
  const double y = 1 - 0.3 * s + 0.15;
  const std::string box = fmt::format(R"({{"box": {{"min": [{}, {}], "max": [{}, {}]}}}})",
                                      x - 0.25, y - 0.15, x + 0.25, y + 0.15);
  p.bodies = fmt::format(R"({{"shape": {}}})", box);
  p.fill = fmt::format(
      R"({{"difference": [{{"box": {{"min": [0, 0], "max": [2, 1]}}}}, {}]}})", box);
  return p;
}

}  // namespace

TEST_CASE("couple: a box floats in flip as deep as Archimedes says") {
  const double s = GENERATE(0.1, 0.5, 0.9);
  const double spacing = GENERATE(2.0 / 32, 2.0 / 37);
  const double x = GENERATE(1.0, 1.0173);
  CAPTURE(s, spacing, x);
  Running r(box_at_rest(s, spacing, x).text(), Exec::cpu(1));
  double mean = 0;
  for (int k = 0; k < 200; ++k) {
    r.advance(1);
    if (k >= 100) mean += 0.01 * double(position<2>(r)[1]);
  }
  const double water = r.measure("water.mass") / 1000, level = (water + 0.15 * s) / 2;
  const double off = (mean - (level - 0.3 * s + 0.15)) / spacing;
  fmt::print("draught s {} h {:.4f} x {} off {:.3f} kin {:.3g}\n", s, spacing, x, off, r.measure("water.kinetic_energy"));
  CHECK(std::abs(off) < 0.15);
}

// The double body of a half-immersed cylinder: rho pi R^2 / 2 in heave, where p = 0 on the surface.
TEST_CASE("couple: a cylinder half in flip's water takes half of its added mass along") {
  const double s = GENERATE(0.01, 0.5, 2.0);
  const double spacing = GENERATE(0.05, 0.025);
  const double R = 0.25, y = GENERATE(1.0, 1.013);
  Pool p;
  p.spacing = spacing, p.density = 1000 * s, p.gravity = "[0, 0]";
  p.max = "[4, 3]", p.tank = R"({"box": {"min": [0, 0], "max": [4, 4]}, "inside": true})";
  const std::string disc = fmt::format(R"({{"sphere": {{"centre": [2.007, {}], "radius": {}}}}})", y, R);
  p.bodies = fmt::format(R"({{"shape": {}, "velocity": [0, -1]}})", disc);
  p.fill = fmt::format(R"({{"difference": [{{"box": {{"min": [0, 0], "max": [4, {}]}}}}, {}]}})", y, disc);
  Running r(p.text(), Exec::cpu(1));
  r.advance(1);
  const double v = double(velocity<2>(r)[1]);
  fmt::print("half cylinder s {} h {} y {}: v {:.4f} want {:.4f}\n", s, spacing, y, v, -s / (s + 0.5));
  CHECK(v == Approx(-s / (s + 0.5)).epsilon(0.05));
}

TEST_CASE("couple: a cylinder in a closed tube full of flip's water falls with its added mass") {
  const double s = GENERATE(0.001, 0.1, 0.5, 2.0, 10.0);
  const double spacing = GENERATE(0.1, 0.05);
  Pool p;
  p.spacing = spacing, p.density = 1000 * s, p.dt = 1e-3, p.gravity = "[0, -10]";
  p.min = "[-1.2, -1.2]", p.max = "[1.2, 1.2]", p.boundary = "\"tank\", ";
  p.tank = R"({"sphere": {"centre": [0.013, -0.007], "radius": 1}, "inside": true})";
  const std::string disc = R"({"sphere": {"centre": [0.013, -0.007], "radius": 0.5}})";
  p.bodies = fmt::format(R"({{"shape": {}}})", disc);
  p.fill = fmt::format(R"({{"difference": [{{"sphere": {{"centre": [0.013, -0.007], "radius": 1}}}}, {}]}})", disc);
  Running r(p.text(), Exec::cpu(1));
  r.advance(1);
  const double v = double(velocity<2>(r)[1]), want = -(s - 1) / (s + 5. / 3) * 10 * 1e-3;
  fmt::print("ring s {} h {}: v {:.6f} want {:.6f} x {:.2g}\n", s, spacing, v, want, double(velocity<2>(r)[0]));
  CHECK(v == Approx(want).epsilon(0.05));
}


TEST_CASE("couple: X floor") {
  const double s = GENERATE(0.3, 0.6, 0.9, 3.0);
  const int onside = GENERATE(0, 1);
  Pool p;
  p.density = 1000 * s;
  if (!onside) p.boundary = "\"tank\", ";
  if (!onside) p.min = "[-0.0625, -0.0625]", p.max = "[2.0625, 2]";
  const std::string box = R"({"box": {"min": [0.78, 0], "max": [1.25, 0.25]}})";
  p.bodies = fmt::format(R"({{"shape": {}}})", box);
  p.fill = fmt::format(R"({{"difference": [{{"box": {{"min": [0, 0], "max": [2, 1]}}}}, {}]}})", box);
  Running r(p.text(), Exec::cpu(1));
  for (int k = 0; k < 200; ++k) {
    r.advance(1);
    if (k % 40 == 0) fmt::print("floor s {} side {} t {:.2f} y {:.3f} v {:.3f} kin {:.3f} vol {:.4f} vmax {:.3f}\n", s, onside, 0.01 * k, double(position<2>(r)[1]), double(velocity<2>(r)[1]), r.measure("water.kinetic_energy"), r.measure("water.volume_error"), r.measure("water.max_speed"));
  }
}

TEST_CASE("couple: X 3d") {
  const double s = GENERATE(0.9);
  Pool p;
  p.dim = 3, p.spacing = 1. / 13, p.density = 1000 * s, p.gravity = "[0, -9.81, 0]";
  p.min = "[0, 0, 0]", p.max = "[1, 1, 1]", p.tank = R"({"box": {"min": [0, 0, 0], "max": [1, 2, 1]}, "inside": true})";
  const double y = 0.6 - 0.3 * s;
  const std::string box = fmt::format(R"({{"box": {{"min": [0.31, {}, 0.28], "max": [0.71, {}, 0.68]}}}})", y, y + 0.3);
  p.bodies = fmt::format(R"({{"shape": {}}})", box);
  p.fill = fmt::format(R"({{"difference": [{{"box": {{"min": [0, 0, 0], "max": [1, 0.6, 1]}}}}, {}]}})", box);
  Running r(p.text(), Exec::cpu(2));
  double mean = 0;
  for (int k = 0; k < 300; ++k) {
    r.advance(1);
    if (k % 15 == 0) fmt::print("3dt {} y {:.3f} v {:.3f} kin {:.3f} vol {:.4f} contacts {} wall {}\n", k, double(position<3>(r)[1]), double(velocity<3>(r)[1]), r.measure("water.kinetic_energy"), r.measure("water.volume_error"), r.measure("b.contacts"), r.measure("rows_in_walls"));
    if (k >= 250) mean += 0.02 * double(position<3>(r)[1]);
  }
  const double level = r.measure("water.mass") / 1000 + 0.048 * s;
  fmt::print("3d s {} off {:.3f} h kin {:.3f} vmax {:.3f}\n", s, (mean - (level - 0.3 * s + 0.15)) * 13, r.measure("water.kinetic_energy"), r.measure("water.max_speed"));
}

TEST_CASE("couple: X air") {
  Pool p;
  p.density = 10;
  p.bodies = R"({"shape": {"sphere": {"centre": [1, 1.5], "radius": 0.2}}})";
  p.fill = R"({"box": {"min": [0, 0], "max": [2, 0.25]}})";
  Running r(p.text(), Exec::cpu(1));
  r.advance(20);
  fmt::print("air: v {} want {}\n", double(velocity<2>(r)[1]), -9.81 * 0.2);
}

TEST_CASE("couple: X momentum") {
  const double s = GENERATE(0.1, 1.0, 5.0);
  Pool p;
  p.density = 1000 * s, p.gravity = "[0, 0]", p.dt = 0.005;
  p.bodies = R"({"shape": {"sphere": {"centre": [1.213, 1.02], "radius": 0.15}}, "velocity": [-1, 0.2]})";
  p.fill = R"({"difference": [{"sphere": {"centre": [0.8, 1], "radius": 0.5}}, {"sphere": {"centre": [1.213, 1.02], "radius": 0.15}}]})";
  p.tank = R"({"box": {"min": [-9, -9], "max": [9, 9]}, "inside": true})";
  p.flow = R"(, "sides": {"x_low": {"kind": "open"}, "x_high": {"kind": "open"}, "y_low": {"kind": "open"}, "y_high": {"kind": "open"}})";
  Running r(p.text(), Exec::cpu(1));
  const auto all = [&](const char* what) { return r.measure(std::string("water.") + what) + r.measure(std::string("b.") + what); };
  const double x = all("momentum.x"), y = all("momentum.y"), z = all("angular_momentum.z"), e = all("kinetic_energy");
  for (int k = 0; k < 60; ++k) {
    r.advance(1);
    if (k % 10 == 9) fmt::print("mom s {} t {:.3f}: px {:.3f} of {:.3f} py {:.3f} of {:.3f} L {:.3f} of {:.3f} E {:.3f} of {:.3f} water {:.3f} drained {}\n", s, 0.005 * k, all("momentum.x"), x, all("momentum.y"), y, all("angular_momentum.z"), z, all("kinetic_energy"), e, r.measure("water.momentum.x"), r.measure("water.drained"));
  }
}

TEST_CASE("couple: X resume") {
  Pool p = box_at_rest(0.5, 2.0 / 24, 1.01);
  p.flow = R"(, "keep_volume": true)";
  p.bodies = R"({"shape": {"box": {"min": [0.7, 0.9], "max": [1.2, 1.2]}}, "angular_velocity": [1]}, {"shape": {"sphere": {"centre": [0.4, 1.4], "radius": 0.15}}})";
  CHECK(resumes_alike(p.text(), 20));
}

TEST_CASE("couple: Y lift") {
  const double depth = GENERATE(0.03, 0.06, 0.1, 0.15, 0.2, 0.27);
  const int dim = GENERATE(2, 3);
  const double w = GENERATE(0.4, 0.8);
  Pool p;
  p.dim = dim, p.spacing = 1. / 13, p.density = 1e4, p.gravity = dim == 3 ? "[0, -9.81, 0]" : "[0, -9.81]", p.coupling = "weak";
  p.min = dim == 3 ? "[0, 0, 0]" : "[0, 0]", p.max = dim == 3 ? "[1, 1, 1]" : "[1, 1]";
  const double y = 0.6 - depth;
  std::string box = fmt::format(R"({{"box": {{"min": [0.06, {}, 0.08], "max": [{}, {}, {}]}}}})", y, 0.06 + w, y + 0.3, 0.08 + w);
  std::string fill = R"({"box": {"min": [0, 0, 0], "max": [1, 0.6, 1]}})";
  p.tank = R"({"box": {"min": [0, 0, 0], "max": [1, 2, 1]}, "inside": true})";
  if (dim == 2) {
    box = fmt::format(R"({{"box": {{"min": [0.06, {}], "max": [{}, {}]}}}})", y, 0.06 + w, y + 0.3);
    fill = R"({"box": {"min": [0, 0], "max": [1, 0.6]}})";
    p.tank = R"({"box": {"min": [0, 0], "max": [1, 2]}, "inside": true})";
  }
  p.bodies = fmt::format(R"({{"shape": {}}})", box);
  p.fill = fmt::format(R"({{"difference": [{}, {}]}})", fill, box);
  Running r(p.text(), Exec::cpu(2));
  r.advance(1);
  const double v = dim == 3 ? double(velocity<3>(r)[1]) : double(velocity<2>(r)[1]);
  const double lift = (v / 0.01 + 9.81) / 9.81 * 1e4 * 0.3 / (1000 * depth);
  fmt::print("lift dim {} w {} depth {} rel {:.4f}\n", dim, w, depth, lift);
}
