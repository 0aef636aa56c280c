#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "sim/build/settle.h"
#include "support/running.h"

using namespace rtsim;
using Catch::Contains;

namespace {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());
constexpr const char* fluids[] = {"wcsph", "dfsph",       "iisph",      "pcisph",
                                  "pbf",   "sph_mueller", "sph_clavet", "sph_bodin"};

// A drop of 1 m/s that flies at a resting mesh, off its middle, where nothing else is.
std::string collision(const std::string& fluid, const std::string& mesh, double density,
                      const std::string& solver) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "gravity": [0, 0, 0], "time": {{"dt": 0.002, "frames": 10}},
  "objects": [
    {{"name": "water", "kind": "particles", "spacing": 0.05, "velocity": [1, 0, 0],
      "fill": {{"box": {{"min": [0, 0.1, 0.1], "max": [0.3, 0.4, 0.4]}}}}}},
    {{"name": "cloth", "kind": "mesh", "mesh": {}, "density": {}}}],
  "stages": [{{"fluid": "water", "boundary": ["cloth"], {}}},
    {{"type": "couple", "fluid": "water", "solid": "cloth"}},
    {{"mesh": "cloth", {}}}]}})",
      mesh, density, fluid, solver);
}
constexpr const char* sheet =
    R"({"sheet": {"corner": [0.36, 0.03, 0.02], "u": [0, 0.5, 0], "v": [0, 0, 0.5], "cells": [10, 10]}})";
constexpr const char* block =
    R"({"block": {"min": [0.32, 0.1, 0], "max": [0.52, 0.5, 0.3], "cells": [2, 4, 3]}})";

constexpr const char* rope =
    R"({"line": {"from": [0.36, 0.03, 0.22], "to": [0.36, 0.53, 0.22], "segments": 10}})";

// A closed surface without tets.
std::string octahedron(const Vec3d& c, double r) {
  std::string at;
  for (int k = 0; k < 6; ++k) {
    Vec3d x = c;
    x[k / 2] += k % 2 ? -r : r;
    at += fmt::format("{}[{}, {}, {}]", k ? ", " : "", x[0], x[1], x[2]);
  }
  return fmt::format(
      R"({{"nodes": {{"positions": [{}], "triangles": [0,2,4, 2,1,4, 1,3,4, 3,0,4, 2,0,5, 1,2,5, 3,1,5, 0,3,5]}}}})",
      at);
}

std::string stage_of(const std::string& fluid) {
  return fmt::format(R"("type": "{}", "substeps": 2{})", fluid,
                     fluid == "wcsph" ? R"(, "max_speed": 1)" : "");
}

// Wider than rows of doubles, whose sum would round by more than the rows do.
using Sum = VecT<long double, 3>;

Sum momentum_of(World& w, const std::string& table, double mass) {
  Table& t = w.table(table);
  const auto v = t.download<Vec<3>>("velocity");
  std::vector<Real> own(v.size(), Real(mass));
  if (t.has("mass")) own = t.download<Real>("mass");
  Sum sum;
  for (std::size_t i = 0; i < v.size(); ++i)
    for (int a = 0; a < 3; ++a) sum[a] += static_cast<long double>(own[i]) * v[i][a];
  return sum;
}

double kinetic_energy_of(World& w, const std::string& table, double mass) {
  Table& t = w.table(table);
  const auto v = t.download<Vec<3>>("velocity");
  std::vector<Real> own(v.size(), Real(mass));
  if (t.has("mass")) own = t.download<Real>("mass");
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    sum += 0.5 * double(own[i]) * dot(widen(v[i]), widen(v[i]));
  return sum;
}

constexpr double row_mass = 1000 * 0.05 * 0.05 * 0.05;

// What the water lost in a step is what `couple` passes on, whatever the mesh makes of it.
void check_momentum(const std::string& scene) {
  Running r(scene, Exec::cpu(2));
  const auto water = [&] { return momentum_of(r.world(), "water", row_mass); };
  const Sum start = water();
  double worst = 0, fastest = 0;
  for (int k = 0; k < 100; ++k) {
    const Sum before = water();
    r.advance(1);
    Sum change = water() - before;
    for (const Vec<3>& v : r.world().table("water").download<Vec<3>>("velocity"))
      fastest = std::max(fastest, double(norm(v)));
    for (const Vec3d& f : r.world().table(force_table("cloth", "water")).download<Vec3d>("force"))
      for (int a = 0; a < 3; ++a) change[a] += r.dt() * f[a];
    worst = std::max(worst, double(norm(change)));
  }
  CHECK(momentum_of(r.world(), "cloth", 0)[0] > 0.01 * start[0]);
  // Rounding of velocities, at random: 4 eps sqrt(N) m max|v| in each change of all N rows, in two
  // substeps.
  const double n = r.world().table("water").rows();
  CAPTURE(fastest);
  CHECK(worst < 2 * 4 * eps * fastest * std::sqrt(n) * row_mass);
}

// A soft block of 0.3 x 0.15 x 0.3 m in a tank of 0.7 x 0.7 m, let go near its draught.
std::string pool(const std::string& fluid, double spacing, double density, double level) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.002, "frames": 10}},
  "objects": [
    {{"name": "water", "kind": "particles", "spacing": {0}, "fill": {{"difference": [
      {{"box": {{"min": [0, 0, 0], "max": [0.7, 0.3, 0.7]}}}},
      {{"box": {{"min": [0.2, {1}, 0.2], "max": [0.5, {2}, 0.5]}}}}]}}}},
    {{"name": "block", "kind": "mesh", "density": {3},
      "mesh": {{"block": {{"min": [0.2, {1}, 0.2], "max": [0.5, {2}, 0.5], "cells": [6, 3, 6]}}}}}},
    {{"name": "tank", "kind": "boundary",
      "shape": {{"box": {{"min": [0, 0, 0], "max": [0.7, 0.8, 0.7]}}, "inside": true}}}}],
  "stages": [
    {{"fluid": "water", "boundary": ["tank", "block"], {4}}},
    {{"type": "couple", "fluid": "water", "solid": "block"}},
    {{"type": "fem", "mesh": "block", "youngs_modulus": 1e5, "poissons_ratio": 0.3}}]}})",
      spacing, level, level + 0.15, density, fluid);
}

double mean_height(World& w, const std::string& table) {
  Table& t = w.table(table);
  const auto x = t.download<Vec<3>>("position");
  std::vector<Real> own(x.size(), Real(1));
  if (t.has("mass")) own = t.download<Real>("mass");
  double sum = 0, mass = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += double(own[i]) * double(x[i][1]), mass += double(own[i]);
  return sum / mass;
}

// The level L over the block's middle that Archimedes has, where the water, compressed or not, has
// its middle at y: with V = A l (1 - h/H) the block's part below L,
//   y (S L - V) = S L^2 / 2 - V (L - d / 2),   d its draught, S the tank's area
double height_over_level(double y, double middle, double density) {
  const double S = 0.49, d = 0.15 * density / 1000, V = 0.09 * d;
  const double b = V + y * S, c = V * d / 2 + y * V;
  const double level = (b + std::sqrt(b * b - 2 * S * c)) / S;
  return middle - (level + 0.075 - d);
}

// The mean over the last 0.6 s of 2.2 s.
double afloat(const std::string& fluid, double spacing, double density, double level) {
  Running r(pool(fluid, spacing, density, level), Exec::cpu(2));
  r.advance(800);
  double sum = 0;
  for (int k = 0; k < 30; ++k) {
    r.advance(10);
    sum += height_over_level(mean_height(r.world(), "water"), mean_height(r.world(), "block"),
                             density);
  }
  return sum / 30;
}

// Water on a sheet that closes a shaft of 0.4 x 0.4 m, held along its rim.
std::string shaft(const std::string& fluid, double dt) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "time": {{"dt": {}, "frames": 10}},
  "objects": [
    {{"name": "water", "kind": "particles", "spacing": 0.04,
      "fill": {{"box": {{"min": [0, 0.42, 0], "max": [0.4, 0.54, 0.4]}}}}}},
    {{"name": "cloth", "kind": "mesh", "density": 2,
      "mesh": {{"sheet": {{"corner": [0, 0.4, 0], "u": [0.4, 0, 0], "v": [0, 0, 0.4], "cells": [10, 10]}}}}}},
    {{"name": "tank", "kind": "boundary",
      "shape": {{"box": {{"min": [0, 0, 0], "max": [0.4, 1, 0.4]}}, "inside": true}}}}],
  "stages": [
    {{"fluid": "water", "boundary": ["tank", "cloth"], "kinematic_viscosity": 0.001, {}}},
    {{"type": "couple", "fluid": "water", "solid": "cloth"}},
    {{"type": "attach", "mesh": "cloth", "inside": [
      {{"box": {{"min": [-1, -1, -1], "max": [0.001, 1, 1]}}}}, {{"box": {{"min": [0.399, -1, -1], "max": [1, 1, 1]}}}},
      {{"box": {{"min": [-1, -1, -1], "max": [1, 1, 0.001]}}}}, {{"box": {{"min": [-1, -1, 0.399], "max": [1, 1, 1]}}}}]}},
    {{"type": "xpbd", "mesh": "cloth", "stretch_compliance": 2.5e-4, "substeps": 5, "damping": 4}}]}})",
      dt, fluid);
}

// The greatest kinetic energy of both within 0.2 s of a collision, over that at the start.
double greatest_energy(const std::string& scene) {
  Running r(scene, Exec::cpu(2));
  const auto energy = [&] {
    return kinetic_energy_of(r.world(), "water", row_mass) +
           kinetic_energy_of(r.world(), "cloth", 0);
  };
  const double start = energy();
  double most = 0;
  for (int k = 0; k < 100; ++k) r.advance(1), most = std::max(most, energy() / start);
  return most;
}

constexpr const char* cloth = R"("type": "xpbd", "substeps": 5)";
constexpr const char* balloon = R"("type": "xpbd", "substeps": 5, "pressure": 1)";

// A tank of 0.7 x 0.5 m with 0.4 m of water and a mesh.
std::string tank_with(const std::string& fluid, const std::string& mesh, double density,
                      double spacing, const std::string& solver, const std::string& held) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.002, "frames": 10}},
  "objects": [
    {{"name": "water", "kind": "particles", "spacing": {},
      "fill": {{"box": {{"min": [0, 0, 0], "max": [0.7, 0.4, 0.5]}}}}}},
    {{"name": "mesh", "kind": "mesh", "density": {}, "mesh": {}}},
    {{"name": "tank", "kind": "boundary",
      "shape": {{"box": {{"min": [0, 0, 0], "max": [0.7, 1, 0.5]}}, "inside": true}}}}],
  "stages": [
    {{"fluid": "water", "boundary": ["tank", "mesh"], {}}},
    {{"type": "couple", "fluid": "water", "solid": "mesh"}}{},
    {{"mesh": "mesh", {}}}]}})",
      spacing, density, mesh, fluid, held, solver);
}

// How far the middle of an octahedron that is half as dense as water comes to lie above the level:
// of one that floats there, which has a half below, with its middle r / 4 down.
double octahedron_over_level(const std::string& fluid, double r, double spacing) {
  const double area = 2 * std::sqrt(3.0) * 2 * r * r, volume = 4.0 / 3 * r * r * r, S = 0.35;
  Running r0(tank_with(fluid, octahedron({{0.33, 0.42 + r, 0.24}}, r), 500 * volume / area, spacing,
                       balloon, ""),
             Exec::cpu(2));
  r0.advance(900);
  double sum = 0;
  for (int k = 0; k < 30; ++k) {
    r0.advance(10);
    const double y = mean_height(r0.world(), "water"), V = volume / 2, b = V + y * S;
    const double c = V * r / 4 + y * V;  // y (S L - V) = S L^2 / 2 - V (L - r / 4)
    sum += mean_height(r0.world(), "mesh") - (b + std::sqrt(b * b - 2 * S * c)) / S;
  }
  return sum / 30;
}

}  // namespace

TEST_CASE("couple mesh: what the fluid loses a mesh gets") {
  for (const char* fluid : fluids) {
    INFO(fluid);
    check_momentum(collision(stage_of(fluid), sheet, 20, cloth));
    check_momentum(collision(stage_of(fluid), rope, 3, cloth));
    check_momentum(collision(stage_of(fluid), octahedron({{0.5, 0.25, 0.25}}, 0.13), 20, balloon));
  }
}

TEST_CASE("couple mesh: solvers take the push as it is") {
  for (const char* solver :
       {R"("type": "xpbd", "substeps": 5)", R"("type": "pbd")", R"("type": "mass_spring")",
        R"("type": "verlet", "drag": 0)", R"("type": "cloth_implicit")",
        R"("type": "fem", "youngs_modulus": 1e5)", R"("type": "modal", "youngs_modulus": 1e6)"}) {
    INFO(solver);
    const bool solid = std::string(solver).find("fem") != std::string::npos ||
                       std::string(solver).find("modal") != std::string::npos;
    Running r(collision(stage_of("iisph"), solid ? block : sheet, solid ? 500 : 20, solver),
              Exec::cpu(2));
    const auto total = [&] {
      return momentum_of(r.world(), "water", row_mass) + momentum_of(r.world(), "cloth", 0);
    };
    const Sum start = total();
    r.advance(100);
    CHECK(momentum_of(r.world(), "cloth", 0)[0] > 0.01 * start[0]);
    // Velocities of position-based solvers are differences of rounded positions, eps 0.5 m / h, at
    // random over points of the mesh, 5 kg in all, and substeps.
    const double points = r.world().table("cloth").rows(), h = r.dt() / 5;
    const double mesh = solid ? 12 : 5;
    CHECK(norm(total() - start) < 4 * eps * 0.5 / h * mesh / std::sqrt(points) * std::sqrt(500));
  }
}

namespace {

void check_afloat(const std::string& fluid) {
  INFO(fluid);
  CHECK(std::abs(afloat(fluid, 0.05, 500, 0.25)) < 0.6 * 0.05);
}

}  // namespace

TEST_CASE("couple mesh: a soft block floats as deep as it weighs", "[long]") {
  check_afloat(R"("type": "wcsph", "substeps": 2, "max_speed": 3, "kinematic_viscosity": 0.005)");
  check_afloat(R"("type": "dfsph", "kinematic_viscosity": 0.005)");
}

TEST_CASE("couple mesh: in the other particle fluids, too", "[slow]") {
  check_afloat(R"("type": "iisph", "kinematic_viscosity": 0.005)");
  check_afloat(R"("type": "pcisph", "kinematic_viscosity": 0.005)");
  check_afloat(R"("type": "sph_mueller", "dynamic_viscosity": 2)");
  for (const char* fluid : {"pbf", "sph_clavet", "sph_bodin"})
    check_afloat(fmt::format(R"("type": "{}")", fluid));
}

TEST_CASE("couple mesh: soft blocks of other weights, in finer water", "[slow]") {
  for (const double density : {270.0, 810.0}) {
    INFO(density);
    const double spacing = 0.037;
    CHECK(std::abs(afloat(R"("type": "iisph", "kinematic_viscosity": 0.005)", spacing, density,
                          0.3 - 0.15 * density / 1000)) < 0.6 * spacing);
  }
}

// The weight but for what changes the water's momentum, in the mean over 0.4 s. Walls of samples
// are rough and carry some of it.
TEST_CASE("couple mesh: a held sheet bears the weight of the water, and none seeps through",
          "[long]") {
  const auto [fluid, dt] = GENERATE(std::pair(R"("type": "wcsph", "max_speed": 3)", 2.5e-4),
                                    std::pair(R"("type": "dfsph")", 5e-4));
  INFO(fluid);
  Running r(shaft(fluid, dt), Exec::cpu(2));
  r.advance(std::lround(1.2 / dt));
  const double mass = 1000 * 0.04 * 0.04 * 0.04 * r.world().table("water").rows();
  const auto momentum = [&] {
    return momentum_of(r.world(), "water", mass / r.world().table("water").rows())[1];
  };
  const double before = momentum();
  double given = 0;
  for (int k = 0; k < std::lround(0.4 / dt); ++k) {
    r.advance(1);
    for (const Vec3d& f : r.world().table(force_table("cloth", "water")).download<Vec3d>("force"))
      given -= dt * f[1];
  }
  CHECK(given - (momentum() - before) == Approx(mass * 9.81 * 0.4).epsilon(0.03));
  double lowest_row = 1, lowest_point = 1;
  for (const auto& x : r.world().table("water").download<Vec<3>>("position"))
    lowest_row = std::min(lowest_row, double(x[1]));
  for (const auto& x : r.world().table("cloth").download<Vec<3>>("position"))
    lowest_point = std::min(lowest_point, double(x[1]));
  CHECK(lowest_row > lowest_point);
}

// A sheet of 0.2 kg/m^2 has 1/250 of the mass of a layer of rows. Impacts take energy.
TEST_CASE("couple mesh: what is far lighter than the water that hits it makes no energy") {
  for (const char* fluid : {"wcsph", "dfsph", "iisph", "pcisph"})
    for (const double density : {20.0, 2.0, 0.2}) {
      INFO(fluid << " " << density);
      CHECK(greatest_energy(collision(stage_of(fluid), sheet, density, cloth)) < 1.001);
    }
}

TEST_CASE("couple mesh: a balloon floats as deep as it weighs", "[long]") {
  for (const auto& [r, spacing] : {std::pair(0.18, 0.05), std::pair(0.137, 0.037)})
    for (const char* fluid :
         {R"("type": "iisph", "kinematic_viscosity": 0.005)",
          R"("type": "wcsph", "substeps": 2, "max_speed": 3, "kinematic_viscosity": 0.005)"}) {
      INFO(fluid << ", radius " << r);
      CHECK(std::abs(octahedron_over_level(fluid, r, spacing)) < 0.6 * spacing);
    }
}

// Its length times 1.8 to 2 d^2 (docs/floating_bodies.md), in water whose lattice has found room
// for it.
TEST_CASE("couple mesh: a rope is as thick as the particles to them", "[long]") {
  for (const char* fluid : {"dfsph", "iisph", "pcisph"}) {
    INFO(fluid);
    const double d = 0.05, length = 0.4, own = 0.5;
    Running r(
        tank_with(
            fmt::format(R"("type": "{}", "kinematic_viscosity": 0.005)", fluid),
            R"({"line": {"from": [0.15, 0.22, 0.25], "to": [0.55, 0.22, 0.25], "segments": 12}})",
            own, d, R"("type": "xpbd", "substeps": 5, "damping": 2)",
            R"(, {"type": "attach", "mesh": "mesh", "nearest": [[0.15, 0.22, 0.25], [0.55, 0.22, 0.25]]})"),
        Exec::cpu(2));
    settle(r.sim, r.dt(), [] { return false; });
    r.refresh();
    r.advance(250);
    Vec3d lift;
    for (int k = 0; k < 150; ++k) {
      r.advance(1);
      for (const Vec3d& f : r.world().table(force_table("mesh", "water")).download<Vec3d>("force"))
        lift = lift + (1.0 / 150) * f;
    }
    CHECK(lift[1] / (9810 * length * d * d) == Approx(1.85).margin(0.3));
  }
}

TEST_CASE("couple mesh: what cannot be is refused") {
  const std::string right = collision(stage_of("dfsph"), sheet, 1, cloth);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string s = right;
    s.replace(s.find(from), from.size(), to);
    return s;
  };
  CHECK(refusal(right, 1).empty());
  const std::string couple = R"({"type": "couple", "fluid": "water", "solid": "cloth"})";
  CHECK_THAT(
      refusal(
          with(couple,
               couple + ", " +
                   R"({"type": "couple", "name": "again", "fluid": "water", "solid": "cloth"})"),
          1),
      Contains("leave one out"));
  CHECK_THAT(refusal(with(R"({"mesh": "cloth", "type": "xpbd", "substeps": 5})",
                          R"({"type": "wind", "mesh": "cloth"})"),
                     1),
             Contains("no stage moves it"));
  CHECK_THAT(refusal(with(R"("boundary": ["cloth"], )", ""), 1),
             Contains("name 'cloth' in its \"boundary\""));
}
