#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "support/running.h"

// Meshes of pbd and xpbd that pull at what is far heavier than their points: in short substeps and
// far from the origin they move it by less than the last digit of its place, and momentum is kept.
using namespace rtsim;

namespace {

// A ball that flies off from the holder of a rope or a cloth of 1 m. It starts at rest length.
struct Leash {
  double mass = 84, far = 1, dt = 0.005, gravity = 0;  // [kg], [m] from the origin, [s], [m/s^2]
  int substeps = 20;
  std::string solver = R"("type": "xpbd", "stretch_compliance": 1e-3)";
  bool cloth = false;
  static constexpr double speed = 0.05, length = 1;  // [m/s], [m]

  std::string mesh() const {
    if (cloth)
      return fmt::format(
          R"("sheet": {{"corner": [{}, 0, 0], "u": [1, 0, 0], "v": [0, 1, 0], "cells": [8, 8]}})",
          far);
    return fmt::format(R"("line": {{"from": [{}, 0, 0], "to": [{}, 0, 0], "segments": 16}})", far,
                       far + length);
  }
  // The points at the one end and at the other.
  std::string end(double x) const {
    return fmt::format(R"("inside": {{"box": {{"min": [{}, -1, -1], "max": [{}, 2, 1]}}}})",
                       far + x - 1e-3, far + x + 1e-3);
  }
  std::string text() const {
    return fmt::format(
        R"({{"rtsim": 1, "dim": 3, "gravity": [{}, 0, 0], "time": {{"dt": {}, "frames": 100000}},
    "objects": [{{"name": "rope", "kind": "mesh", "density": 0.3, "mesh": {{{}}}}},
      {{"name": "b", "kind": "bodies", "bodies": [{{"name": "ball", "mass": {},
        "velocity": [{}, 0, 0],
        "shape": {{"sphere": {{"centre": [{}, {}, 0], "radius": 0.1}}}}}}]}}],
    "stages": [{{"type": "attach", "name": "top", "mesh": "rope", {}}},
      {{"type": "attach", "name": "tie", "mesh": "rope", {},
        "tie": {{"bodies": "b", "body": "ball"}}}},
      {{"mesh": "rope", "substeps": {}, {}}},
      {{"type": "body_contact", "mesh": "rope", "bodies": "b"}},
      {{"type": "rigid", "bodies": "b"}}], "output": []}})",
        gravity, dt, mesh(), mass, speed, far + length + 0.1, cloth ? 0.5 : 0, end(0), end(length),
        substeps, solver);
  }
};

double exactly(Running& r, const std::string& name) {
  for (const Measurement& m : rtsim::measure(r.sim))
    if (m.name == name) return m.value;
  FAIL("nothing measures " << name);
  return 0;
}

struct Balance {
  double gained = 0, held = 0, most = 0;  // [N s]; the most momentum that there was
};
// Of rope and ball along x, in a time: what they gained, and what the holder gave them.
Balance balance(const Leash& leash, double time) {
  Running r(leash.text(), Exec::cpu(1));
  const auto momentum = [&] { return r.measure("rope.momentum.x") + r.measure("b.momentum.x"); };
  Balance b;
  const double start = momentum();
  for (int n = int(std::lround(time / leash.dt)); n > 0; --n) {
    r.advance(1);
    b.held -= leash.dt * exactly(r, "top.rope.pull.x");
    b.most = std::max(b.most, std::abs(momentum()));
  }
  b.gained = momentum() - start;
  return b;
}

// Each step rounds the ball's momentum some four times (velocity, force and their sums), and what
// constraints push with likewise.
void check(const Leash& leash) {
  INFO(leash.solver << ", " << leash.mass << " kg at " << leash.far << " m, " << leash.substeps
                    << " substeps of " << leash.dt << " s" << (leash.cloth ? ", cloth" : ""));
  const double time = 0.4, eps = double(std::numeric_limits<Real>::epsilon());
  const Balance b = balance(leash, time);
  const double weight = leash.gravity * (leash.mass + 0.3);
  const double rounding = 4 * eps * (time / leash.dt * b.most + std::abs(b.held));
  CHECK(b.gained - weight * time == Approx(b.held).margin(rounding + 1e-5));
  CHECK(-b.held > 100 * (rounding + 1e-5));  // there is something to lose
}

}  // namespace

TEST_CASE("tied substeps: a body feels what the other end of its rope is held with") {
  Leash leash;
  for (const int substeps : {2, 20, 80})
    for (const double far : {0.3, 7., 70.})
      leash.far = far, leash.substeps = substeps, check(leash);
  leash = {};
  for (const double mass : {1., 10., 1000.}) leash.mass = mass, check(leash);
  leash = {};
  for (const double dt : {1. / 60, 1. / 240}) leash.dt = dt, leash.substeps = 80, check(leash);
}

TEST_CASE("tied substeps: the same of pbd, of cloth, and of averaged projections") {
  for (const char* solver :
       {R"("type": "pbd")",
        R"("type": "xpbd", "stretch_compliance": 3e-3, "bending_stiffness": 1e-4)",
        R"("type": "xpbd", "stretch_compliance": 1e-3, "order": "jacobi", "iterations": 3)"}) {
    Leash leash;
    leash.solver = solver, leash.cloth = leash.solver.find("bending") != std::string::npos;
    for (const int substeps : {2, 40}) leash.substeps = substeps, check(leash);
  }
}

TEST_CASE("tied substeps: a rope bears the weight of what hangs on it") {
  for (const double far : {1., 20.})
    for (const int substeps : {1, 20, 80}) {
      Leash leash;
      leash.gravity = 9.81, leash.far = far, leash.substeps = substeps;
      check(leash);
    }
}

TEST_CASE("tied substeps: a heavy point at a rope's end feels the rope") {
  for (const int substeps : {2, 20, 80})
    for (const double mass : {1., 84., 1e4}) {
      INFO(substeps << " substeps, " << mass << " kg");
      Running r(fmt::format(R"({{"rtsim": 1, "dim": 3, "gravity": [0, 0, 0],
    "time": {{"dt": 0.005, "frames": 100000}},
    "objects": [{{"name": "rope", "kind": "mesh", "velocity": [0.05, 0, 0], "mesh": {{"nodes": {{
        "positions": [[7, 0, 0], [7.25, 0, 0], [7.5, 0, 0], [7.75, 0, 0], [8, 0, 0]],
        "edges": [0, 1, 1, 2, 2, 3, 3, 4], "masses": [0.02, 0.02, 0.02, 0.02, {}]}}}}}}],
    "stages": [{{"type": "attach", "name": "top", "mesh": "rope", "points": [0]}},
      {{"type": "xpbd", "mesh": "rope", "stretch_compliance": 4e-3, "substeps": {}}}],
    "output": []}})",
                            mass, substeps),
                Exec::cpu(1));
      const double start = 0.05 * (mass + 0.08);
      double held = 0;
      for (int n = 0; n < 80; ++n) r.advance(1), held -= 0.005 * exactly(r, "top.rope.pull.x");
      const double eps = double(std::numeric_limits<Real>::epsilon());
      const double gained = r.measure("rope.momentum.x") - start;
      CHECK(gained == Approx(held).margin(80 * 4 * eps * start + 1e-5));
      CHECK(held < -0.03);
    }
}
