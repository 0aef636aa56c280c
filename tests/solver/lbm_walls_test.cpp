#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "support/running.h"

using namespace rtsim;
using Catch::Matchers::Contains;

namespace {

// A plane grid of cells of side 1 m; density 1, so that lattice units are SI where dt is 1 s.
std::string scene(double width, double height, const std::string& objects, const std::string& stage,
                  double dt = 1, double spacing = 1) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
      "objects": [{{"name": "air", "kind": "grid", "spacing": {}, "min": [0, 0], "max": [{}, {}]}}{}],
      "stages": [{{"type": "lbm", "grid": "air", "density": 1, {}}}], "output": []}})",
      dt, spacing, width, height, objects, stage);
}
std::string disc(double x, double y, double radius, const std::string& motion = "") {
  return fmt::format(R"(, {{"name": "disc", "kind": "boundary",
      "shape": {{"sphere": {{"centre": [{}, {}], "radius": {}}}}}{}}})",
                     x, y, radius, motion);
}
const std::string periodic_x = R"("x_min": {"type": "periodic"}, "x_max": {"type": "periodic"})";
const std::string periodic_y = R"("y_min": {"type": "periodic"}, "y_max": {"type": "periodic"})";

// A channel whose inlet opens at once: the greatest difference from its speed, over that speed,
// once sound has crossed the 97 cells three times.
double left_of_a_jump(const std::string& absorbing) {
  Running r(scene(97, 4, "",
                  fmt::format(R"("kinematic_viscosity": 0.05, "ramp": 20, {},
                      "x_min": {{"type": "inlet", "velocity": [0.013, 0]}},
                      "x_max": {{"type": "pressure"{}}})",
                              periodic_y, absorbing)),
            Exec::cpu(2));
  r.advance(long(3.3 * 97 * std::sqrt(3.0)));
  double worst = 0;
  for (const Vec<2>& u : r.world().table("air").download<Vec<2>>("velocity"))
    worst = std::max(worst, std::abs(double(u[0]) - 0.013));
  return worst / 0.013;
}

// A disc in fluid that repeats along both axes: either it moves, or the fluid comes along. Returns
// its mean drag over half a second, after the start's sound has spread.
double drag(double spacing, bool moves) {
  const double u = 0.41;
  const std::string motion =
      moves ? fmt::format(R"(, "motion": {{"velocity": [{}, 0]}})", -u) : std::string();
  Running r(scene(129 * spacing, 65 * spacing, disc(2.03, 0.97, 0.31, motion),
                  fmt::format(R"("kinematic_viscosity": 0.02, "boundary": ["disc"], "substeps": 4,
                      "boundary_forces": true, "velocity": [{}, 0], {}, {})",
                              moves ? 0 : u, periodic_x, periodic_y),
                  0.2 * spacing, spacing),
            Exec::cpu(2));
  const long steps = long(std::round(0.5 / (0.2 * spacing)));
  r.advance(2 * steps);
  double sum = 0;
  for (long k = 0; k < steps; ++k) {
    r.advance(1);
    sum += r.world().table("disc.forces@air").download<VecT<double, 2>>("force")[0][0];
  }
  return sum / double(steps);
}

// Slow flow through a square array of cylinders that fill a fifth of it: drag over viscosity and
// the mean speed, by how much it is off the 51.53 of Sangani & Acrivos, Int. J. Multiphase Flow 8,
// 1982.
double array_error(int cells) {
  const double radius = std::sqrt(0.2 / std::numbers::pi), nu = 0.1, g = 1e-3;
  const double spacing = 1.0 / cells;
  Running r(scene(1, 1, disc(0.513, 0.479, radius),
                  fmt::format(R"("kinematic_viscosity": {}, "boundary": ["disc"],
                      "acceleration": [{}, 0], {}, {})",
                              nu, g, periodic_x, periodic_y),
                  spacing * spacing, spacing),
            Exec::cpu(2));
  r.advance(4L * cells * cells);  // twelve times the slowest decay
  double sum = 0;
  for (const Vec<2>& u : r.world().table("air").download<Vec<2>>("velocity")) sum += double(u[0]);
  return g / (nu * sum * spacing * spacing) / 51.53 - 1;
}

}  // namespace

// Rho c (u - U) takes a plane wave out whole; what is left is what the lattice damps. A face that
// holds its pressure throws it back: twice the speed, then none, for ever.
TEST_CASE("lbm: sound leaves by a pressure face, and stays where the face holds its pressure") {
  CHECK(left_of_a_jump("") < 0.02);
  CHECK(left_of_a_jump(R"(, "absorbing": false)") > 0.5);
}

// Flow between two pressures is that of a held pressure, whatever sound does: 8 nu U / H^2 along
// it.
TEST_CASE("lbm: between two absorbing faces the pressures are those given") {
  const double fall = 8 * 0.11 * 0.02 / (12 * 12) * 37;
  const auto run = [&](const char* absorbing) {
    Running r(scene(37, 12, "",
                    fmt::format(R"("kinematic_viscosity": 0.11,
                        "x_min": {{"type": "pressure", "pressure": {}, "absorbing": {}}},
                        "x_max": {{"type": "pressure", "absorbing": {}}})",
                                fall, absorbing, absorbing)),
              Exec::cpu(2));
    r.advance(9000);
    return r.world().table("air").download<Vec<2>>("velocity");
  };
  const auto absorbing = run("true"), held = run("false");
  for (std::size_t c = 0; c < held.size(); ++c)
    CHECK(double(absorbing[c][0]) == Approx(double(held[c][0])).epsilon(1e-4));
}

TEST_CASE("lbm: the drag of an array of cylinders is that of Sangani and Acrivos") {
  for (const int cells : {19, 29, 58}) {
    const double error = array_error(cells);
    INFO(cells << ": " << error);
    CHECK(std::abs(error) < 9.0 / (cells * cells));
  }
}

TEST_CASE("lbm: a disc that moves is dragged as one that the fluid moves past") {
  const double still = drag(0.031, false), moving = drag(0.031, true);
  INFO(still << " " << moving);
  CHECK(moving == Approx(still).epsilon(0.03));
}

// Volume that the disc leaves behind is what it takes in front, so that the fluid is compressed by
// rounding alone: 1e-7 of the density in each of 3000 cells, but for what adds up.
TEST_CASE("lbm: a disc that crosses a closed box neither makes nor takes fluid") {
  for (const char* storage : {"float", "half"}) {
    Running r(scene(61, 41, disc(15.3, 20.7, 6.4, R"(, "motion": {"velocity": [0.05, 0.013]})"),
                    fmt::format(R"("kinematic_viscosity": 0.05, "boundary": ["disc"],
                        "storage": "{}")",
                                storage)),
              Exec::cpu(2));
    r.advance(400);
    double excess = 0;  // in cells: p = rho / 3
    for (const Real p : r.world().table("air").download<Real>("pressure")) excess += 3 * double(p);
    CHECK(std::abs(excess) < (std::string(storage) == "half" ? 0.3 : 0.01));
    CHECK(r.measure("air.max_speed") > 0.04);
  }
}

// A piston goes 3 cells on, from 20 cells behind it and 31 before it: what was in them stays on its
// side, pressed together or spread out.
TEST_CASE("lbm: a piston lets nothing through") {
  Running r(
      scene(61, 7,
            R"(, {"name": "piston", "kind": "boundary",
                    "shape": {"box": {"min": [20, -5], "max": [30.3, 12]}},
                    "motion": {"velocity": [0.01, 0]}})",
            fmt::format(R"("kinematic_viscosity": 0.1, "boundary": ["piston"], {})", periodic_y)),
      Exec::cpu(2));
  r.advance(300);
  const GridShape& g = *r.world().object("air").grid;
  double excess[2] = {0, 0}, cells[2] = {0, 0};
  const auto p = r.world().table("air").download<Real>("pressure");
  for (std::size_t c = 0; c < p.size(); ++c) {
    const double x = g.centre(Index(c))[0];
    if (x > 23 && x < 33.3) continue;
    excess[x > 30] += 3 * double(p[c]), ++cells[x > 30];
  }
  const double behind = excess[0] / cells[0], before = excess[1] / cells[1];
  INFO(behind << " " << before);
  CHECK(behind == Approx(20 / 23.0 - 1).epsilon(1e-4));
  CHECK(before == Approx(31 / 28.0 - 1).epsilon(1e-4));
}

TEST_CASE("lbm: an inlet into a part that obstacles close is refused, and one with a way out not") {
  const auto told = [](const char* top) {
    const std::string wall = fmt::format(R"(, {{"name": "wall", "kind": "boundary",
        "shape": {{"box": {{"min": [19, -1], "max": [22, {}]}}}}}})",
                                         top);
    return refusal(scene(40, 10, wall,
                         R"("kinematic_viscosity": 0.05, "boundary": ["wall"],
                            "x_min": {"type": "inlet", "velocity": [0.01, 0]},
                            "x_max": {"type": "pressure"})"),
                   1);
  };
  CHECK_THAT(told("11"), Contains("has no way out: obstacles close the part of 'air' around (0.5"));
  CHECK(told("8") == "");
}
