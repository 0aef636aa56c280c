#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <numbers>

#include "support/resumed.h"

// Rigid bodies that float in flip: draught by Archimedes, added masses by potential flow, and what
// liquid and bodies together have to keep.
using namespace rtsim;

namespace {

// Water in a grid whose sides are walls, and `rigid`'s tank where these are. `fill` has bodies cut
// out.
struct Pool {
  int dim = 2;
  double spacing = 0.0625, dt = 0.01, density = 500;  // the grid's [m], [s], [kg/m^D]
  std::string gravity = "[0, -9.81]", min = "[0, 0]", max = "[2, 2]";
  std::string tank = R"({"box": {"min": [0, 0], "max": [2, 9]}, "inside": true})";
  std::string fill, bodies, boundary = {}, flow = {};

  std::string text() const {
    return fmt::format(
        R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "water", "kind": "particles", "spacing": {}, "fill": {}}},
      {{"name": "room", "kind": "grid", "spacing": {}, "min": {}, "max": {}}},
      {{"name": "tank", "kind": "boundary", "shape": {}}},
      {{"name": "b", "kind": "bodies", "density": {}, "bodies": [{}]}}],
    "stages": [{{"type": "flip", "fluid": "water", "grid": "room", "boundary": [{}"b"]{}}},
      {{"type": "couple", "fluid": "water", "solid": "b"}},
      {{"type": "rigid", "bodies": "b", "boundary": ["tank"]}}], "output": []}})",
        dim, gravity, dt, spacing / 2, fill, spacing, min, max, tank, density, bodies, boundary,
        flow);
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
double together(Running& r, const std::string& what) {
  return r.measure("water." + what) + r.measure("b." + what);
}
double energy(Running& r) {
  return together(r, "kinetic_energy") + together(r, "potential_energy");
}

std::string disc(double x, double y, double radius) {
  return fmt::format(R"({{"sphere": {{"centre": [{}, {}], "radius": {}}}}})", x, y, radius);
}
std::string without(const std::string& fill, const std::string& body) {
  return fmt::format(R"({{"difference": [{}, {}]}})", fill, body);
}
std::string shaped(const std::string& shape, const std::string& more = "") {
  return fmt::format(R"({{"shape": {}{}}})", shape, more);
}

// A box at its draught in water that is 1 m deep: how far from there it is on the mean of the
// second half of a second [cells].
double off_its_draught(Pool p, double s, double width, double height, double x) {
  const double low = 1 - s * height;
  p.density = 1000 * s;
  std::string box, water;
  if (p.dim == 2) {
    box = fmt::format(R"({{"box": {{"min": [{}, {}], "max": [{}, {}]}}}})", x, low, x + width,
                      low + height);
    water = R"({"box": {"min": [0, 0], "max": [2, 1]}})";
  } else {
    box = fmt::format(R"({{"box": {{"min": [{}, {}, 0.28], "max": [{}, {}, {}]}}}})", x, low,
                      x + width, low + height, 0.28 + width);
    water = R"({"box": {"min": [0, 0, 0], "max": [1, 1, 1]}})";
  }
  p.bodies = shaped(box), p.fill = without(water, box);
  Running r(p.text(), Exec::cpu(2));
  double mean = 0;
  for (int k = 0; k < 100; ++k) {
    r.advance(1);
    const double y = p.dim == 2 ? double(position<2>(r)[1]) : double(position<3>(r)[1]);
    if (k >= 50) mean += y / 50;
  }
  // Of the water that there is: its fill is one of whole particles.
  const double area = std::pow(width, p.dim - 1), all = p.dim == 2 ? 2 : 1;
  const double level = (r.measure("water.mass") / 1000 + area * height * s) / all;
  return (mean - (level - s * height + height / 2)) / p.spacing;
}

}  // namespace

TEST_CASE("couple: what a fill puts into a body is left out") {
  const std::string ball = disc(0.93, 0.71, 0.31);
  Pool pool{.fill = {}, .bodies = shaped(ball)};
  pool.fill = R"({"box": {"min": [0, 0], "max": [2, 1.25]}})";
  Running full(pool.text(), Exec::cpu(1));
  pool.fill = without(pool.fill, ball);
  Running cut(pool.text(), Exec::cpu(1));
  const double rows = full.world().table("water").rows(), less = cut.world().table("water").rows();
  // What is left in the rim of half a spacing.
  CHECK(rows > less);
  CHECK(rows - less < 2 * M_PI * 0.31 * 0.5 / 0.03125 + 1);
  CHECK(full.measure("water.rows_in_walls") <= rows - less);
  const auto told = [](Running& r) {
    std::string all;
    for (const PipelineStage& p : r.sim.pipeline) all += p.stage->warning(r.world());
    return all;
  };
  CHECK(told(full).find("were filled in inside of what stands there, and left out") !=
        std::string::npos);
  CHECK(told(cut).empty());
  const double start = energy(full);
  double most = start;
  for (int k = 0; k < 60; ++k) full.advance(1), most = std::max(most, energy(full));
  CHECK(most < 1.003 * start);
}

// Its deck is more than a cell above the water, or waves run over it.
TEST_CASE("couple: a box floats in flip as deep as Archimedes says") {
  const double s = GENERATE(0.1, 0.5, 0.9);
  const int cells = GENERATE(32, 37);
  const double x = cells == 32 ? 0.75 : 0.7673;
  CAPTURE(s, cells, x);
  Pool p;
  p.spacing = 2.0 / cells;
  CHECK(std::abs(off_its_draught(p, s, 0.5, s > 0.8 ? 0.7 : 0.3, x)) < 0.05);
}

// Five cells wide, whose edges a distance between nodes rounds off.
TEST_CASE("couple: a box of five cells floats in flip in space", "[slow]") {
  const double s = GENERATE(0.1, 0.5, 0.9);
  CAPTURE(s);
  Pool p;
  p.dim = 3, p.spacing = 1.0 / 13, p.gravity = "[0, -9.81, 0]";
  p.min = "[0, 0, 0]", p.max = "[1, 1.3846153846153846, 1]";
  p.tank = R"({"box": {"min": [0, 0, 0], "max": [1, 9, 1]}, "inside": true})";
  CHECK(std::abs(off_its_draught(p, s, 0.4, s > 0.8 ? 0.9 : 0.4, 0.31)) < 0.25);
}

// Where p = 0 on the surface a half-immersed cylinder has half of the added mass of a whole one,
// rho pi R^2 / 2 in heave; walls and floor at 10 R add 1 %.
TEST_CASE("couple: a cylinder half in flip's water takes half of its added mass along") {
  const double s = GENERATE(0.01, 0.5, 2.0), y = GENERATE(2.5, 2.513);
  CAPTURE(s, y);
  Pool p;
  p.spacing = 0.05, p.density = 1000 * s, p.gravity = "[0, 0]", p.max = "[5, 3]";
  p.tank = R"({"box": {"min": [0, 0], "max": [5, 9]}, "inside": true})";
  const std::string body = disc(2.507, y, 0.25);
  p.bodies = shaped(body, R"(, "velocity": [0, -1])");
  p.fill = without(fmt::format(R"({{"box": {{"min": [0, 0], "max": [5, {}]}}}})", y), body);
  Running r(p.text(), Exec::cpu(2));
  r.advance(1);
  CHECK(double(velocity<2>(r)[1]) == Approx(-s / (s + 0.5)).epsilon(0.03));
}

// C = (b^2 + a^2) / (b^2 - a^2) = 5 / 3 (Lamb, Hydrodynamics, art. 68), in a tube without a
// surface.
TEST_CASE("couple: a cylinder in a tube full of flip's water falls with its added mass") {
  const double s = GENERATE(0.001, 0.1, 0.5, 2.0, 10.0);
  CAPTURE(s);
  Pool p;
  p.spacing = 0.1, p.density = 1000 * s, p.dt = 1e-3, p.gravity = "[0, -10]";
  p.min = "[-1.2, -1.2]", p.max = "[1.2, 1.2]", p.boundary = "\"tank\", ";
  p.tank = R"({"sphere": {"centre": [0.013, -0.007], "radius": 1}, "inside": true})";
  p.bodies = shaped(disc(0.013, -0.007, 0.5));
  p.fill = without(disc(0.013, -0.007, 1), disc(0.013, -0.007, 0.5));
  Running r(p.text(), Exec::cpu(2));
  r.advance(1);
  CHECK(double(velocity<2>(r)[1]) == Approx(-(s - 1) / (s + 5.0 / 3) * 10 * 1e-3).epsilon(0.015));
  CHECK(std::abs(double(velocity<2>(r)[0])) < 1e-4);
}

// Shifts that keep the volume lift some of the water: below 1 % of buoyancy's work. How far the
// body leaps is up to splashes.
TEST_CASE("couple: what is light rises in flip, breaks the surface, and makes no energy") {
  const double s = GENERATE(1e-3, 0.5);
  const bool shifts = GENERATE(false, true);
  CAPTURE(s, shifts);
  Pool p;
  p.density = 1000 * s;
  if (shifts) p.flow = R"(, "keep_volume": true)";
  p.bodies = shaped(disc(1.03, 0.4, 0.2));
  p.fill = without(R"({"box": {"min": [0, 0], "max": [2, 1]}})", disc(1.03, 0.4, 0.2));
  Running r(p.text(), Exec::cpu(2));
  const double rows = r.world().table("water").rows(), first = energy(r);
  const double work = std::numbers::pi * 0.04 * 1000 * (1 - s) * 9.81 * 0.6;
  double top = 0;
  for (int k = 0; k < 120; ++k) {
    r.advance(1);
    REQUIRE(energy(r) - first < 0.01 * work);
    top = std::max(top, double(position<2>(r)[1]));
  }
  CHECK(top > 1.1);
  CHECK(r.world().table("water").rows() == rows);
  CHECK(r.measure("rows_in_walls") == 0);
}

// Particles take the pressure of the faces about them, which faces that a body cuts share with it:
// that is kept to the order of the spacing only.
TEST_CASE("couple: a body that strikes a drop of flip keeps momentum with it, and loses energy") {
  const double s = GENERATE(0.1, 1.0, 5.0);
  CAPTURE(s);
  Pool p;
  p.density = 1000 * s, p.gravity = "[0, 0]", p.dt = 0.005;
  const std::string body = disc(1.213, 1.02, 0.15);
  p.bodies = shaped(body, R"(, "velocity": [-1, 0.2])");
  p.fill = without(disc(0.8, 1, 0.5), body);
  p.tank = R"({"box": {"min": [-9, -9], "max": [9, 9]}, "inside": true})";
  Running r(p.text(), Exec::cpu(2));
  const double x = together(r, "momentum.x"), y = together(r, "momentum.y");
  const double about = together(r, "angular_momentum.z");
  double before = together(r, "kinetic_energy");
  for (int k = 0; k < 40; ++k) {
    r.advance(1);
    REQUIRE(together(r, "kinetic_energy") < 1.001 * before);
    before = together(r, "kinetic_energy");
  }
  CHECK(std::hypot(together(r, "momentum.x") - x, together(r, "momentum.y") - y) <
        0.04 * std::hypot(x, y));
  CHECK(together(r, "angular_momentum.z") == Approx(about).epsilon(0.03));
}

// The pressure of the surface pushes bodies as it does the liquid: what it sets going is small
// beside the speed of the drop's own waves, sqrt(sigma / (rho R)) = 0.14 m/s.
TEST_CASE("couple: a body in a drop of flip that surface tension holds together rests with it") {
  Pool p;
  p.density = 1000, p.gravity = "[0, 0]", p.dt = 0.005, p.flow = R"(, "surface_tension": 10)";
  const std::string body = disc(0.9, 1.02, 0.15);
  p.bodies = shaped(body);
  p.fill = without(disc(0.8, 1, 0.5), body);
  p.tank = R"({"box": {"min": [-9, -9], "max": [9, 9]}, "inside": true})";
  Running r(p.text(), Exec::cpu(2));
  r.advance(60);
  const double mass = 1000 * std::numbers::pi * 0.25, speed = 0.14;
  CHECK(double(norm(velocity<2>(r))) < 0.1 * speed);
  CHECK(std::hypot(together(r, "momentum.x"), together(r, "momentum.y")) < 0.005 * mass * speed);
}

TEST_CASE("couple: bodies that no liquid touches fall freely over flip") {
  Pool p;
  p.density = 10;
  p.bodies = shaped(disc(1, 1.5, 0.2));
  p.fill = R"({"box": {"min": [0, 0], "max": [2, 0.25]}})";
  Running r(p.text(), Exec::cpu(2));
  r.advance(20);
  CHECK(double(velocity<2>(r)[1]) == Approx(-9.81 * 0.2).epsilon(1e-5));
}

TEST_CASE("couple: what lies on the floor under flip lies still") {
  Pool p;
  p.density = 3000;
  const std::string box = R"({"box": {"min": [0.78, 0], "max": [1.25, 0.25]}})";
  p.bodies = shaped(box);
  p.fill = without(R"({"box": {"min": [0, 0], "max": [2, 1]}})", box);
  Running r(p.text(), Exec::cpu(2));
  r.advance(100);
  CHECK(double(norm(velocity<2>(r))) < 1e-3);
  CHECK(r.measure("water.max_speed") < 5e-3);
}

// Its water runs out below, and the crates with it.
TEST_CASE("couple: crates leave flip's tank with the water that drains") {
  Pool p;
  p.density = 700, p.flow = R"(, "sides": {"y_low": {"kind": "open"}})";
  p.tank = R"({"box": {"min": [0, -99], "max": [2, 9]}, "inside": true})";
  p.bodies = shaped(R"({"box": {"min": [0.3, 0.7], "max": [0.6, 1]}})") + ", " +
             shaped(R"({"box": {"min": [0.5, 1.05], "max": [0.8, 1.35]}})") + ", " +
             shaped(R"({"box": {"min": [1.7, 1.1], "max": [2, 1.4]}})");
  p.fill = R"({"box": {"min": [0, 0], "max": [2, 0.6]}})";
  Running r(p.text(), Exec::cpu(2));
  const double rows = r.world().table("water").rows();
  for (int k = 0; k < 120; ++k) {
    r.advance(1);
    REQUIRE(r.world().table("water").rows() + r.measure("water.drained") == rows);
  }
  CHECK(r.measure("water.drained") > 0.9 * rows);
  for (std::size_t b = 0; b < 3; ++b) CHECK(double(position<2>(r, b)[1]) < -1);
}

TEST_CASE("couple: bodies in flip go on from a checkpoint as they were, on any threads") {
  Pool p;
  p.spacing = 2.0 / 24, p.flow = R"(, "keep_volume": true)";
  p.bodies =
      shaped(R"({"box": {"min": [0.7, 0.9], "max": [1.2, 1.2]}})", R"(, "angular_velocity": [1])") +
      ", " + shaped(disc(0.4, 1.4, 0.15));
  p.fill = R"({"box": {"min": [0, 0], "max": [2, 0.8]}})";
  CHECK(resumes_alike(p.text(), 20));
}
