#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "cache/checkpoint.h"
#include "support/particle_scenes.h"
#include "support/temporary_folder.h"

using namespace rtsim;

namespace {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());

struct Solver {
  const char* type;
  int substeps;
  const char* more = "";
};
// Mueller's viscosity does not act along the line between two particles, so that it takes spin out
// of the fluid itself.
constexpr Solver solvers[] = {
    {"wcsph", 4},
    {"sph_mueller", 4, R"(, "dynamic_viscosity": 0)"},
    {"sph_mueller", 4, R"(, "dynamic_viscosity": 0, "pressure_force": "energy")"},
    {"dfsph", 1},
    {"iisph", 1},
    {"pcisph", 2},
    {"sph_bodin", 2}};
// Their shifts act where rows were on the way, their momentum where they are in the end: no spin is
// kept. They know samples alone.
constexpr Solver shifting_solvers[] = {
    {"pbf", 2},
    {"pbf", 2, R"(, "pressure_boundaries": "all")"},
    {"sph_clavet", 4, R"(, "wall_friction": 0.1, "stickiness": 10)"}};

// Volume maps have no samples that could have limits.
constexpr Solver limited{"sph_bodin", 2, R"(, "pressure_boundaries": "all")"};

// A block that falls on a floor and against a wall that comes, with the forces on both.
template <int D>
Running splash(const Solver& solver, const char* method, double gravity = 9.81) {
  const bool plane = D == 2;
  return Running(
      fmt::format(
          R"({{"rtsim": 1, "dim": {}, "gravity": [0, -{}{}],
    "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 300}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05, "velocity": {}, "fill": {{"box": {}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {}, "inside": true}}}},
      {{"name": "plate", "kind": "boundary", "shape": {{"box": {}}}, "motion": {{"velocity": {}}}}}],
    "stages": [{{"type": "{}", "fluid": "water", "boundary": ["tank", "plate"], "substeps": {},
                 "boundary_forces": true, "boundary_method": "{}"{}}}], "output": []}})",
          D, gravity, plane ? "" : ", 0", plane ? "[1, -0.5]" : "[1, -0.5, 0.5]",
          plane ? R"({"min": [0, 0.05], "max": [0.4, 0.5]})"
                : R"({"min": [0, 0.05, 0], "max": [0.4, 0.4, 0.3]})",
          plane ? R"({"min": [0, 0], "max": [0.8, 1]})"
                : R"({"min": [0, 0, 0], "max": [0.8, 1, 0.3]})",
          plane ? R"({"min": [0.6, 0.1], "max": [0.65, 0.4]})"
                : R"({"min": [0.6, 0.1, 0.05], "max": [0.65, 0.4, 0.25]})",
          plane ? "[-0.3, 0]" : "[-0.3, 0, 0]", solver.type, solver.substeps, method, solver.more),
      Exec::cpu(2));
}

// About the origin, of the fluid [kg m^2/s].
template <int D>
Vec3d angular_momentum(Running& r) {
  const auto x = positions<D>(r), v = velocities<D>(r);
  Vec3d sum;
  for (std::size_t i = 0; i < x.size(); ++i) sum = sum + cross(widen(x[i]), widen(v[i]));
  return r.measure("water.mass") / double(x.size()) * sum;
}

template <int D>
Vec3d torque(Running& r) {
  constexpr const char* axes[] = {".x", ".y", ".z"};
  Vec3d sum;
  for (int a = D == 2 ? 2 : 0; a < 3; ++a)
    for (const std::string wall : {"tank", "plate"})
      sum[a] += r.measure(wall + ".torque" + axes[a]);
  return sum;
}

}  // namespace

namespace {

template <int D>
void check_lost_momentum(const Solver& solver, const char* method) {
  INFO(solver.type << " with " << method);
  Running r = splash<D>(solver, method);
  const double mass = r.measure("water.mass"), dt = r.dt();
  double most = 0;
  for (int k = 0; k < 300; ++k) {
    const double x0 = r.measure("water.momentum.x"), y0 = r.measure("water.momentum.y");
    r.advance(1);
    const double fx = r.measure("tank.force.x") + r.measure("plate.force.x");
    const double fy = r.measure("tank.force.y") + r.measure("plate.force.y");
    most = std::max(most, std::hypot(fx, fy));
    // Each of the wall's and the fluid's sums rounds on its own; both are at most the force,
    // which large opposite ones between tank and plate can exceed tenfold.
    const double round_off = 200 * eps * (most * dt + mass * r.measure("water.max_speed"));
    REQUIRE(std::abs(r.measure("water.momentum.x") - x0 + fx * dt) <= round_off);
    REQUIRE(std::abs(r.measure("water.momentum.y") - y0 + fy * dt + 9.81 * mass * dt) <= round_off);
  }
  CHECK(most > 9.81 * mass);  // it did hit
}

}  // namespace

TEST_CASE("wall force: what walls get, the fluid has lost, to round-off") {
  const char* method = GENERATE("samples", "volume_map");
  for (const Solver& solver : solvers) check_lost_momentum<2>(solver, method);
}
TEST_CASE("wall force: so it has in space", "[long]") {
  const char* method = GENERATE("samples", "volume_map");
  for (const Solver& solver : solvers) check_lost_momentum<3>(solver, method);
}

TEST_CASE("wall force: what walls get, shifts have lost, to round-off") {
  for (const Solver& solver : shifting_solvers) check_lost_momentum<2>(solver, "samples");
}
TEST_CASE("wall force: so they have in space", "[long]") {
  for (const Solver& solver : shifting_solvers) check_lost_momentum<3>(solver, "samples");
}

TEMPLATE_TEST_CASE_SIG("wall force: what samples with limits get, the fluid has lost", "",
                       ((int D), D), 2, 3) {
  check_lost_momentum<D>(limited, "samples");
}

namespace {

template <int D>
void check_lost_spin(const Solver& solver, const char* method) {
  INFO(solver.type << " with " << method);
  Running r = splash<D>(solver, method, 0);
  const double momentum = r.measure("water.mass") * 3;
  const double rows = double(positions<D>(r).size());
  double most = 0;
  for (int k = 0; k < 300; ++k) {
    const Vec3d before = angular_momentum<D>(r);
    r.advance(1);
    const Vec3d gained = angular_momentum<D>(r) - before, given = r.dt() * torque<D>(r);
    most = std::max(most, norm(given));
    // Velocities of 3 m/s and arms of a metre; roundings of rows are independent, those of the
    // two sums here are not.
    const double summing = 2 * std::numeric_limits<double>::epsilon() * momentum;
    REQUIRE(norm(gained + given) <= 8 * eps * (most + momentum / std::sqrt(rows)) + summing);
  }
  CHECK(most > 0.01 * momentum * 0.05);  // it did hit, half a spacing off its middle at least
}

}  // namespace

TEST_CASE("wall force: what walls get of torque, the fluid has lost of spin") {
  const char* method = GENERATE("samples", "volume_map");
  for (const Solver& solver : solvers) check_lost_spin<2>(solver, method);
}
TEST_CASE("wall force: so it has of spin in space", "[long]") {
  const char* method = GENERATE("samples", "volume_map");
  for (const Solver& solver : solvers) check_lost_spin<3>(solver, method);
}

TEMPLATE_TEST_CASE_SIG("wall force: what samples with limits get of torque, the fluid has lost", "",
                       ((int D), D), 2, 3) {
  check_lost_spin<D>(limited, "samples");
}

TEST_CASE("wall force: water at rest weighs on the floor what it weighs") {
  for (const auto& [type, substeps] : {std::pair("wcsph", 6), std::pair("dfsph", 1)}) {
    INFO(type);
    Running r(
        fmt::format(
            R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": 1500}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05, "fill": {{"box": {{"min": [0, 0], "max": [1, 1]}}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [1, 2]}}, "inside": true}}}}],
    "stages": [{{"type": "{}", "fluid": "water", "boundary": ["tank"], "substeps": {},
                "kinematic_viscosity": 0.05, "boundary_forces": true}}], "output": []}})",
            type, substeps),
        Exec::cpu(2));
    r.advance(1000);
    double mean = 0, sideways = 0;
    for (int k = 0; k < 500; ++k) {
      r.advance(1);
      mean += r.measure("tank.force.y") / 500, sideways += r.measure("tank.force.x") / 500;
    }
    CHECK(-mean == Approx(9.81 * r.measure("water.mass")).epsilon(0.01));  // the gate for a floor
    CHECK(std::abs(sideways) < 0.01 * 9.81 * r.measure("water.mass"));
  }
}

// Samples of moving walls are sorted anew in every substep, together with those of all other walls.
TEST_CASE("wall force: a wall that is far away gets nothing of what a moving one gets") {
  for (const Solver& solver : solvers) {
    INFO(solver.type);
    Running r(
        fmt::format(
            R"({{"rtsim": 1, "dim": 2, "gravity": [0, 0], "time": {{"dt": 0.004, "steps_per_frame": 1, "frames": 60}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05, "fill": {{"box": {{"min": [0.3, 0], "max": [0.6, 0.3]}}}}}},
      {{"name": "plate", "kind": "boundary", "shape": {{"box": {{"min": [0, -0.1], "max": [0.29, 0.4]}}}},
        "motion": {{"velocity": [1, 0.3]}}}},
      {{"name": "far", "kind": "boundary", "shape": {{"box": {{"min": [2, -0.1], "max": [2.3, 0.4]}}}}}}],
    "stages": [{{"type": "{}", "fluid": "water", "boundary": ["far", "plate"], "substeps": {},
                 "boundary_forces": true}}], "output": []}})",
            solver.type, 2 * solver.substeps),
        Exec::cpu(2));
    double most = 0;
    for (int k = 0; k < 60; ++k) {
      r.advance(1);
      most = std::max(most, -r.measure("plate.force.x"));
      REQUIRE(r.measure("far.force.x") == 0);
      for (const auto& f : r.world().table("far.samples@water").download<Vec<2>>("force"))
        REQUIRE(norm(widen(f)) == 0);
      // The columns of the samples and of their owner are two ways to the same sum.
      double sum = 0;
      for (const auto& f : r.world().table("plate.samples@water").download<Vec<2>>("force"))
        sum += double(f[0]);
      REQUIRE(sum == Approx(r.measure("plate.force.x")).margin(100 * eps * most));
    }
    CHECK(most > 10);
  }
}

TEST_CASE("wall force: a checkpoint keeps what couplers read at the start of a step") {
  for (const char* method : {"samples", "volume_map"}) {
    Running one = splash<2>(solvers[2], method), later = splash<2>(solvers[2], method);
    one.advance(150);
    const TemporaryFolder folder;
    save_checkpoint(folder.path, one.world(), {.step = 150});
    std::string warnings;
    load_checkpoint(find_checkpoint(folder.path, warnings)->file, later.world());
    later.steps = 150;
    later.refresh();
    CHECK(one.measure("tank.force.y") != 0);
    for (const char* what : {"tank.force.y", "plate.force.x", "plate.torque.z"})
      CHECK(later.measure(what) == one.measure(what));
    Table& forces = later.world().table(force_table("plate", "water"));
    CHECK(forces.rows() == 1);
    for (const Index owner :
         later.world().table(sample_table("plate", "water")).download<Index>("owner"))
      CHECK(owner == 0);
  }
}
