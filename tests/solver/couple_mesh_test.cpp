#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

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

std::string stage_of(const std::string& fluid) {
  return fmt::format(R"("type": "{}", "substeps": 2{})", fluid,
                     fluid == "wcsph" ? R"(, "max_speed": 1)" : "");
}

Vec3d momentum_of(World& w, const std::string& table, double mass) {
  Table& t = w.table(table);
  const auto v = t.download<Vec<3>>("velocity");
  std::vector<Real> own(v.size(), Real(mass));
  if (t.has("mass")) own = t.download<Real>("mass");
  Vec3d sum;
  for (std::size_t i = 0; i < v.size(); ++i) sum = sum + double(own[i]) * widen(v[i]);
  return sum;
}

double kinetic_energy_of(World& w, const std::string& table, double mass) {
  Table& t = w.table(table);
  const auto v = t.download<Vec<3>>("velocity");
  std::vector<Real> own(v.size(), Real(mass));
  if (t.has("mass")) own = t.download<Real>("mass");
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) sum += 0.5 * double(own[i]) * dot(widen(v[i]), widen(v[i]));
  return sum;
}

constexpr double row_mass = 1000 * 0.05 * 0.05 * 0.05;

void check_momentum(const std::string& scene) {
  Running r(scene, Exec::cpu(2));
  const auto total = [&] {
    return momentum_of(r.world(), "water", row_mass) + momentum_of(r.world(), "cloth", 0);
  };
  const Vec3d start = total();
  r.advance(100);
  CHECK(momentum_of(r.world(), "cloth", 0)[0] > 0.01 * start[0]);
  // Rounding of velocities, at random: 4 eps sqrt(N) m max|v| in each change of all N rows of
  // water, where v is 2 m/s at most, and of points of the mesh, which weigh less; over 100 steps of
  // two substeps of the water, and ten of the mesh.
  const double n = r.world().table("water").rows();
  CHECK(norm(total() - start) < 100 * 12 * 4 * eps * 2 * std::sqrt(n) * row_mass);
}

// A soft block of 0.3 x 0.15 x 0.3 m in a tank, let go near its draught.
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

}  // namespace

TEST_CASE("couple mesh: what the fluid loses a mesh gets") {
  constexpr const char* cloth = R"("type": "xpbd", "substeps": 5)";
  for (const char* fluid : fluids) {
    INFO(fluid);
    check_momentum(collision(stage_of(fluid), sheet, 20, cloth));
  }
  for (const char* solver :
       {R"("type": "pbd")", R"("type": "mass_spring", "stiffness": 100, "substeps": 10)",
        R"("type": "verlet")", R"("type": "cloth_implicit")"}) {
    INFO(solver);
    check_momentum(collision(stage_of("wcsph"), sheet, 20, solver));
  }
  for (const char* solver : {R"("type": "fem", "youngs_modulus": 1e5)",
                             R"("type": "modal", "youngs_modulus": 1e5)"}) {
    INFO(solver);
    check_momentum(collision(stage_of("iisph"), block, 500, solver));
  }
}
