#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "support/running.h"

using namespace rtsim;

namespace {

constexpr const char* sheet =
    R"("density": 0.3, "mesh": {"sheet": {"corner": [0, 0, 0], "u": [1, 0, 0], "v": [0, 0, 0.7],
       "cells": [10, 7]}})";
constexpr const char* block =
    R"("density": 900, "mesh": {"block": {"min": [0, 0, 0], "max": [1, 0.2, 0.23],
       "cells": [7, 2, 2]}})";
// It turns as well as it shifts.
constexpr const char* shaken =
    R"("keyframes": [{"time": 0}, {"time": 0.11, "translate": [0.2, 0.1, -0.1],
       "axis": [1, 2, 3], "angle": 0.4}, {"time": 0.3, "translate": [-0.1, 0.15, 0.07]}])";

// Held by two stages that share points, with a field behind the solver.
std::string scene(const std::string& mesh, const std::string& solver, const std::string& motion,
                  double dt) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "time": {{"dt": {}, "frames": 10}},
  "objects": [{{"name": "m", "kind": "mesh", {}}}],
  "stages": [
    {{"type": "attach", "name": "left", "mesh": "m", "motion": {{{}}},
      "inside": {{"box": {{"min": [-1, -1, -1], "max": [0.01, 9, 9]}}}}}},
    {{"type": "attach", "name": "edge", "mesh": "m", "motion": {{{}}},
      "inside": {{"box": {{"min": [-1, -1, -1], "max": [0.31, 9, 0.01]}}}}}},
    {{"mesh": "m", {}}},
    {{"type": "force_field", "particles": "m", "constant": {{"acceleration": [1, -2, 3]}}}}]}})",
      dt, mesh, motion, motion, solver);
}

Vec3d vector(Running& r, const std::string& name) {
  return {{r.measure(name + ".x"), r.measure(name + ".y"), r.measure(name + ".z")}};
}
Vec3d pull(Running& r, const std::string& holder) {
  Vec3d sum;
  for (const Measurement& m : rtsim::measure(r.sim))
    for (std::size_t a = 0; a < 3; ++a)
      if (m.name == holder + ".m.pull." + "xyz"[a]) sum[int(a)] = m.value;
  return sum;
}
double fed(Running& r) {
  double sum = 0;
  for (const Measurement& m : rtsim::measure(r.sim))
    if (m.name.ends_with(".m.fed_energy")) sum += m.value;
  return sum;
}

}  // namespace

// What the mesh's momentum changes by is what its weight, the field and its holders gave.
TEST_CASE("reaction: holders bear what the mesh's momentum does not show") {
  struct Case {
    const char *mesh, *solver;
    double tolerance;  // of the impulses: that of the solve, or of rounding
  };
  const Case cases[] = {
      {sheet, R"("type": "mass_spring", "stiffness": 900, "damping": 0.03, "substeps": 30)", 1e-5},
      {sheet, R"("type": "mass_spring", "stiffness": 900, "integrator": "rk4", "substeps": 30)",
       1e-5},
      {sheet,
       R"("type": "mass_spring", "stiffness": 900, "integrator": "velocity_verlet", "substeps": 30,
          "bending_stiffness": 0.001)",
       1e-5},
      {sheet,
       R"("type": "mass_spring", "stiffness": 900, "integrator": "implicit_euler",
          "bending_stiffness": 0.001)",
       1e-3},
      {sheet, R"("type": "mass_spring", "stiffness": 900, "integrator": "implicit_midpoint")",
       1e-3},
      {sheet,
       R"("type": "mass_spring", "stiffness": 900, "integrator": "implicit_euler",
          "newton_iterations": 20)",
       1e-3},
      {sheet, R"("type": "cloth_implicit", "substeps": 2)", 1e-3},
      {sheet, R"("type": "cloth_implicit", "newton_iterations": 20)", 1e-3},
      {sheet, R"("type": "pbd", "iterations": 7, "bending": "isometric", "bending_stiffness": 0.1)",
       5e-5},
      {sheet, R"("type": "xpbd", "substeps": 3, "bending_stiffness": 0.001)", 5e-5},
      {sheet,
       R"("type": "xpbd", "substeps": 3, "order": "jacobi", "iterations": 4, "bending": "dihedral",
          "bending_stiffness": 0.001)",
       5e-5},
      {block, R"("type": "xpbd", "substeps": 3)", 5e-5},
      {sheet, R"("type": "verlet", "iterations": 9, "drag": 0)", 1e-5},
      {block, R"("type": "fem", "youngs_modulus": 3e4, "newton_iterations": 1)", 1e-3},
      {block,
       R"("type": "fem", "youngs_modulus": 3e4, "newton_iterations": 20, "substeps": 2,
          "rayleigh_stiffness": 0.001)",
       1e-3},
      {block, R"("type": "fem", "youngs_modulus": 3e4, "integrator": "newmark")", 1e-3},
      {block,
       R"("type": "fem", "youngs_modulus": 3e4, "integrator": "symplectic_euler", "substeps": 40)",
       1e-5},
  };
  const double dt = 0.01;
  for (const Case& c : cases) {
    INFO(c.solver);
    Running r(scene(c.mesh, c.solver, shaken, dt), Exec::cpu(2));
    const double mass = r.measure("m.mass");
    double worst = 0, largest = 0;
    r.advance(1);  // Verlet's first step has half the weight
    for (int k = 0; k < 30; ++k) {
      const Vec3d before = vector(r, "m.momentum");
      r.advance(1);
      const Vec3d change = vector(r, "m.momentum") - before,
                  held = pull(r, "left") + pull(r, "edge"),
                  given = dt * (mass * Vec3d{{1, -2 - 9.81, 3}} - held);
      largest = std::max(largest, dt * norm(held));
      worst = std::max(worst, norm(change - given));
    }
    CHECK(largest > 0.1 * dt * mass * 9.81);
    CHECK(worst < c.tolerance * largest);
  }
}

// The wind on a mesh that is held everywhere is what one gets that is free, and too heavy to move.
TEST_CASE("reaction: holders bear the wind on held points") {
  const auto blown = [](const char* density, const char* stages) {
    return fmt::format(
        R"({{"rtsim": 1, "dim": 3, "gravity": [0, 0, 0], "time": {{"dt": 0.01, "frames": 10}},
  "objects": [{{"name": "m", "kind": "mesh", "density": {},
    "mesh": {{"sheet": {{"u": [1, 0, 0], "v": [0, 0.3, 0.7], "cells": [5, 3]}}}}}}],
  "stages": [{{"type": "wind", "mesh": "m", "velocity": [2, 7, 1]}}, {}]}})",
        density, stages);
  };
  Running free(blown("1e6", R"({"type": "xpbd", "mesh": "m"})"), Exec::cpu(2));
  Running held(blown("0.2", R"({"type": "attach", "name": "left", "mesh": "m", "points": [0, 1, 2],
                                "inside": {"sphere": {"centre": [0, 0, 0], "radius": 9}}},
                               {"type": "xpbd", "mesh": "m"})"),
               Exec::cpu(2));
  free.advance(1), held.advance(1);
  const Vec3d force = (1 / free.dt()) * vector(free, "m.momentum");
  CHECK(norm(force) > 1);
  CHECK(norm(pull(held, "left") - force) < 1e-4 * norm(force));
}

// What a jet loses as it meets cloth that is held is what the cloth gains and its holder bears,
// with what the jet gives held points themselves.
TEST_CASE("reaction: a holder bears what a flow has lost") {
  for (const char* fluid : {"wcsph", "dfsph"})
    for (const char* solver : {"xpbd", "cloth_implicit"}) {
      INFO(fluid << " " << solver);
      Running r(
          fmt::format(
              R"({{"rtsim": 1, "dim": 3, "gravity": [0, 0, 0], "time": {{"dt": 0.002, "frames": 10}},
  "objects": [
    {{"name": "water", "kind": "particles", "spacing": 0.05, "velocity": [1, 0, 0],
      "fill": {{"box": {{"min": [0, 0.03, 0.1], "max": [0.3, 0.33, 0.4]}}}}}},
    {{"name": "m", "kind": "mesh", "density": 3, "mesh": {{"sheet": {{"corner": [0.36, 0.03, 0.02],
      "u": [0, 0.5, 0], "v": [0, 0, 0.5], "cells": [10, 10]}}}}}}],
  "stages": [{{"type": "{}", "fluid": "water", "boundary": ["m"], "substeps": 2{}}},
    {{"type": "couple", "fluid": "water", "solid": "m"}},
    {{"type": "attach", "name": "left", "mesh": "m",
      "inside": {{"box": {{"min": [0, 0, 0], "max": [1, 0.04, 1]}}}}}},
    {{"type": "{}", "mesh": "m"}}]}})",
              fluid, std::string(fluid) == "wcsph" ? R"(, "max_speed": 1)" : "", solver),
          Exec::cpu(2));
      const Vec3d start = vector(r, "water.momentum");
      Vec3d borne;
      for (int k = 0; k < 150; ++k) r.advance(1), borne = borne + r.dt() * pull(r, "left");
      const Vec3d lost = start - vector(r, "water.momentum") - vector(r, "m.momentum");
      CHECK(norm(borne) > 0.02 * norm(start));
      CHECK(norm(lost - borne) < 1e-3 * norm(start));
    }
}

// Slowly stretched, a bar has all the work of its handle as elastic energy.
TEST_CASE("reaction: a handle's work is the energy that the mesh gets") {
  for (const char* solver :
       {R"("type": "fem", "youngs_modulus": 3e4, "integrator": "backward_euler")",
        R"("type": "fem", "youngs_modulus": 3e4, "integrator": "bdf2")",
        R"("type": "fem", "youngs_modulus": 3e4, "integrator": "newmark", "rayleigh_mass": 5)"}) {
    INFO(solver);
    Running r(
        fmt::format(
            R"({{"rtsim": 1, "dim": 3, "gravity": [0, 0, 0], "time": {{"dt": 0.02, "frames": 10}},
  "objects": [{{"name": "m", "kind": "mesh", {}}}],
  "stages": [
    {{"type": "attach", "name": "left", "mesh": "m",
      "inside": {{"box": {{"min": [-1, -1, -1], "max": [0.01, 9, 9]}}}}}},
    {{"type": "attach", "name": "right", "mesh": "m",
      "motion": {{"keyframes": [{{"time": 0}}, {{"time": 9, "translate": [0.3, 0.1, 0]}}]}},
      "inside": {{"box": {{"min": [0.99, -1, -1], "max": [2, 9, 9]}}}}}},
    {{"mesh": "m", {}}}]}})",
            block, solver),
        Exec::cpu(2));
    r.advance(450);
    const double stored = r.measure("m.elastic_energy") + r.measure("m.kinetic_energy");
    CHECK(stored > 10);
    CHECK(fed(r) > stored);
    CHECK(fed(r) < 1.02 * stored);
    // It pulls its two ends together.
    CHECK(norm(pull(r, "left") + pull(r, "right")) < 0.02 * norm(pull(r, "left")));
    CHECK(pull(r, "left")[0] > 0);
  }
}

// A floor that holds back what a handle swings over it makes no energy. Springs take a push of it
// for one of the handle a step later, so a step that makes more than a thousandth is taken shorter.
TEST_CASE("reaction: what a handle swings over a floor gets no energy of it") {
  for (const char* solver :
       {R"("type": "mass_spring", "integrator": "implicit_euler", "stiffness": 10800)",
        R"("type": "mass_spring", "integrator": "implicit_euler", "stiffness": 10800,
           "newton_iterations": 8)",
        R"("type": "cloth_implicit", "stretch_stiffness": 4000, "newton_iterations": 8)"}) {
    INFO(solver);
    Running r(fmt::format(
                  R"({{"rtsim": 1, "dim": 3, "time": {{"fps": 60, "frames": 10}},
  "objects": [{{"name": "m", "kind": "mesh", "density": 2, "mesh": {{"sheet": {{
      "u": [2.3, 0, 0.46], "v": [0, 0, 1.14], "cells": [14, 5]}}}}}},
    {{"name": "floor", "kind": "boundary",
      "shape": {{"plane": {{"point": [0, -0.69, 0], "normal": [0, 1, 0]}}}}}}],
  "stages": [
    {{"type": "attach", "name": "left", "mesh": "m",
      "inside": {{"box": {{"min": [-9, -9, -9], "max": [0.02, 9, 9]}}}},
      "motion": {{"keyframes": [{{"time": 0}},
        {{"time": 0.57, "translate": [-0.02, 0.24, -0.46], "axis": [0.73, -0.69, -0.07],
          "angle": -0.16}}, {{"time": 0.97, "translate": [-0.31, -0.46, -0.44]}}]}}}},
    {{"mesh": "m", "boundary": ["floor"], {}}}]}})",
                  solver),
              Exec::cpu(2));
    const auto lost = [&r] {
      return fed(r) - r.measure("m.kinetic_energy") - r.measure("m.elastic_energy") -
             r.measure("m.potential_energy");
    };
    double most = lost(), made = 0, moved = 0;
    for (int k = 0; k < 100; ++k) {
      r.advance(1);
      most = std::max(most, lost()), made = std::max(made, most - lost());
      moved = std::max(moved, r.measure("m.kinetic_energy"));
    }
    CHECK(moved > 1);
    CHECK(made < 0.01 * moved);
  }
}

// One linearised solve a step does not know that springs turn with a handle: what a step makes more
// than a thousandth of is taken shorter, without contact as well.
TEST_CASE("reaction: a net that a handle turns in long steps gets no energy but of it") {
  for (const double fps : {24.0, 37.0}) {
    Running r(fmt::format(
                  R"({{"rtsim": 1, "dim": 3, "time": {{"fps": {}, "frames": 10}},
  "objects": [{{"name": "m", "kind": "mesh", "density": 0.3, "mesh": {{"sheet": {{
      "u": [0.13, 0, 0], "v": [0, 0, 0.0594], "cells": [14, 5]}}}}}}],
  "stages": [
    {{"type": "attach", "name": "left", "mesh": "m",
      "inside": {{"box": {{"min": [-9, -9, -9], "max": [0.0013, 9, 9]}}}},
      "motion": {{"keyframes": [{{"time": 0}},
        {{"time": 0.18, "translate": [0.0212, -0.0376, -0.0232], "axis": [0.75, -0.17, 0.07],
          "angle": 0.617}},
        {{"time": 0.375, "translate": [-0.02, 0.0105, -0.0195], "axis": [0.4, -0.33, -0.83],
          "angle": 0.85}},
        {{"time": 0.55, "translate": [0.023, -0.003, 0.031], "axis": [0.29, 0.75, 0.98],
          "angle": -0.627}},
        {{"time": 0.73, "translate": [0.037, 0.037, -0.027]}}]}}}},
    {{"type": "attach", "name": "right", "mesh": "m", "end": 0.2,
      "inside": {{"box": {{"min": [0.1287, -9, -9], "max": [9, 9, 9]}}}}}},
    {{"type": "mass_spring", "mesh": "m", "integrator": "implicit_euler", "stiffness": 0.328,
      "damping": 5.07e-6}}]}})",
                  fps),
              Exec::cpu(1));
    const auto lost = [&r] {
      return fed(r) - r.measure("m.kinetic_energy") - r.measure("m.elastic_energy") -
             r.measure("m.potential_energy");
    };
    double most = lost(), made = 0, moved = 0;
    for (int k = 0; k < int(0.83 * fps); ++k) {
      r.advance(1);
      most = std::max(most, lost()), made = std::max(made, most - lost());
      moved = std::max(moved, r.measure("m.kinetic_energy"));
    }
    CAPTURE(fps, made, moved);
    CHECK(moved > 1e-4);
    CHECK(made < 0.01 * moved);
  }
}
