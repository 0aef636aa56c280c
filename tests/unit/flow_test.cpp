#include "sim/flow.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "support/running.h"

using namespace rtsim;

namespace {

constexpr double pi = 3.14159265358979323846;

double divergence(const FlowSpec& f, const Vec3d& x, int dim) {
  const double e = 1e-4;
  double sum = 0;
  for (int a = 0; a < dim; ++a) {
    Vec3d d;
    d[a] = e;
    sum += (f.velocity(x + d, dim)[a] - f.velocity(x - d, dim)[a]) / (2 * e);
  }
  return sum;
}

}  // namespace

TEST_CASE("flow: nothing given is no flow") {
  const Vec3d v = FlowSpec{}.velocity({{1, 2, 3}}, 3);
  for (int a = 0; a < 3; ++a) CHECK(v[a] == 0);
}

TEST_CASE("flow: Taylor-Green vortices are free of divergence, periodic, and have their speed") {
  FlowSpec f;
  f.taylor_green = {2, 0.5};
  for (int dim : {2, 3}) {
    const Vec3d x{{0.13, 0.21, 0.05}}, next = x + Vec3d{{0.5, -1, 0.5}};
    CHECK(divergence(f, x, dim) == Approx(0).margin(1e-6));
    CHECK(norm(f.velocity(next, dim) - f.velocity(x, dim)) < 1e-12);
    CHECK(f.velocity(x, dim)[2] == 0);
  }
  const double k = 2 * pi / 0.5;
  const Vec3d v = f.velocity({{0.1, 0.07, 9}}, 2);
  CHECK(v[0] == Approx(-2 * std::cos(k * 0.1) * std::sin(k * 0.07)));
  CHECK(v[1] == Approx(2 * std::sin(k * 0.1) * std::cos(k * 0.07)));
  CHECK(norm(f.velocity({{0, 0.125, 0}}, 3)) == Approx(2));  // between two vortices
}

TEST_CASE("flow: strain stretches along the axes, and rotation turns about its own") {
  FlowSpec strain;
  strain.strain = {{{1, 0, 0}}, {{100, -100, 7}}};
  const Vec3d s = strain.velocity({{1.5, 2, 3}}, 2);
  CHECK(s[0] == 50);
  CHECK(s[1] == -200);
  CHECK(s[2] == 0);  // z counts in 3D alone
  CHECK(strain.velocity({{1.5, 2, 3}}, 3)[2] == 21);

  FlowSpec turn;
  turn.rotation = {{{1, 0, 0}}, {{0, 5, 0}}, 3};
  CHECK(norm(turn.velocity({{2, 4, 0}}, 3) - Vec3d{{0, 0, -3}}) < 1e-12);
  CHECK(norm(turn.velocity({{2, 4, 0}}, 2) - Vec3d{{-12, 3, 0}}) < 1e-12);  // in 2D about z
}

TEST_CASE("flow: several add up") {
  FlowSpec f;
  f.strain = {{}, {{1, -1, 0}}};
  f.rotation = {{}, {{0, 0, 1}}, 2};
  CHECK(norm(f.velocity({{1, 1, 0}}, 2) - Vec3d{{-1, 1, 0}}) < 1e-12);
}

// A solid that turns about an axis through (0.3, 0, 0), and flies.
TEST_CASE("flow: points of a mesh begin with it as particles do") {
  Running r(R"({"rtsim": 1, "dim": 3, "time": {"fps": 10, "frames": 1},
    "objects": [{"name": "block", "kind": "mesh", "density": 700, "velocity": [1, 2, 3],
      "flow": {"rotation": {"centre": [0.3, 0, 0], "axis": [0, 0, 2], "rate": 4}},
      "mesh": {"block": {"min": [0, 0, 0], "max": [0.2, 0.3, 0.1], "cells": [2, 3, 1]}}}],
    "stages": [{"type": "fem", "mesh": "block", "youngs_modulus": 1e5}], "output": []})",
            Exec::cpu(1));
  Table& points = r.world().table("block");
  const auto x = points.download<Vec<3>>("position"), v = points.download<Vec<3>>("velocity");
  REQUIRE(x.size() == 3 * 4 * 2);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3d expected{{1 - 4 * double(x[i][1]), 2 + 4 * (double(x[i][0]) - 0.3), 3}};
    CHECK(norm(widen(v[i]) - expected) < 1e-5);
  }
}
