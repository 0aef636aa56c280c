#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <numbers>
#include <numeric>

#include "support/resumed.h"

// Rigid bodies in flows on grids, against added masses of potential flow: a body of density ratio s
// that is released accelerates by (s - 1) / (s + C) g, and one whose speed was v before there was
// pressure goes on by s / (s + C) v.
using namespace rtsim;

namespace {

// A body in a tank that is open outside of the `tank` shape; `bodies`: its list.
struct Tank {
  int dim = 2;
  double spacing = 0.05, dt = 1e-3, density = 1;
  std::string gravity = "[0, -10]", min = "[-1.2, -1.2]", max = "[1.2, 1.2]", tank = {};
  std::string bodies, flow = R"("pressure": {"tolerance": 1e-6})", coupling = "strong";
  std::string more = {};  // stages in between

  std::string text() const {
    const std::string boundary = tank.empty() ? "" : "\"tank\", ";
    const std::string object =
        tank.empty() ? ""
                     : fmt::format(R"({{"name": "tank", "kind": "boundary", "shape": {}}},)", tank);
    return fmt::format(
        R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "air", "kind": "grid", "spacing": {}, "min": {}, "max": {}}}, {}
      {{"name": "b", "kind": "bodies", "density": {}, "bodies": [{}]}}],
    "stages": [{{"type": "smoke", "grid": "air", "boundary": [{}"b"], "rest_density": 1, {}}},
      {{"type": "couple", "fluid": "air", "solid": "b", "coupling": "{}"}}, {}
      {{"type": "rigid", "bodies": "b", "boundary": [{}]}}], "output": []}})",
        dim, gravity, dt, spacing, min, max, object, density, bodies, boundary, flow, coupling,
        more, tank.empty() ? "" : "\"tank\"");
  }
};

// Off the lattice, so that no face is cut as another.
Tank ring(double spacing, double density) {
  Tank t;
  t.spacing = spacing, t.density = density;
  t.tank = R"({"sphere": {"centre": [0.013, -0.007], "radius": 1}, "inside": true})";
  t.bodies = R"({"shape": {"sphere": {"centre": [0.013, -0.007], "radius": 0.5}}})";
  return t;
}

template <int D>
Vec<D> velocity(Running& r) {
  return r.world().table("b").download<Vec<D>>("velocity")[0];
}

}  // namespace

// C = (b^2 + a^2) / (b^2 - a^2) of a cylinder in a concentric one (Lamb, Hydrodynamics, art. 68).
// A cut cell is first order: 2 % at ten cells a radius, and halved with the spacing.
TEST_CASE("couple: a cylinder in a cylinder falls with its added mass") {
  constexpr double added = 5.0 / 3;
  const double density = GENERATE(0.05, 0.5, 2.0, 20.0);
  CAPTURE(density);
  double error[2];
  for (int fine = 0; fine < 2; ++fine) {
    Running r(ring(fine ? 0.025 : 0.05, density).text(), Exec::cpu(2));
    r.advance(1);
    const Vec<2> v = velocity<2>(r);
    const double exact = -(density - 1) / (density + added) * 10 * 1e-3;
    error[fine] = std::abs(double(v[1]) / exact - 1);
    CHECK(std::abs(double(v[0])) < 0.01 * std::abs(exact));
  }
  CHECK(error[0] < 0.02);
  CHECK(error[1] < 0.01);
}

// C = (b^3 + 2 a^3) / (2 (b^3 - a^3)) = 5 / 7 of a sphere in a concentric one (Lamb, art. 93).
TEST_CASE("couple: a sphere in a sphere falls with its added mass") {
  const double density = GENERATE(0.1, 2.0);
  Tank t;
  t.dim = 3, t.spacing = 0.075, t.density = density;
  t.gravity = "[0, 0, -10]", t.min = "[-1.2, -1.2, -1.2]", t.max = "[1.2, 1.2, 1.2]";
  t.tank = R"({"sphere": {"centre": [0.013, -0.007, 0.02], "radius": 1}, "inside": true})";
  t.bodies = R"({"shape": {"sphere": {"centre": [0.013, -0.007, 0.02], "radius": 0.5}}})";
  Running r(t.text(), Exec::cpu(2));
  r.advance(1);
  const double exact = -(density - 1) / (density + 5.0 / 7) * 10 * 1e-3;
  CHECK(double(velocity<3>(r)[2]) == Approx(exact).epsilon(0.03));
}

// pi/8 rho (a^2 - b^2)^2 of an ellipse that turns (Lamb, art. 71), far from walls.
TEST_CASE("couple: an ellipse that turns takes fluid along") {
  const double a = 0.5, b = 0.25, density = 0.2;
  std::string corners;
  for (int k = 0; k < 64; ++k) {
    const double t = 2 * std::numbers::pi * k / 64;
    corners += fmt::format("{}[{}, {}]", k ? ", " : "", a * std::cos(t), b * std::sin(t));
  }
  Tank t;
  t.gravity = "[0, 0]", t.min = "[-2, -2]", t.max = "[2, 2]", t.density = density;
  t.bodies = fmt::format(
      R"({{"hull": {{"points": [{}], "transform": {{"angle": 25, "translate": [0.02, 0.01]}}}}, "hull_corners": 64, "angular_velocity": [1]}})",
      corners);
  Running r(t.text(), Exec::cpu(2));
  r.advance(1);
  const double pi = std::numbers::pi;
  const double own = density * pi * a * b * (a * a + b * b) / 4;
  const double added = pi / 8 * std::pow(a * a - b * b, 2);
  const double w = double(r.world().table("b").download<VecT<Real, 1>>("angular_velocity")[0][0]);
  CHECK(w == Approx(own / (own + added)).epsilon(0.03));
}

// All that it has is what buoyancy's work gave: fluid without viscosity loses some to the grid, and
// gains nothing. Series count cut cells as whole ones, 14 % too much at the start.
TEST_CASE("couple: what is far lighter than the flow rises to the wall, and makes no energy") {
  const double density = GENERATE(0.5, 0.01, 1e-4);
  CAPTURE(density);
  Tank t = ring(0.05, density);
  t.dt = 0.01;
  Running r(t.text(), Exec::cpu(2));
  const double start = double(r.world().table("b").download<Vec<2>>("position")[0][1]);
  const double area = std::numbers::pi / 4;
  double first = 0;
  const int steps = density < 1e-3 ? 40 : 80;  // it is at the wall after 44, the lightest bounces
  for (int k = 0; k < steps; ++k) {
    r.advance(1);
    const Vec<2> v = velocity<2>(r);
    const double rise = double(r.world().table("b").download<Vec<2>>("position")[0][1]) - start;
    const double kinetic =
        r.measure("air.kinetic_energy") + 0.5 * density * area * double(dot(v, v));
    const double part = kinetic / ((1 - density) * area * 10 * rise);
    if (k == 1) first = part;
    if (k > 1) REQUIRE(part < 1.005 * first);
    if (k == 20) CHECK(part > 0.9 * first);
  }
}

TEST_CASE("couple: bodies in a flow go on from a checkpoint as they were, on any threads") {
  Tank t = ring(0.05, 0.3);
  t.dt = 0.01;
  CHECK(resumes_alike(t.text(), 10));
}

// A heavy one on the tank's floor: the flow foresees that it stays, and is not stirred.
TEST_CASE("couple: what lies on the ground under a flow lies still") {
  Tank t;
  t.density = 3, t.min = "[-1, -0.5]", t.max = "[1, 1]";
  t.tank = R"({"box": {"min": [-0.97, -0.43], "max": [0.97, 0.93]}, "inside": true})";
  t.bodies = R"({"shape": {"box": {"min": [-0.22, -0.43], "max": [0.21, 0.07]}}})";
  t.dt = 0.01;
  Running r(t.text(), Exec::cpu(2));
  r.advance(100);
  CHECK(double(norm(velocity<2>(r))) < 1e-3);
  CHECK(r.measure("air.max_speed") < 5e-3);
}

// Gravity reaches a body before viscosity acts and its lift after that: it may drift by what
// gravity gives in a step, 0.1 m/s.
TEST_CASE("couple: a body as dense as a thick fluid stays where it is") {
  Tank t = ring(0.05, 1);
  t.dt = 0.01, t.flow = R"("kinematic_viscosity": 0.05, "pressure": {"tolerance": 1e-6})";
  Running r(t.text(), Exec::cpu(2));
  r.advance(30);
  CHECK(double(norm(velocity<2>(r))) < 0.1);
}

// The sum of what bodies close of cells is nothing at a closed side, too.
TEST_CASE("couple: a balloon at the ceiling of the grid rests there") {
  Tank t;
  t.density = 0.2, t.dt = 0.01, t.min = "[-1, -1]", t.max = "[1, 0.6]";
  t.tank = R"({"box": {"min": [-1, -1], "max": [1, 0.6]}, "inside": true})";
  t.bodies = R"({"shape": {"sphere": {"centre": [0.02, 0.3], "radius": 0.25}}})";
  Running r(t.text(), Exec::cpu(2));
  r.advance(300);
  CHECK(double(r.world().table("b").download<Vec<2>>("position")[0][1]) ==
        Approx(0.35).margin(0.01));
  CHECK(double(norm(velocity<2>(r))) < 0.1);
}

TEST_CASE("couple: what leaves a plume by its open top falls") {
  Tank t;
  t.density = 0.3, t.dt = 0.01, t.min = "[-0.5, -1]", t.max = "[0.5, 0.5]";
  t.bodies = R"({"shape": {"sphere": {"centre": [0.02, -0.3], "radius": 0.2}}})";
  t.flow = R"("sides": {"y_high": {"kind": "open"}})";
  Running r(t.text(), Exec::cpu(2));
  double top = -1;
  for (int k = 0; k < 150; ++k) {
    r.advance(1);
    const double y = double(r.world().table("b").download<Vec<2>>("position")[0][1]);
    top = std::max(top, y);
    REQUIRE(y < 1.5);
  }
  CHECK(top > 0.35);  // it bobs at the top of the air that lifts it
}

TEST_CASE("couple: a heavy body feels a flow that does not wait for it, weakly coupled") {
  Tank t = ring(0.05, 20);
  t.coupling = "weak", t.dt = 0.01;
  Running r(t.text(), Exec::cpu(2));
  r.advance(10);
  // Without added mass in the first step, which it gets from the next one on.
  CHECK(double(velocity<2>(r)[1]) == Approx(-19.0 / (20 + 5.0 / 3) * 10 * 0.1).epsilon(0.05));
}

// Boundaries that move stand beside bodies from the start.
TEST_CASE("couple: a paddle beside a body is there before the first step") {
  std::string text = ring(0.05, 2).text();
  const std::string tank = R"({"name": "tank", "kind": "boundary",)";
  text.replace(text.find(tank), tank.size(),
               R"({"name": "tank", "kind": "boundary", "motion": {"velocity": [0.1, 0]},)");
  Running r(text, Exec::cpu(2));
  for (const auto& named : r.sim.pipeline)
    CHECK(named.stage->warning(r.world()).find("does not feel") == std::string::npos);
}

namespace {

// A disc of ten cells in a lattice that repeats.
std::string in_lattice(double density, const std::string& gravity, const std::string& stream,
                       const std::string& sides, int substeps = 1) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "oil", "kind": "grid", "spacing": 0.02, "min": [0, 0], "max": [1, 1]}},
      {{"name": "b", "kind": "bodies", "density": {}, "bodies": [
        {{"shape": {{"sphere": {{"centre": [0.507, 0.296], "radius": 0.1}}}}, "velocity": {}}}]}}],
    "stages": [{{"type": "lbm", "grid": "oil", "boundary": ["b"], "density": 1, "kinematic_viscosity": 0.01,
        "velocity": {}, "substeps": {}{}}},
      {{"type": "couple", "fluid": "oil", "solid": "b"}}, {{"type": "rigid", "bodies": "b"}}],
    "output": []}})",
      gravity, 2e-3 * substeps, density, stream, stream, substeps, sides);
}
constexpr const char* repeats =
    R"(, "x_min": {"type": "periodic"}, "x_max": {"type": "periodic"}, "y_min": {"type": "periodic"}, "y_max": {"type": "periodic"})";

}  // namespace

TEST_CASE("couple: a stream of a lattice carries a disc along, however light it is") {
  const double density = GENERATE(0.01, 1.0, 100.0);
  CAPTURE(density);
  Running r(in_lattice(density, "[0, 0]", "[0.37, 0.21]", repeats), Exec::cpu(2));
  r.advance(150);  // five cells
  const Vec<2> v = velocity<2>(r);
  CHECK(double(v[0]) == Approx(0.37).epsilon(5e-3));
  CHECK(double(v[1]) == Approx(0.21).epsilon(5e-3));
  CHECK(std::abs(double(r.world().table("b").download<VecT<Real, 1>>("angular_velocity")[0][0])) <
        0.02);
}

// Before sound has come to the walls, both together have what the ball brought.
TEST_CASE("couple: a ball that sets out in a lattice at rest gives it what it loses, no more") {
  const double density = GENERATE(0.03, 0.3, 1.2, 20.0);
  const double viscosity = GENERATE(1e-3, 0.05);
  CAPTURE(density, viscosity);
  Running r(fmt::format(
                R"({{"rtsim": 1, "dim": 3, "gravity": [0, 0, 0],
                     "time": {{"dt": 0.02, "steps_per_frame": 1, "frames": 1}}, "objects": [
                       {{"name": "air", "kind": "grid", "spacing": 0.0625, "min": [0, 0, 0],
                         "max": [1, 1, 1]}},
                       {{"name": "b", "kind": "bodies", "bodies": [{{"density": {},
                         "shape": {{"sphere": {{"centre": [0.503, 0.49, 0.508], "radius": 0.2}}}},
                         "velocity": [0.2, 0, 0]}}]}}],
                     "stages": [
                       {{"type": "lbm", "grid": "air", "boundary": ["b"], "density": 1,
                         "kinematic_viscosity": {}}},
                       {{"type": "couple", "fluid": "air", "solid": "b"}},
                       {{"type": "rigid", "bodies": "b"}}], "output": []}})",
                density, viscosity),
            Exec::cpu(2));
  const double mass = double(r.world().table("b").download<Real>("mass")[0]);
  const auto speed = [&] {
    return double(r.world().table("b").download<Vec<3>>("velocity")[0][0]);
  };
  const double first = 0.5 * mass * 0.04;
  double momentum = 0;
  for (int k = 1; k <= 6; ++k) {
    r.advance(1);
    CHECK(0.5 * mass * speed() * speed() + r.measure("air.kinetic_energy") < 1.01 * first);
    // What flies towards the ball, and then from it, is in no cell: the mean of two steps.
    if (k > 4) momentum += 0.5 * (mass * speed() + r.measure("air.momentum.x"));
  }
  // Cells that the ball covers or leaves come with the speed of one or the other: five of them, and
  // 3 % for what is on its way. As if it had pushed before, the fluid would have that of a hundred.
  const double cell = std::pow(0.0625, 3);
  CHECK(std::abs(momentum - 0.2 * mass) < 0.2 * (5 * cell + 0.03 * mass));
}

// Energy of both is what buoyancy's work gave, less what viscosity took.
TEST_CASE("couple: a disc lighter than a lattice's fluid rises, and makes no energy") {
  const double density = GENERATE(0.5, 0.01);
  const int substeps = GENERATE(1, 3);
  CAPTURE(density, substeps);
  Running r(in_lattice(density, "[0, -1]", "[0, 0]", "", substeps), Exec::cpu(2));
  const double start = double(r.world().table("b").download<Vec<2>>("position")[0][1]);
  const double area = std::numbers::pi * 0.01;
  for (int k = 0; k < 300 / substeps; ++k) {
    r.advance(1);
    const Vec<2> v = velocity<2>(r);
    const double rise = double(r.world().table("b").download<Vec<2>>("position")[0][1]) - start;
    const double kinetic =
        r.measure("oil.kinetic_energy") + 0.5 * density * area * double(dot(v, v));
    REQUIRE(kinetic < 1.02 * (1 - density) * area * rise + 1e-6);
  }
  CHECK(double(velocity<2>(r)[1]) > 0.04);
}

TEST_CASE("couple: bodies in a lattice go on from a checkpoint as they were, on any threads") {
  const std::string scene = in_lattice(0.3, "[0, -1]", "[0.1, 0]", "", 2);
  CHECK(resumes_alike(scene, 40));
}
