#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "support/resumed.h"

// Sheets and soft solids in flows on grids.
using namespace rtsim;
using Catch::Contains;

namespace {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());

// A box of air with one mesh in it, in a frame of its own: scaled and shifted.
struct Room {
  double scale = 1, dt = 1e-3, density = 1;
  Vec3d shift;
  std::string gravity = "[0, 0, 0]",
              sides = R"("x_low": {"kind": "open"}, "x_high": {"kind": "open"})";
  std::string velocity = "[0, 0, 0]", flow = {};  // of the air; more of its stage
  std::string mesh, mesh_velocity = "[0, 0, 0]";  // `mesh` as the scene has it
  std::string hold = {};                          // further stages before the mesh's
  std::string solver = R"("type": "xpbd", "substeps": 4)";

  std::string at(double x, double y, double z) const {
    return fmt::format("[{:.9g}, {:.9g}, {:.9g}]", scale * x + shift[0], scale * y + shift[1],
                       scale * z + shift[2]);
  }
  std::string along(double x, double y, double z) const {
    return fmt::format("[{:.9g}, {:.9g}, {:.9g}]", scale * x, scale * y, scale * z);
  }
  // 2 x 1 x 1, of cells of 1/8.
  std::string text() const {
    return fmt::format(
        R"({{"rtsim": 1, "dim": 3, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
  "objects": [{{"name": "air", "kind": "grid", "spacing": {:.9g}, "min": {}, "max": {}}},
    {{"name": "cloth", "kind": "mesh", "density": {:.9g}, "velocity": {}, "mesh": {}}}],
  "stages": [{{"type": "smoke", "grid": "air", "boundary": ["cloth"], "rest_density": 1, "velocity": {},
      "pressure": {{"tolerance": 1e-6}}, "sides": {{{}}}{}}},
    {{"type": "couple", "fluid": "air", "solid": "cloth"}}, {}
    {{"mesh": "cloth", {}}}], "output": []}})",
        gravity, dt, scale / 8, at(0, 0, 0), at(2, 1, 1), density, mesh_velocity, mesh, velocity,
        sides, flow, hold, solver);
  }
  // A sheet across the room at x, which leans by so much over its height.
  std::string across(double x, double lean, int cells) const {
    return fmt::format(R"({{"sheet": {{"corner": {}, "u": {}, "v": {}, "cells": [{}, {}]}}}})",
                       at(x - lean / 2, 0, 0), along(lean, 1, 0), along(0, 0, 1), cells, cells);
  }
};
constexpr const char* repeats =
    R"("x_low": {"kind": "periodic"}, "x_high": {"kind": "periodic"}, "y_low": {"kind": "periodic"}, "y_high": {"kind": "periodic"}, "z_low": {"kind": "periodic"}, "z_high": {"kind": "periodic"})";
constexpr const char* held =
    R"({"type": "attach", "mesh": "cloth", "inside": [{"box": {"min": [-99, -99, -99], "max": [99, 99, 99]}}]},)";

Vec3d force(Running& r) {
  Vec3d sum;
  for (const Vec3d& f : r.world().table(force_table("cloth", "air")).download<Vec3d>("force"))
    sum = sum + f;
  return sum;
}
double kinetic(Running& r) {
  const auto v = r.world().table("cloth").download<Vec<3>>("velocity");
  const auto m = r.world().table("cloth").download<Real>("mass");
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) sum += 0.5 * double(m[i]) * double(dot(v[i], v[i]));
  return sum;
}
Vec3d mean_velocity(Running& r) {
  const auto v = r.world().table("cloth").download<Vec<3>>("velocity");
  const auto m = r.world().table("cloth").download<Real>("mass");
  Vec3d sum;
  double mass = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    sum = sum + double(m[i]) * widen(v[i]), mass += double(m[i]);
  return 1 / mass * sum;
}

}  // namespace

// In a box that repeats, whatever lies how: what all faces of the air lose the points get.
TEST_CASE("couple grid mesh: what the air loses a sheet gets") {
  const double lean = GENERATE(0.0, 0.37, -0.61);
  const double scale = GENERATE(1.0, 0.37);
  const double density = GENERATE(0.003, 0.7, 170.0);
  CAPTURE(lean, scale, density);
  Room t;
  t.scale = scale, t.shift = {{0.013, -0.21, 0.4}}, t.density = density, t.sides = repeats;
  t.velocity = "[0.7, 0.23, -0.31]";
  t.mesh = fmt::format(R"({{"sheet": {{"corner": {}, "u": {}, "v": {}, "cells": [5, 4]}}}})",
                       t.at(0.81, 0.23, 0.17), t.along(lean, 0.5, 0.1), t.along(-0.2, 0.1, 0.55));
  Running r(t.text(), Exec::cpu(2));
  const double mass = 2 * std::pow(scale, 3);
  const Vec3d before{{0.7 * mass, 0.23 * mass, -0.31 * mass}};
  r.advance(1);
  const Vec3d given = r.dt() * force(r);
  const char* const axes[] = {"x", "y", "z"};
  CHECK(norm(given) > 1e-5 * norm(before));
  // Rounding of the velocities of 1024 cells, at random, and of their sum.
  for (int a = 0; a < 3; ++a)
    CHECK(std::abs(r.measure(std::string("air.momentum.") + axes[a]) + given[a] - before[a]) <
          4 * eps * mass);
}

// A force a on the air over a length L in front of the sheet is a pressure rho a L.
TEST_CASE("couple grid mesh: a held sheet across a channel bears the pressure") {
  const double lean = GENERATE(0.0, 0.33);
  const int cells = GENERATE(3, 8, 13);
  const double scale = GENERATE(1.0, 2.7);
  CAPTURE(lean, cells, scale);
  Room t;
  t.scale = scale, t.hold = held, t.shift = {{-0.3, 0.07, 0.011}};
  t.mesh = t.across(1.07, lean, cells);
  t.flow = fmt::format(
      R"(, "sources": [{{"shape": {{"box": {{"min": {}, "max": {}}}}}, "acceleration": [3, 0, 0]}}])",
      t.at(0.25, -1, -1), t.at(0.75, 2, 2));
  Running r(t.text(), Exec::cpu(2));
  r.advance(1);
  const Vec3d f = force(r);
  const double exact = 3 * 0.5 * scale * scale * scale;
  CHECK(f[0] == Approx(exact).epsilon(1e-4));
  CHECK(std::abs(f[2]) < 1e-4 * exact);
  r.advance(5);
  CHECK(force(r)[0] == Approx(exact).epsilon(1e-4));
}

// A piston between columns of air that are open at their ends, of m'' for its section, and L of
// both columns, where outside p is 0 half a cell beyond the side. The air moves by v_x - lean v_y,
// so
//   impulse = rho L v0 / (1 + (1 + lean^2) rho L / m'')
// where it slides along itself freely, and as without lean where it does not. Stairs are between.
TEST_CASE("couple grid mesh: a sheet takes the air before and behind it along") {
  const double density = GENERATE(1e-3, 0.05, 1.3, 40.0, 1e3);
  const double lean = GENERATE(0.0, 0.25);
  CAPTURE(density, lean);
  Room t;
  t.density = density / std::hypot(1, lean), t.mesh = t.across(0.93, lean, 8);
  t.mesh_velocity = "[0.3, 0, 0]";
  t.solver = R"("type": "xpbd", "substeps": 1)";
  Running r(t.text(), Exec::cpu(2));
  r.advance(1);
  const double air = 2 + 0.125, given = -r.dt() * force(r)[0];
  const auto impulse = [&](double slope) {
    return air * 0.3 / (1 + (1 + slope * slope) * air / density);
  };
  CHECK(given < 1.01 * impulse(0));
  CHECK(given > 0.99 * impulse(lean));
}

// What moves is no more than at the start, however light the sheet and however the air hits it;
// cloth that the air stretched gives some back.
TEST_CASE("couple grid mesh: neither light nor heavy sheets make energy") {
  const double density = GENERATE(1e-3, 0.031, 1.0, 32.0, 1e3);
  const bool moves = GENERATE(false, true);
  CAPTURE(density, moves);
  Room t;
  t.density = density, t.dt = 0.013;
  t.mesh = fmt::format(R"({{"sheet": {{"corner": {}, "u": {}, "v": {}, "cells": [6, 5]}}}})",
                       t.at(0.6, 0.15, 0.2), t.along(0.3, 0.6, 0.1), t.along(-0.1, 0.1, 0.6));
  (moves ? t.mesh_velocity : t.velocity) = "[0.8, 0.1, 0]";
  t.sides = repeats;
  Running r(t.text(), Exec::cpu(2));
  const auto energy = [&] { return r.measure("air.kinetic_energy") + kinetic(r); };
  const double start = energy();
  for (int k = 0; k < 60; ++k) {
    r.advance(1);
    REQUIRE(energy() < start * (1 + 8 * eps));
  }
}

namespace {

double smoke_beyond(Running& r, const std::function<bool(const Vec3d&)>& there) {
  const GridShape& g = *r.world().object("air").grid;
  const auto s = r.world().table("air").download<Real>("density");
  double sum = 0;
  for (std::size_t c = 0; c < s.size(); ++c)
    if (there(g.centre(Index(c)))) sum += double(s[c]);
  return sum;
}

}  // namespace

TEST_CASE("couple grid mesh: no smoke passes a sheet that parts the room") {
  const double lean = GENERATE(0.0, 0.41);
  CAPTURE(lean);
  Room t;
  t.dt = 0.02, t.hold = held, t.shift = {{0.3, 0, -0.1}};
  t.sides = "";
  t.mesh = t.across(1.03, lean, 7);
  t.flow = fmt::format(
      R"(, "density_diffusivity": 1e-3, "initial": [{{"shape": {{"box": {{"min": {0}, "max": {1}}}}}, "density": 1}}],
      "sources": [{{"shape": {{"box": {{"min": {0}, "max": {2}}}}}, "acceleration": [5, 3, 0]}},
                  {{"shape": {{"box": {{"min": {3}, "max": {4}}}}}, "acceleration": [-4, 3, 1]}}])",
      t.at(-1, -1, -1), t.at(0.6, 2, 2), t.at(2, 0.5, 0.4), t.at(1.2, 0.1, 0.1),
      t.at(1.9, 0.6, 0.9));
  Running r(t.text(), Exec::cpu(2));
  const auto behind = [&](const Vec3d& x) {
    return x[0] - t.shift[0] > 1.03 + lean * (x[1] - 0.5);
  };
  REQUIRE(smoke_beyond(r, behind) == 0);
  const double all = r.measure("air.mass");
  r.advance(100);
  CHECK(r.measure("air.max_speed") > 0.3);
  CHECK(smoke_beyond(r, behind) == 0);
  CHECK(r.measure("air.mass") == Approx(all).epsilon(1e-5));
  CHECK(smoke_beyond(r, [&](const Vec3d& x) { return !behind(x) && x[0] > t.shift[0] + 0.9; }) > 1);
}

// It sweeps what lies before it, and leaves none behind.
TEST_CASE("couple grid mesh: a sheet that moves takes smoke along") {
  Room t;
  t.dt = 0.01;
  t.mesh = t.across(0.53, 0.13, 9);
  t.hold =
      R"({"type": "attach", "mesh": "cloth", "motion": {"velocity": [0.4, 0, 0]}, "inside": [{"box": {"min": [-99, -99, -99], "max": [99, 99, 99]}}]},)";
  t.flow = fmt::format(
      R"(, "initial": [{{"shape": {{"box": {{"min": {}, "max": {}}}}}, "density": 1}}])",
      t.at(0.8, -1, -1), t.at(1.05, 2, 2));
  Running r(t.text(), Exec::cpu(2));
  const double all = r.measure("air.mass");
  r.advance(100);
  CHECK(smoke_beyond(r, [&](const Vec3d& x) { return x[0] < 0.93 + 0.13 * (x[1] - 0.5) - 0.01; }) <
        1e-3 * all * 512);
  // What it pushed out of a cell is counted there, too, until it has gone over the middle.
  CHECK(std::abs(r.measure("air.mass") - all) < 0.125 / 2);
}

namespace {

// A ball of radius 1/4 in the middle of the room, soft or rigid, let go.
std::string ball(double density, bool soft, double dt) {
  const std::string shape = R"({"sphere": {"centre": [0.51, 0.48, 0.53], "radius": 0.25}})";
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "gravity": [0, -10, 0], "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
  "objects": [{{"name": "air", "kind": "grid", "spacing": 0.0625, "min": [0, 0, 0], "max": [1, 1, 1]}},
    {{"name": "cloth", "kind": {}, "density": {}, {}}}],
  "stages": [{{"type": "smoke", "grid": "air", "boundary": ["cloth"], "rest_density": 1, "pressure": {{"tolerance": 1e-6}}}},
    {{"type": "couple", "fluid": "air", "solid": "cloth"}}, {}], "output": []}})",
      dt, soft ? "\"mesh\"" : "\"bodies\"", density,
      soft ? fmt::format(
                 R"("mesh": {{"solid": {{"shape": {}, "spacing": 0.08, "method": "stuffing"}}}})",
                 shape)
           : fmt::format(R"("bodies": [{{"shape": {}}}])", shape),
      soft
          ? R"({"type": "fem", "mesh": "cloth", "youngs_modulus": 1e6, "poissons_ratio": 0.3, "rayleigh_stiffness": 1e-4})"
          : R"({"type": "rigid", "bodies": "cloth"})");
}

}  // namespace

// Stiff ones are as good as rigid: they rise and fall with the added mass that those do.
TEST_CASE("couple grid mesh: a soft ball that is let go takes air along as a rigid one", "[long]") {
  const double density = GENERATE(0.05, 0.5, 2.0, 20.0);
  CAPTURE(density);
  constexpr int steps = 40;
  Running soft(ball(density, true, 1e-3), Exec::cpu(2)),
      hard(ball(density, false, 1e-3), Exec::cpu(2));
  soft.advance(steps), hard.advance(steps);
  const double exact = double(hard.world().table("cloth").download<Vec<3>>("velocity")[0][1]);
  const Vec3d v = mean_velocity(soft);
  CHECK(v[1] == Approx(exact).epsilon(0.08));
  CHECK(std::abs(v[0]) < 0.05 * std::abs(exact));
}

namespace {

// A block of 0.3 x 0.2 x 0.3, soft or rigid, among the particles of a liquid in a tank of cells of
// 1/20 that has `size`.
struct Tank {
  std::string gravity = "[0, 0, 0]", size = "[1.2, 1, 0.9]";
  std::string fill = R"({"min": [0.15, 0.35, 0.3], "max": [0.45, 0.65, 0.6]})";
  std::string velocity = "[1, 0.1, 0]", place;  // of the water; of the block
  double density, dt, modulus = 1e6, damping = 0;

  static constexpr const char* corners = R"("min": [-0.15, -0.1, -0.15], "max": [0.15, 0.1, 0.15])";
  std::string soft() const {
    return fmt::format(
        R"({{"name": "cloth", "kind": "mesh", "density": {}, "mesh": {{"block": {{{}, "cells": [5, 4, 5]}}, "transform": {}}}}})",
        density, corners, place);
  }
  std::string rigid() const {
    return fmt::format(
        R"({{"name": "cloth", "kind": "bodies", "density": {}, "bodies": [{{"shape": {{"box": {{{}}}, "transform": {}}}}}]}})",
        density, corners, place);
  }
  std::string text(bool yields) const {
    const std::string solver = fmt::format(
        R"({{"type": "fem", "mesh": "cloth", "youngs_modulus": {}, "poissons_ratio": 0.35, "rayleigh_mass": {}}})",
        modulus, damping);
    return fmt::format(
        R"({{"rtsim": 1, "dim": 3, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
  "objects": [{{"name": "water", "kind": "particles", "spacing": 0.025, "velocity": {}, "fill": {{"box": {}}}}},
    {{"name": "tank", "kind": "grid", "spacing": 0.05, "min": [0, 0, 0], "max": {}}}, {}],
  "stages": [{{"type": "flip", "fluid": "water", "grid": "tank", "boundary": ["cloth"]}},
    {{"type": "couple", "fluid": "water", "solid": "cloth"}}, {}], "output": []}})",
        gravity, dt, velocity, fill, size, yields ? soft() : rigid(),
        yields ? solver : R"({"type": "rigid", "bodies": "cloth"})");
  }
};

}  // namespace

// Points yield by themselves, and what holds them together answers later: so the block takes less
// of a blow than a rigid one, and both lose or gain as much as particles in walls do.
TEST_CASE("couple grid mesh: a blow of liquid moves a soft block and feeds nothing", "[long]") {
  const auto [density, dt] =
      GENERATE(table<double, double>({{3, 0.013}, {200, 0.004}, {2e4, 0.013}}));
  CAPTURE(density, dt);
  Tank t;
  t.density = density, t.dt = dt;
  t.place = R"({"axis": [1, 2, 3], "angle": 40, "translate": [0.7, 0.5, 0.45]})";
  Running soft(t.text(true), Exec::cpu(2)), hard(t.text(false), Exec::cpu(2));
  const double water = 27;
  const auto energy = [&] {
    return soft.measure("water.kinetic_energy") + soft.measure("cloth.kinetic_energy") +
           soft.measure("cloth.elastic_energy");
  };
  const double start = energy();
  for (int k = 0; k < int(0.3 / dt); ++k) {
    soft.advance(1);
    REQUIRE(energy() < 1.01 * start);
  }
  hard.advance(soft.steps);
  const double given = soft.measure("cloth.momentum.x"), exact = hard.measure("cloth.momentum.x");
  CHECK(given > 0.8 * exact);
  CHECK(given < 1.1 * exact);
  CHECK(std::abs(given + soft.measure("water.momentum.x") - water) < 0.04 * water);
}

TEST_CASE("couple grid mesh: a soft block floats in liquid", "[long]") {
  Tank t;
  t.gravity = "[0, -9.81, 0]", t.size = "[0.8, 0.8, 0.8]", t.velocity = "[0, 0, 0]";
  t.fill = R"({"min": [0, 0, 0], "max": [0.8, 0.5, 0.8]})";
  t.place = R"({"axis": [0, 1, 0], "angle": 31, "translate": [0.4, 0.56, 0.4]})";
  t.density = 400, t.dt = 0.008, t.damping = 0.5;
  Running r(t.text(true), Exec::cpu(2));
  r.advance(100);
  const double weight = 400 * 0.3 * 0.2 * 0.3 * 9.81;
  double lift = 0, place = 0, volume = 0;
  constexpr int steps = 150;
  for (int k = 0; k < steps; ++k) {
    r.advance(1);
    lift += r.measure("cloth.force.y") / steps;
    place += r.measure("cloth.potential_energy") / weight / steps;
    volume += r.measure("water.volume") / steps;
  }
  CHECK(lift == Approx(weight).epsilon(0.03));
  // Of the water's level, with what the block displaces of it.
  const double level = (volume + 0.4 * 0.3 * 0.2 * 0.3) / (0.8 * 0.8);
  INFO("above " << place - (level + 0.1 - 0.4 * 0.2));
  CHECK(std::abs(place - (level + 0.1 - 0.4 * 0.2)) < 0.2 * 0.05);
}

TEST_CASE("couple grid mesh: runs go on from a checkpoint as they were, on any threads") {
  Room t;
  t.dt = 0.01, t.velocity = "[0.9, 0.1, 0]", t.density = 0.2;
  t.mesh = t.across(0.93, 0.25, 6);
  CHECK(resumes_alike(t.text(), 8));
  CHECK(resumes_alike(ball(0.5, true, 0.005), 6));
}

TEST_CASE("couple grid mesh: what is not done is refused") {
  Room t;
  t.mesh = t.across(0.93, 0.25, 6);
  t.flow = R"(, "kinematic_viscosity": 1e-3)";
  CHECK_THAT(refusal(t.text(), 1), Contains("friction is not passed on to the mesh 'cloth'"));
  t.flow = R"(, "advection": "mac_cormack")";
  CHECK_THAT(refusal(t.text(), 1), Contains("traces go through the sheet 'cloth'"));
}
