#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "support/resumed.h"

// Sheets in the liquid of flip: its particles stay on their side, and what the liquid loses of
// momentum the sheet gets.
using namespace rtsim;
using Catch::Contains;

namespace {

constexpr const char* held =
    R"({"type": "attach", "mesh": "cloth", "inside": [{"box": {"min": [-99, -99, -99], "max": [99, 99, 99]}}]},)";
constexpr const char* repeats =
    R"("sides": {"x_low": {"kind": "periodic"}, "x_high": {"kind": "periodic"}, "y_low": {"kind": "periodic"}, "y_high": {"kind": "periodic"}, "z_low": {"kind": "periodic"}, "z_high": {"kind": "periodic"}}, )";

// Two particles a cell's side; all lengths [m], shifted.
struct Tank {
  double cell = 0.025, dt = 0.005, density = 0.5;
  Vec3d size{{0.3, 0.5, 0.3}}, shift;
  std::string gravity = "[0, -9.81, 0]", fill, velocity = "[0, 0, 0]", sheet;
  std::string flow = {}, hold = {};  // more of flip; stages before the sheet's
  std::string solver = R"("type": "cloth_implicit")";

  std::string at(double x, double y, double z) const {
    return fmt::format("[{:.9g}, {:.9g}, {:.9g}]", x + shift[0], y + shift[1], z + shift[2]);
  }
  std::string box(const Vec3d& low, const Vec3d& high) const {
    return fmt::format(R"({{"box": {{"min": {}, "max": {}}}}})", at(low[0], low[1], low[2]),
                       at(high[0], high[1], high[2]));
  }
  void across(double y, double rise, int cells) {
    sheet = fmt::format(
        R"({{"sheet": {{"corner": {}, "u": [0, 0, {}], "v": [{}, {}, 0], "cells": [{}, {}]}}}})",
        at(0, y - rise / 2, 0), size[2], size[0], rise, cells, cells);
  }
  std::string text() const {
    return fmt::format(
        R"({{"rtsim": 1, "dim": 3, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
  "objects": [{{"name": "water", "kind": "particles", "spacing": {:.9g}, "fill": {}, "velocity": {}}},
    {{"name": "room", "kind": "grid", "spacing": {:.9g}, "min": {}, "max": {}}},
    {{"name": "cloth", "kind": "mesh", "density": {:.9g}, "mesh": {}}}],
  "stages": [{{"type": "flip", "fluid": "water", "grid": "room", {}"boundary": ["cloth"]}},
    {{"type": "couple", "fluid": "water", "solid": "cloth"}}, {}
    {{"mesh": "cloth", {}}}], "output": []}})",
        gravity, dt, cell / 2, fill, velocity, cell, at(0, 0, 0), at(size[0], size[1], size[2]),
        density, sheet, flow, hold, solver);
  }
};

Vec3d force(Running& r) {
  Vec3d sum;
  for (const Vec3d& f : r.world().table(force_table("cloth", "water")).download<Vec3d>("force"))
    sum = sum + f;
  return sum;
}
Vec3d momentum(Running& r, const std::string& of) {
  Vec3d p;
  for (int a = 0; a < 3; ++a) p[a] = r.measure(of + ".momentum." + "xyz"[a]);
  return p;
}
std::vector<Vec<3>> particles(Running& r) {
  return r.world().table("water").download<Vec<3>>("position");
}

}  // namespace

// A channel full of water that repeats, with a piece of cloth held in it. The pressure gives a face
// the momentum of a full one, and particles fill it almost; so some thousandths are left.
TEST_CASE("couple flip sheet: held cloth bears what the stream loses") {
  const double lean = GENERATE(0.0, 0.13, -0.31);
  const std::string transfer = GENERATE("apic", "flip");
  CAPTURE(lean, transfer);
  Tank t;
  t.cell = 0.125, t.dt = 2e-3, t.size = {{2, 1, 1}}, t.shift = {{0.013, -0.21, 0.4}};
  t.gravity = "[0, 0, 0]", t.velocity = "[0.7, 0.2, 0]", t.hold = held;
  t.fill = t.box({{0, 0, 0}}, t.size);
  t.flow = fmt::format(R"({}"transfer": "{}", )", repeats, transfer);
  t.sheet = fmt::format(
      R"({{"sheet": {{"corner": {}, "u": [{}, 0.5, 0.1], "v": [-0.2, 0.1, 0.55], "cells": [9, 11]}}}})",
      t.at(0.81, 0.23, 0.17), lean);
  Running r(t.text(), Exec::cpu(2));
  const Vec3d before = momentum(r, "water");
  Vec3d given;
  for (int n = 0; n < 40; ++n) r.advance(1), given = given + t.dt * force(r);
  const Vec3d lost = before - momentum(r, "water");
  CHECK(norm(lost) > 0.05 * norm(before));
  CHECK(norm(given - lost) < 5e-3 * norm(lost));
}

// A sheet across a shaft, anywhere between the middles of cells, bears the water on it, to the
// weight of a quarter of a cell; none goes through, or begins to move.
TEST_CASE("couple flip sheet: a sheet across a shaft bears the water on it") {
  const double y = GENERATE(0.18, 0.187, 0.193, 0.199);
  const bool keep_volume = GENERATE(false, true);
  CAPTURE(y, keep_volume);
  const double depth = 0.12;
  Tank t;
  t.hold = held, t.shift = {{-0.3, 0.0, 0.011}};
  t.across(y, 0, 12);
  t.fill = t.box({{0, y, 0}}, {{0.3, y + depth, 0.3}});
  t.flow = fmt::format(R"("keep_volume": {}, )", keep_volume);
  Running r(t.text(), Exec::cpu(2));
  r.advance(60);
  Vec3d mean;
  for (int n = 0; n < 20; ++n) r.advance(1), mean = mean + 1.0 / 20 * force(r);
  const double area = 0.3 * 0.3, weight = 9810 * depth * area;
  CHECK(std::abs(mean[1] + weight) < 9810 * 0.25 * t.cell * area);
  CHECK(std::hypot(mean[0], mean[2]) < 1e-5 * weight);
  for (const Vec<3>& x : particles(r)) REQUIRE(double(x[1]) > y);
  CHECK(r.measure("water.kinetic_energy") < 1e-4 * weight * depth);
}

// Rain that comes at several cells a step, onto cloth of thousandths of the water that a cell
// holds, without gravity: nothing passes it, and energy is not made.
TEST_CASE("couple flip sheet: water that strikes a sheet does not pass it") {
  const double density = GENERATE(0.01, 1.3, 300.0);
  const double rise = GENERATE(0.0, 0.07);
  const bool free = GENERATE(true, false);
  CAPTURE(density, rise, free);
  const double speed = 7;
  Tank t;
  t.density = density, t.gravity = "[0, 0, 0]", t.velocity = "[0, -7, 0]";
  t.hold = free ? "" : held;
  t.size[1] = free ? 1.5 : 0.5;
  const double y = t.size[1] - 0.31;
  t.across(y, rise, 10);
  t.fill = t.box({{0.05, y + 0.06, 0.1}}, {{0.2, y + 0.18, 0.25}});
  Running r(t.text(), Exec::cpu(2));
  const double start = r.measure("water.kinetic_energy");
  const double mass = r.measure("water.mass");
  for (int n = 0; n < 12; ++n) {
    r.advance(1);
    const double cloth = free ? r.measure("cloth.kinetic_energy") : 0;
    CHECK(r.measure("water.kinetic_energy") + cloth < (1 + 1e-5) * start);
    double lowest = 1e30;
    for (const Vec<3>& x : r.world().table("cloth").download<Vec<3>>("position"))
      lowest = std::min(lowest, double(x[1]));
    for (const Vec<3>& x : particles(r)) REQUIRE(double(x[1]) > lowest);
  }
  const Vec3d now = momentum(r, "water");
  if (!free) CHECK(now[1] > -0.05 * mass * speed);
}

TEST_CASE("couple flip sheet: it comes out of a checkpoint the same") {
  Tank t;
  t.velocity = "[0.3, -1, 0.1]";
  t.across(0.21, 0.05, 7);
  t.fill = t.box({{0.05, 0.26, 0.1}}, {{0.2, 0.4, 0.25}});
  CHECK(resumes_alike(t.text(), 9));
}

// Sheets that are light and stiff, whose solvers take many substeps: what the water pushes them
// with in a step would be a velocity many times its own, if they had it at the start.
TEST_CASE("couple flip sheet: a light awning that stays held catches water and adds no energy",
          "[long]") {
  const std::string solver =
      GENERATE(R"("type": "xpbd", "substeps": 20)",
               R"("type": "xpbd", "substeps": 7, "stretch_compliance": 3e-6)",
               R"("type": "pbd", "substeps": 10)",
               R"("type": "mass_spring", "law": "absolute", "stiffness": 2000,
                                         "integrator": "implicit_euler", "substeps": 5)",
               R"("type": "cloth_implicit", "substeps": 4)");
  const double density = GENERATE(0.29, 4.1);
  const double dt = GENERATE(0.0021, 0.0057);
  CAPTURE(solver, density, dt);
  Tank t;
  t.cell = 0.031, t.size = {{0.62, 0.62, 0.62}}, t.shift = {{0.013, -0.31, 0.007}};
  t.dt = dt, t.density = density, t.solver = solver;
  t.sheet = fmt::format(
      R"({{"sheet": {{"corner": {}, "u": [0, 0, 0.52], "v": [0.52, 0.03, 0], "cells": [13, 13]}}}})",
      t.at(0.05, 0.3, 0.05));
  t.hold =
      fmt::format(R"({{"type": "attach", "mesh": "cloth", "inside": [{}, {}, {}, {}]}},)",
                  t.box({{-9, -9, -9}}, {{0.051, 9, 9}}), t.box({{0.569, -9, -9}}, {{9, 9, 9}}),
                  t.box({{-9, -9, -9}}, {{9, 9, 0.051}}), t.box({{-9, -9, 0.569}}, {{9, 9, 9}}));
  t.fill = t.box({{0.16, 0.36, 0.2}}, {{0.44, 0.45, 0.47}});
  Running r(t.text(), Exec::cpu(2));
  const auto energy = [&] {
    return r.measure("water.kinetic_energy") + r.measure("water.potential_energy") +
           r.measure("cloth.kinetic_energy") + r.measure("cloth.potential_energy");
  };
  const double start = energy(), weight = 9.81 * r.measure("water.mass");
  for (double time = 0; time < 0.35; time += dt) {
    r.advance(1);
    // A hundredth of what it falls by, a cell.
    CHECK(energy() < start + 0.01 * weight * t.cell);
  }
}

// Rigid edges hold a rim that is lighter than the water by a thousand: the liquid does not know.
TEST_CASE("couple flip sheet: a run whose sheet goes elsewhere stops") {
  Tank t;
  t.density = 0.02, t.dt = 0.02;
  t.across(0.2, 0, 13);
  t.fill = t.box({{0, 0.25, 0}}, {{0.3, 0.4, 0.3}});
  t.hold = fmt::format(R"({{"type": "attach", "mesh": "cloth", "inside": [{}, {}]}},)",
                       t.box({{-1, -1, -1}}, {{0.01, 9, 9}}), t.box({{0.29, -1, -1}}, {{9, 9, 9}}));
  t.solver = R"("type": "xpbd", "substeps": 20)";
  CHECK_THAT(refusal(t.text(), 60), Contains("the sheet 'cloth' went"));
}

TEST_CASE("couple flip sheet: what cannot be is refused") {
  Tank t;
  t.across(0.2, 0, 4);
  t.fill = t.box({{0, 0.25, 0}}, {{0.3, 0.35, 0.3}});
  t.flow = R"("band": 4, )";
  CHECK_THAT(refusal(t.text(), 1), Contains("band"));
  t.flow = "";
  t.sheet = R"({"line": {"from": [0, 0.2, 0.1], "to": [0.3, 0.2, 0.2], "segments": 5}})";
  t.solver = R"("type": "xpbd")";
  CHECK_THAT(refusal(t.text(), 1), Contains("'cloth' has no triangles"));
}
