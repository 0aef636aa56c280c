#include <catch2/catch.hpp>
#include <cmath>

#include "support/spring_scenes.h"

// Implicit steps where explicit ones would fail, and what holds for networks of any kind.
using namespace rtsim;

namespace {

// A sheet of 1 m, 0.2 kg/m^2, in the xz plane.
std::string sheet(const std::string& stage, const std::string& more = "", double dt = 1. / 60,
                  int cells = 8, const std::string& gravity = "[0, -9.81, 0]") {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "gravity": {}, "time": {{"dt": {:.17g}, "frames": 100000}},
    "objects": [{{"name": "cloth", "kind": "mesh", "density": 0.2, "mesh": {{"sheet":
      {{"corner": [0, 0, 0], "u": [1, 0, 0], "v": [0, 0, 1], "cells": [{}, {}]}}}}}}],
    "stages": [{} {{"type": "mass_spring", "mesh": "cloth", "network": "cloth" {}}}],
    "output": []}})",
      gravity, dt, cells, cells, more, stage);
}

const char* const corners = R"({"type": "attach", "mesh": "cloth", "points": [0, 8]},)";

double energy(Running& r) {
  return r.measure("cloth.kinetic_energy") + r.measure("cloth.elastic_energy") +
         r.measure("cloth.potential_energy");
}

}  // namespace

TEST_CASE("mass_spring: implicit Euler is stable over ten orders of magnitude of stiffness") {
  for (double k = 0.01; k < 2e8; k *= 100)
    for (const int newton : {1, 10}) {
      INFO("stiffness " << k << ", Newton steps " << newton);
      Running r(sheet(fmt::format(R"(, "stiffness": {}, "newton_iterations": {},
          "cg_iterations": 500)",
                                  k, newton),
                      corners),
                Exec::cpu(2));
      double before = energy(r);
      for (int step = 0; step < 60; ++step) {
        r.advance(1);
        // 0.2 kg that fall by a metre have 2 J; no energy comes from nowhere. Linearised once,
        // springs that turn by an angle a within a step are too long by a^2 / 2, and push back.
        const double now = energy(r);
        if (newton > 1) CHECK(now < before + 2e-3);
        before = std::min(before, now);
      }
      CHECK(r.measure("cloth.kinetic_energy") < (k > 1 ? 2 : 9.7));  // 9.6 J in free fall
      // Stiff springs hold: 0.2 kg on 1e4 N/m stretches no spring by more than a few parts in 1000.
      if (k > 1e5) CHECK(r.measure("cloth.strain_max") < 0.02);
    }
}

TEST_CASE("mass_spring: Newton's steps come to the tolerance that they are told") {
  Running r(sheet(R"(, "stiffness": 500, "damping": 0.05, "drag": 0.5, "newton_iterations": 30,
      "newton_tolerance": 1e-3, "cg_tolerance": 1e-4)",
                  corners),
            Exec::cpu(2));
  for (int step = 0; step < 60; ++step) {
    r.advance(1);
    CHECK(r.measure("cloth.residual") <= 1e-3);
  }
}

TEST_CASE("mass_spring: a damped oscillator decays at its rate, also implicitly") {
  // m = 1, k = 1, c = 0.2: x'' + 0.2 x' + x = 0 falls by exp(-0.1 t).
  for (const char* integrator : {"implicit_midpoint", "rk4", "velocity_verlet"}) {
    INFO(integrator);
    Rope rope;
    rope.dt = 0.02;
    rope.velocity = "[0.1, 0, 0]";
    rope.stage =
        fmt::format(R"(, "damping": 0.2, "integrator": "{}", "cg_tolerance": 1e-8)", integrator);
    Running r(rope.text(), Exec::cpu(1));
    const double w = std::sqrt(0.99);
    r.advance(500);
    const double exact = 0.1 / w * std::exp(-1) * std::sin(10 * w);
    CHECK(double(positions(r, "rope")[1][0]) - 1 == Approx(exact).margin(3e-5));
  }
}

TEST_CASE("mass_spring: momentum of what nothing holds is kept by every integrator") {
  for (const char* integrator :
       {"explicit_euler", "symplectic_euler", "midpoint", "heun", "rk4", "verlet",
        "velocity_verlet", "implicit_euler", "implicit_midpoint"}) {
    INFO(integrator);
    Running r(sheet(fmt::format(R"(, "stiffness": 20, "damping": 0.01, "integrator": "{}",
        "cg_tolerance": 1e-6)",
                                integrator),
                    "", 0.002, 6, "[0, 0, 0]"),
              Exec::cpu(2));
    auto v = r.world().table("cloth").download<Vec<3>>("velocity");
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = Vec<3>{{Real(std::sin(double(i))), Real(std::cos(3. * double(i))), Real(i % 5)}};
    set(r, "cloth", "velocity", v);
    double before[3];
    const char* axes[] = {"cloth.momentum.x", "cloth.momentum.y", "cloth.momentum.z"};
    for (int a = 0; a < 3; ++a) before[a] = r.measure(axes[a]);
    r.advance(50);
    // Rounding alone: 4 eps sqrt(N) max m |v| a step; CG leaves 1e-6 of the momenta besides.
    const double m = 0.2 / 36, eps = std::numeric_limits<Real>::epsilon();
    const bool solved = integrator[0] == 'i';
    for (int a = 0; a < 3; ++a)
      CHECK(r.measure(axes[a]) ==
            Approx(before[a]).margin(50 * (4 * eps * 7 * m * 5 + (solved ? 2e-6 : 0))));
  }
}

TEST_CASE("mass_spring: held points end each step where their handle is") {
  for (const char* integrator :
       {"symplectic_euler", "rk4", "velocity_verlet", "implicit_euler", "implicit_midpoint"}) {
    INFO(integrator);
    Running r(
        sheet(fmt::format(R"(, "stiffness": 5, "substeps": 3, "integrator": "{}")", integrator),
              R"({"type": "attach", "mesh": "cloth", "points": [0, 8],
                        "motion": {"velocity": [0, 0.5, 0], "spin": 1, "spin_axis": [0, 1, 0]},
                        "end": 0.4},)",
              0.02),
        Exec::cpu(2));
    for (int step = 1; step <= 20; ++step) {
      r.advance(1);
      const double t = r.time();
      const Vec<3> x = positions(r, "cloth")[8];
      CHECK(double(x[0]) == Approx(std::cos(t)).margin(1e-6));
      CHECK(double(x[1]) == Approx(0.5 * t).margin(1e-6));
      CHECK(double(x[2]) == Approx(-std::sin(t)).margin(1e-6));
    }
    r.advance(20);  // released, it falls
    CHECK(double(positions(r, "cloth")[8][1]) < 0.2);
  }
}

TEST_CASE("mass_spring: refined in time, all integrators come to one motion") {
  // A swinging cloth after half a second; the reference is RK4 at a tenth of the step.
  const auto corner = [](const std::string& integrator, int substeps) {
    Running r(sheet(fmt::format(R"(, "stiffness": 30, "damping": 0.01, "integrator": "{}",
        "substeps": {}, "newton_iterations": 8, "newton_tolerance": 1e-5, "cg_tolerance": 1e-6)",
                                integrator, substeps),
                    corners, 0.01),
              Exec::cpu(2));
    r.advance(50);
    return widen(positions(r, "cloth").back());
  };
  const Vec3d exact = corner("rk4", 20);
  const auto off = [&](const char* integrator, int substeps) {
    return norm(corner(integrator, substeps) - exact);
  };
  CHECK(off("velocity_verlet", 10) < 1e-3);
  CHECK(off("implicit_midpoint", 4) < 5e-3);
  CHECK(off("symplectic_euler", 10) < 5e-3);
  // First order: it halves with the step.
  const double coarse = off("implicit_euler", 4), fine = off("implicit_euler", 8);
  CHECK(fine < 0.03);
  CHECK(coarse / fine == Approx(2).margin(0.4));
}

TEST_CASE("mass_spring: what cannot be is said") {
  CHECK_THROWS_WITH(Running(Rope{.stage = R"(, "network": "cloth")"}.text(), Exec::cpu(1)),
                    Catch::Contains("'rope' has none; take \"network\": \"edges\""));
  CHECK_THROWS_WITH(
      Running(Rope{.stage = R"(, "rest_scale": 0, "law": "relative")"}.text(), Exec::cpu(1)),
      Catch::Contains("from point 0 to 1 of 'rope' has no length at rest"));
  Rope fast{.stiffness = 1e6, .dt = 0.1, .stage = R"(, "integrator": "symplectic_euler")"};
  fast.velocity = "[0.1, 0, 0]";
  Running r(fast.text(), Exec::cpu(1));
  CHECK_THROWS_WITH(r.advance(100), Catch::Contains("position of row 1 of 'rope' is not finite") &&
                                        Catch::Contains("\"implicit_euler\""));
  Running warned(Rope{.stage = R"(, "integrator": "heun")"}.text(), Exec::cpu(1));
  CHECK(warned.sim.pipeline.back().stage->warning(warned.world()).find("gain energy") !=
        std::string::npos);
}

TEST_CASE("mass_spring: a cloth that falls on a ball stays outside of it") {
  for (const char* integrator : {"implicit_euler", "verlet"}) {
    INFO(integrator);
    Running r(fmt::format(
                  R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.01, "frames": 1000}},
      "objects": [{{"name": "cloth", "kind": "mesh", "density": 0.2, "mesh": {{"sheet":
        {{"corner": [-0.5, 0.3, -0.5], "u": [1, 0, 0], "v": [0, 0, 1], "cells": [12, 12]}}}}}},
        {{"name": "ball", "kind": "boundary",
          "shape": {{"sphere": {{"centre": [0, 0, 0], "radius": 0.25}}}}}}],
      "stages": [{{"type": "mass_spring", "mesh": "cloth", "network": "cloth", "stiffness": 50,
        "damping": 0.005, "drag": 1, "integrator": "{}", "substeps": {}, "boundary": ["ball"],
        "friction": 0.6}}], "output": []}})",
                  integrator, integrator[0] == 'v' ? 20 : 1),
              Exec::cpu(2));
    for (int step = 0; step < 100; ++step) {
      r.advance(1);
      double nearest = 1;
      for (const Vec<3>& x : positions(r, "cloth")) nearest = std::min(nearest, norm(widen(x)));
      CHECK(nearest > 0.25);
    }
    CHECK(r.measure("cloth.potential_energy") > -0.2 * 9.81 * 0.4);  // it has not slipped off
    CHECK(r.measure("cloth.kinetic_energy") < 0.05);
  }
}
