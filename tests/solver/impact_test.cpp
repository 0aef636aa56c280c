#include <algorithm>

#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

// What flies into a sheet that hangs by its corners, without gravity: nobody feeds energy, so the
// bodies and the sheet never have more than the bodies brought.
namespace {

struct Impact {
  double mass, radius, speed;  // [kg], [m], [m/s]
  const char* touch;
  double rate = 240;  // steps a second
  Vec3d aside{{0, 0.012, 0.013}};
};

std::string text(const Impact& k, const std::string& solver) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "gravity": [0, 0, 0],
           "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1000000}}, "objects": [
             {{"name": "m", "kind": "mesh", "density": 0.3, "mesh": {{"sheet": {{
               "corner": [0, -0.5, -0.5], "u": [0, 1, 0], "v": [0, 0, 1], "cells": [16, 16]}}}}}},
             {{"name": "b", "kind": "bodies", "bodies": [{{"mass": {}, "shape": {{"sphere": {{
               "centre": [-0.15, {}, {}], "radius": {}}}}}, "velocity": [{}, {}, {}]}}]}}],
           "stages": [
             {{"type": "attach", "mesh": "m", "nearest":
               [[0, -0.5, -0.5], [0, 0.5, -0.5], [0, -0.5, 0.5], [0, 0.5, 0.5]]}},
             {{"mesh": "m", "boundary": ["b"], "thickness": 0.005, "touch": "{}", {}}},
             {{"type": "body_contact", "mesh": "m", "bodies": "b"}},
             {{"type": "rigid", "bodies": "b"}}], "output": []}})",
      1 / k.rate, k.mass, k.aside[1], k.aside[2], k.radius, k.speed, 0.21 * k.speed,
      -0.13 * k.speed, k.touch, solver);
}

// Of the sheet's points and the bodies, and of what its solver says is stretched.
double energy(Running& r) {
  double sum = 0, elastic = 0;
  for (const Measurement& m : measure(r.sim)) {
    if (m.name.ends_with(".kinetic_energy")) sum += m.value;
    if (m.name.ends_with(".elastic_energy")) elastic += m.value;
  }
  return sum + elastic;
}

// The most that there is at any time, over what there was.
double growth(const Impact& k, const std::string& solver) {
  Running r(text(k, solver), Exec::cpu(2));
  const double before = energy(r);
  double most = before;
  const Vec3d begun = widen(r.world().table("b").download<Vec<3>>("velocity")[0]);
  const int steps = std::clamp(int(0.5 / k.speed * k.rate), 4, 100) + 8;
  for (int s = 0; s < steps; ++s) {
    r.advance(1);
    most = std::max(most, energy(r));
  }
  // It did not fly through.
  const Vec3d end = widen(r.world().table("b").download<Vec<3>>("velocity")[0]);
  CHECK(norm(end - begun) > 1e-3 * norm(begun));
  return most / before;
}

const std::vector<Impact> impacts{
    {0.02, 0.01, 5, "faces"},         {0.02, 0.05, 5, "faces"},       {0.001, 0.047, 5, "points"},
    {0.5, 0.05, 30, "faces"},         {0.53, 0.05, 31, "points"},     {30, 0.05, 30, "faces"},
    {0.01, 0.03, 300, "faces"},       {0.5, 0.05, 300, "faces"},      {0.5, 0.047, 300, "points"},
    {0.07, 0.031, 13, "faces", 113.}, {2.3, 0.071, 7, "faces", 487.},
};

}  // namespace

TEST_CASE("impact: bodies and the cloth that they hit never gain energy", "[long]") {
  for (const std::string solver :
       {R"("type": "xpbd", "substeps": 10)", R"("type": "pbd", "substeps": 4)",
        R"("type": "verlet", "iterations": 8, "drag": 0)",
        R"("type": "mass_spring", "network": "cloth", "integrator": "symplectic_euler",
           "stiffness": 500, "substeps": 40, "damping": 0.01)",
        R"("type": "mass_spring", "network": "cloth", "integrator": "implicit_euler",
           "stiffness": 500)",
        R"("type": "cloth_implicit", "stretch_stiffness": 5000)"})
    for (const Impact& k : impacts) {
      INFO(solver << ": " << k.mass << " kg, " << k.radius << " m, " << k.speed << " m/s by "
                  << k.touch);
      // Of pbd and verlet, what edges are stretched by is energy that nobody knows of.
      const bool sticks =
          solver.find("verlet") != std::string::npos || solver.find("\"pbd\"") != std::string::npos;
      CHECK(growth(k, solver) < (sticks ? 1.1 : 1.005));
    }
}

// A light body that bounces off what weighs more: without the bounce in its step it went through.
TEST_CASE("impact: light bodies that bounce are thrown back, and gain no energy") {
  for (const std::string solver :
       {R"("type": "xpbd", "substeps": 10, "restitution": 0.5)",
        R"("type": "mass_spring", "network": "cloth", "integrator": "symplectic_euler",
           "stiffness": 500, "substeps": 40, "damping": 0.01, "restitution": 0.7)"})
    for (const Impact& k : {Impact{0.001, 0.047, 5, "points"}, Impact{0.0004, 0.06, 3, "points"},
                            Impact{0.001, 0.05, 7, "faces", 113.}}) {
      INFO(solver << ": " << k.mass << " kg, " << k.radius << " m, " << k.speed << " m/s by "
                  << k.touch);
      CHECK(growth(k, solver) < 1.005);
    }
}

// What a plate lifts and turns has the energy from the plate: nobody takes shorter steps for that.
TEST_CASE("impact: the work of a wall that moves is no energy that was made") {
  const std::string solver =
      GENERATE(as<std::string>(),
               R"("type": "mass_spring", "network": "cloth", "integrator": "implicit_euler",
                  "stiffness": 500)",
               R"("type": "cloth_implicit", "stretch_stiffness": 5000)");
  Running r(fmt::format(R"({{"rtsim": 1, "dim": 3,
      "time": {{"dt": 0.01, "steps_per_frame": 1, "frames": 1000000}}, "objects": [
        {{"name": "m", "kind": "mesh", "density": 0.3, "mesh": {{"sheet": {{
          "corner": [-0.5, -0.5, 0.05], "u": [1, 0, 0], "v": [0, 1, 0], "cells": [16, 16]}}}}}},
        {{"name": "plate", "kind": "boundary",
          "shape": {{"box": {{"min": [-0.8, -0.8, -0.1], "max": [0.8, 0.8, 0.04]}}}},
          "motion": {{"velocity": [0, 0, 1.3], "spin_axis": [1, 0, 0], "spin": 0.7,
                      "centre": [0, 0.1, 0]}}}},
        {{"name": "b", "kind": "bodies", "bodies": [{{"mass": 0.3, "shape": {{"sphere": {{
          "centre": [0, 0, 9], "radius": 0.05}}}}}}]}}],
      "stages": [{{"mesh": "m", "boundary": ["plate", "b"], "thickness": 0.005, {}}},
        {{"type": "body_contact", "mesh": "m", "bodies": "b"}},
        {{"type": "rigid", "bodies": "b"}}], "output": []}})",
                        solver),
            Exec::cpu(2));
  INFO(solver);
  double most = 0;
  for (int s = 0; s < 60; ++s) {
    r.advance(1);
    for (const Measurement& m : measure(r.sim))
      if (m.name.ends_with(".substeps")) most = std::max(most, m.value);
  }
  CHECK(most == 1);
}
