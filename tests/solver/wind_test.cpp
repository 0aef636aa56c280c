#include "forces/wind.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "support/spring_scenes.h"
#include "wind/law.h"

using namespace rtsim;

namespace {

// A sheet of 1 m and 0.5 kg/m^2 that falls face on, or is blown at.
std::string falling(const std::string& wind, const std::string& gravity = "[0, -9.81, 0]",
                    double dt = 0.01) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "gravity": {}, "seed": 7, "time": {{"dt": {}, "frames": 10000}},
    "objects": [{{"name": "sheet", "kind": "mesh", "density": 0.5, "mesh": {{"sheet":
      {{"corner": [0, 0, 0], "u": [1, 0, 0], "v": [0, 0, 1], "cells": [6, 5]}}}}}}],
    "stages": [{{"type": "wind", "mesh": "sheet" {}}},
               {{"type": "mass_spring", "mesh": "sheet", "network": "cloth", "stiffness": 1000}}],
    "output": []}})",
      gravity, dt, wind);
}

Vec3d speed(Running& r) {
  return {{r.measure("sheet.momentum.x") / 0.5, r.measure("sheet.momentum.y") / 0.5,
           r.measure("sheet.momentum.z") / 0.5}};
}

}  // namespace

TEST_CASE("wind: a sheet that falls face on reaches the speed where drag carries it") {
  // m g = rho c_d v^2 A / 2, and eta v A in a viscous fluid. The wind sees the speed at the end of
  // the step before, the solver adds g dt: that speed is g dt more.
  const double dt = 0.01, g = 9.81;
  Running drag(falling(R"(, "drag": 1.5, "density": 1.25)"), Exec::cpu(2));
  drag.advance(1000);
  // Explicit in g, implicit in drag: steady where F / (m + dt rate) = g.
  const double c = 0.5 * 1.25 * 1.5, m = 0.5;
  const double v = std::sqrt(m * g / c + std::pow(g * dt / 2, 2)) + g * dt / 2;
  CHECK(-speed(drag)[1] == Approx(v).epsilon(1e-4));
  CHECK(v - g * dt / 2 == Approx(std::sqrt(m * g / c)).epsilon(1e-3));  // the law itself

  Running viscous(falling(R"(, "drag": 0, "viscous": 2)"), Exec::cpu(2));
  viscous.advance(1000);
  CHECK(-speed(viscous)[1] == Approx(m * g / 2 + g * dt).epsilon(1e-4));
}

TEST_CASE("wind: light cloth comes up to the wind and no further, whatever the step") {
  Running r(falling(R"(, "drag": 2, "velocity": [0, 30, 0])", "[0, 0, 0]", 0.2), Exec::cpu(2));
  double before = 0;
  for (int k = 0; k < 60; ++k) {
    r.advance(1);
    const double now = speed(r)[1];
    CHECK(now >= before - 1e-4);
    CHECK(now <= 30.001);
    before = now;
  }
  CHECK(before > 29);
}

TEST_CASE("wind: edge on there is no drag, and lift is greatest in between") {
  const wind::Coefficients c{0, 2, 3};
  const auto at = [&](double degrees) {  // of wind along x, against the plate
    const double a = degrees * pi / 180;
    return wind::load(c, Vec<3>{{Real(std::sin(a)), Real(std::cos(a)), 0}}, {{10, 0, 0}}).force;
  };
  CHECK(norm(at(0)) < 1e-3);
  CHECK(double(at(90)[0]) == Approx(200));
  CHECK(std::abs(double(at(90)[1])) < 1e-3);
  for (const double degrees : {20.0, 45.0, 70.0}) {
    const double a = degrees * pi / 180;
    CHECK(double(at(degrees)[0]) == Approx(200 * std::sin(a)));
    CHECK(double(at(degrees)[1]) == Approx(300 * std::sin(a) * std::cos(a)));
    // Which side a triangle shows makes no difference.
    const Vec<3> back =
        wind::load(c, Vec<3>{{Real(-std::sin(a)), Real(-std::cos(a)), 0}}, {{10, 0, 0}}).force;
    CHECK(norm(back - at(degrees)) == 0);
  }
}

TEST_CASE("wind: a schedule changes evenly, and carries gusts as far as the wind has gone") {
  WindParams p;
  p.schedule = {{1, {{2, 0, 0}}}, {3, {{6, 0, 0}}}};
  CHECK(mean_wind(p, 0.5).velocity[0] == 2);
  CHECK(mean_wind(p, 2).velocity[0] == 4);
  CHECK(mean_wind(p, 5).velocity[0] == 6);
  CHECK(mean_wind(p, 0).travelled[0] == Approx(0).margin(1e-12));
  CHECK(mean_wind(p, 1).travelled[0] == Approx(2));
  CHECK(mean_wind(p, 2).travelled[0] == Approx(2 + 3));
  CHECK(mean_wind(p, 3).travelled[0] == Approx(2 + 8));
  CHECK(mean_wind(p, 5).travelled[0] == Approx(2 + 8 + 12));
  p.schedule = {{0, {{1, 0, 0}}}, {2, {{3, 0, 0}}}};
  CHECK(mean_wind(p, 2).travelled[0] == Approx(4));
}

TEST_CASE("wind: gusts are smooth, bounded, without mean, and follow from the seed") {
  double sum = 0, greatest = 0;
  const int n = 20000;
  for (int i = 0; i < n; ++i) {
    const Vec<3> x{{Real(0.37 * i), Real(-0.11 * i), Real(0.23 * i)}};
    const Vec<3> g = wind::gust(3, x);
    sum += double(g[1]);
    greatest = std::max(greatest, std::abs(double(g[1])));
    if (i % 100 == 0) {
      const Vec<3> near = wind::gust(3, x + Vec<3>{{Real(0.01), 0, 0}});
      CHECK(norm(near - g) < 0.06);  // slopes are at most 3/2 of a difference of 2 along each axis
    }
  }
  CHECK(greatest <= 1);
  CHECK(greatest > 0.7);
  CHECK(std::abs(sum / n) < 0.02);  // 1 / sqrt(12 cells) of 0.37 would be 4e-3
  CHECK(norm(wind::gust(3, {{1, 2, 3}}) - wind::gust(4, {{1, 2, 3}})) > 1e-3);
}

TEST_CASE("wind: it blows in its time alone, and on triangles alone") {
  Running r(falling(R"(, "velocity": [0, 5, 0], "start": 0.1, "end": 0.2)", "[0, 0, 0]"),
            Exec::cpu(1));
  r.advance(10);
  CHECK(speed(r)[1] == 0);
  r.advance(10);
  const double then = speed(r)[1];
  CHECK(then > 0.1);
  r.advance(10);
  CHECK(speed(r)[1] == Approx(then).epsilon(1e-5));
  std::string rope = Rope{}.text();
  rope.replace(rope.find(R"({"type": "mass_spring")"), 0, R"({"type": "wind", "mesh": "rope"}, )");
  CHECK_THROWS_WITH(Running(rope, Exec::cpu(1)), Catch::Contains("has no triangles"));
}
