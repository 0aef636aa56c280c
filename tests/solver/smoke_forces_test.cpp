#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "support/smoke_scenes.h"

// What smoke's flow does to obstacles.
using namespace rtsim;

namespace {

constexpr double pi = std::numbers::pi;

struct Start {
  double rod, pipe;  // force along x, over that of the exact impulse
};

// A cylinder of radius a that starts with U inside a pipe of radius b drives potential flow of the
// momentum -rho pi a^2 U, and is held back by its added mass
//   M = rho pi a^2 (b^2 + a^2) / (b^2 - a^2)
// (Milne-Thomson, "Theoretical Hydrodynamics", sec. 9.22).
Start start(int n) {
  const double U = 1e-3, a = 0.2, b = 0.45, dt = 1e-3, rho = 1.2;
  const SmokeScene s{
      .dt = dt,
      .spacing = 1.0 / n,
      .min = "[-0.5, -0.5]",
      .max = "[0.5, 0.5]",
      .more = R"(, "boundary": ["rod", "pipe"], "pressure": {"tolerance": 1e-6})",
      .objects =
          R"(, {"name": "rod", "kind": "boundary", "shape": {"sphere": {"centre": [0, 0], "radius": 0.2}}, "motion": {"velocity": [0.001, 0]}},
        {"name": "pipe", "kind": "boundary", "shape": {"sphere": {"centre": [0, 0], "radius": 0.45}, "inside": true}})"};
  Running r(s.text(), Exec::cpu(2));
  r.advance(1);
  const double mass = rho * pi * a * a, added = mass * (b * b + a * a) / (b * b - a * a);
  CHECK(std::abs(r.measure("rod.force.y")) < 1e-4 * added * U / dt);
  CHECK(std::abs(r.measure("rod.torque.z")) < 1e-4 * added * U / dt * a);
  return {r.measure("rod.force.x") / (-added * U / dt),
          r.measure("pipe.force.x") / ((mass + added) * U / dt)};
}

}  // namespace

TEST_CASE("smoke: a cylinder that starts in a pipe is held back by its added mass") {
  const Start coarse = start(40), fine = start(80);
  INFO(coarse.rod << " " << fine.rod << ", " << coarse.pipe << " " << fine.pipe);
  CHECK(fine.rod == Approx(1).margin(0.005));
  CHECK(fine.pipe == Approx(1).margin(0.005));
  CHECK(std::abs(fine.rod - 1) < 0.5 * std::abs(coarse.rod - 1));
}

namespace {

// Of the flow through the open part of the faces along x [kg m^(D-1) / s].
double momentum(const std::vector<Real>& u, const std::vector<double>& open, double mass) {
  double sum = 0;
  for (std::size_t f = 0; f < u.size(); ++f) sum += open[f] * double(u[f]);
  return mass * sum;
}

}  // namespace

// Of bricks that lie on the grid, so that faces are open or closed.
TEST_CASE("smoke: what a projection takes of the fluid's momentum, obstacles get") {
  for (int dim : {2, 3}) {
    const bool deep = dim == 3;
    const double h = 1.0 / 16, dt = 0.01, rho = 1.2;
    SmokeScene s{.dim = dim, .dt = dt, .spacing = h};
    s.min = deep ? "[0, 0, 0]" : "[0, 0]", s.max = deep ? "[1, 1, 1]" : "[1, 1]";
    s.gravity = deep ? "[0, 0, 0]" : "[0, 0]";
    s.more = fmt::format(
        R"(, "boundary": ["brick"], "velocity": {}, "pressure": {{"tolerance": 1e-6}}, "sides": {{{}{}}})",
        deep ? "[2, 0, 0]" : "[2, 0]", all_periodic,
        deep ? R"(, "z_low": {"kind": "periodic"}, "z_high": {"kind": "periodic"})" : "");
    s.objects = fmt::format(
        R"(, {{"name": "brick", "kind": "boundary", "shape": {{"box": {{"min": {}, "max": {}}}}}}})",
        deep ? "[0.25, 0.25, 0.25]" : "[0.25, 0.25]", deep ? "[0.5, 0.75, 0.625]" : "[0.5, 0.75]");
    Running r(s.text(), Exec::cpu(2));
    const auto before = faces(r, 0);
    r.advance(1);
    const auto after = faces(r, 0);
    const GridShape f = grid_of(r).faces(0);
    std::vector<double> open(after.size(), 0);
    for (std::size_t i = 0; i < open.size(); ++i) {
      const Vec3d x = f.centre(Index(i));
      const bool inside = x[0] > 0.24 && x[0] < 0.51 && x[1] > 0.25 && x[1] < 0.75 &&
                          (!deep || (x[2] > 0.25 && x[2] < 0.625));
      open[i] = inside || x[0] > 0.99 ? 0 : 1;  // the last face is the first
    }
    const double mass = rho * std::pow(h, dim);
    const double lost = momentum(before, open, mass) - momentum(after, open, mass);
    INFO(dim << "D: " << lost / dt);
    CHECK(lost > 0);
    CHECK(r.measure("brick.force.x") == Approx(lost / dt).epsilon(1e-4));  // Real's pressure
    CHECK(std::abs(r.measure("brick.force.y")) < 1e-4 * lost / dt);
  }
}

// Couette's flow from wherever the plate ends between two rows of faces, to round-off.
TEST_CASE("smoke: a sliding lid drags at the plate below") {
  const double top = GENERATE(0.25, 0.2313, 0.2091, 0.2677);
  const SmokeScene s{
      .dt = 1,
      .spacing = 0.05,
      .max = "[0.5, 1]",
      .more = fmt::format(
          R"(, "boundary": ["plate"], "kinematic_viscosity": 0.1, "sides": {{{}, "y_high": {{"velocity": [2, 0]}}}})",
          periodic_sides),
      .objects = fmt::format(
          R"(, {{"name": "plate", "kind": "boundary", "shape": {{"box": {{"min": [-1, -1], "max": [2, {}]}}}}}})",
          top)};
  Running r(s.text(), Exec::cpu(1));
  r.advance(60);
  const double drag = 1.2 * 0.1 * 2 / (1 - top) * 0.5;
  INFO(top);
  CHECK(r.measure("plate.force.x") == Approx(drag).epsilon(1e-3));
  CHECK(r.measure("plate.torque.z") == Approx(-top * drag).epsilon(1e-3));
}

namespace {

// The mean force on a cylinder of ten cells at Re = 20 in a tunnel of ten diameters, while it moves
// through fluid at rest, or stands in a wind.
double cylinder_drag(bool moves, double dt) {
  const char* low =
      moves ? R"({"kind": "free_slip"})" : R"({"kind": "inflow", "velocity": [1, 0]})";
  const SmokeScene s{
      .dt = dt,
      .spacing = 0.1,
      .max = "[20, 10]",
      .more = fmt::format(
          R"(, "boundary": ["rod"], "rest_density": 1, "kinematic_viscosity": 0.05, "velocity": [{}, 0],
        "sides": {{"x_low": {}, "x_high": {{"kind": "open"}}, "y_low": {{"kind": "periodic"}}, "y_high": {{"kind": "periodic"}}}})",
          moves ? 0 : 1, low),
      .objects = fmt::format(
          R"(, {{"name": "rod", "kind": "boundary", "shape": {{"sphere": {{"centre": [{}, 5], "radius": 0.5}}}}{}}})",
          moves ? 16 : 8, moves ? R"(, "motion": {"velocity": [-1, 0]})" : "")};
  Running r(s.text(), Exec::cpu(2));
  const int whole = int(std::lround(1 / dt));  // a second, in which it crosses ten cells
  r.advance(7 * whole);
  double sum = 0, least = 1e9, most = -1e9;
  for (int n = 0; n < whole; ++n) {
    r.advance(1);
    const double on = r.measure("rod.force.x");
    sum += on, least = std::min(least, on), most = std::max(most, on);
  }
  CHECK(most - least < 0.08 * sum / whole);
  return sum / whole;
}

}  // namespace

// Walls are felt at their distance, so that a force does not swing as they cross faces: in stairs
// of cells it swung by a sixth and was an eighth smaller.
TEST_CASE("smoke: a cylinder has the same drag in fluid at rest as in a wind", "[long]") {
  const double dt = GENERATE(0.05, 0.0337);
  const double moving = cylinder_drag(true, dt), still = cylinder_drag(false, dt);
  INFO(dt << " s: " << moving << " " << still);
  CHECK(moving == Approx(still).epsilon(0.04));
}

namespace {

// Of smoke that fills a box around a body: the lift over the smoke's own weight of that volume.
double lift(int n, const char* shape, double area) {
  const SmokeScene s{
      .dt = 0.01,
      .spacing = 1.0 / n,
      .gravity = "[0, -10]",
      .more =
          R"(, "boundary": ["body"], "pressure": {"tolerance": 1e-6}, "initial": [{"shape": {"box": {"min": [-1, -1], "max": [2, 2]}}, "density": 0.3}])",
      .objects =
          fmt::format(R"(, {{"name": "body", "kind": "boundary", "shape": {{{}}}}})", shape)};
  Running r(s.text(), Exec::cpu(2));
  r.advance(3);
  const double weight = 0.3 * 10 * area;
  CHECK(std::abs(r.measure("body.force.x")) < 1e-4 * weight);
  CHECK(r.measure("body.torque.z") == Approx(0.5 * r.measure("body.force.y")).epsilon(1e-4));
  return r.measure("body.force.y") / weight;
}

}  // namespace

// Archimedes: with the default weight, smoke of a density s presses as a fluid of that density.
// The pressure on a flat side is that half a cell away: a brick that lies on the grid is lifted as
// if it were a cell higher. Of a ball that makes an error of h^1.5 at its poles.
TEST_CASE("smoke: heavy smoke at rest lifts a body by its own weight of the same volume") {
  const char *brick = R"("box": {"min": [0.25, 0.25], "max": [0.75, 0.5]})",
             *ball = R"("sphere": {"centre": [0.5, 0.45], "radius": 0.2})";
  CHECK(lift(32, brick, 0.125) == Approx(9 / 8.0).epsilon(1e-4));
  CHECK(lift(128, brick, 0.125) == Approx(33 / 32.0).epsilon(1e-4));
  const double coarse = 1 - lift(32, ball, pi * 0.04), fine = 1 - lift(128, ball, pi * 0.04);
  INFO(coarse << " " << fine);
  CHECK(std::abs(coarse) < 0.02);
  CHECK(std::abs(fine) < 0.25 * std::abs(coarse));
}
