#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

constexpr int along = 6, across = 4;

// Half a tube of radius 0.1 m, along z, its back up.
std::string half_tube() {
  std::string points, triangles;
  for (int j = 0; j <= across; ++j)
    for (int i = 0; i <= along; ++i) {
      const int p = i + (along + 1) * j, q = p + along + 1;
      const double angle = 3.14159265358979 * i / along;
      points += fmt::format("{}[{}, {}, {}]", p ? ", " : "", -0.1 * std::cos(angle),
                            0.1 * std::sin(angle), 0.05 * j);
      if (i < along && j < across)
        triangles +=
            fmt::format("{}{}, {}, {}, {}, {}, {}", p ? ", " : "", p, p + 1, q, p + 1, q + 1, q);
    }
  return fmt::format(R"("nodes": {{"positions": [{}], "triangles": [{}]}})", points, triangles);
}

Running tube(const std::string& stage) {
  const MeshScene s{.mesh = half_tube(),
                    .weight = R"("density": 0.2)",
                    .stages = R"({"mesh": "m", "bending_stiffness": 0.01, )" + stage + "}",
                    .dt = 0.002,
                    .gravity = "[0, 0, 0]"};
  return Running(s.text(), Exec::cpu(2));
}

const std::string cloth = R"("type": "cloth_implicit", "newton_iterations": 30,
                             "newton_tolerance": 1e-4, "cg_tolerance": 1e-5)";

void move(Running& r, const char* column, const std::function<Vec3d(const Vec3d&)>& of) {
  std::vector<Vec<3>> to;
  for (const Vec3d& x : places(r)) to.push_back(narrow<3>(of(x)));
  const Span<Vec<3>> at = r.world().table("m").column<Vec<3>>(column);
  r.world().exec.upload(at.data, to.data(), to.size() * sizeof(Vec<3>));
}

}  // namespace

TEST_CASE("bent cloth: it keeps the shape that it has at rest, and knows its sides") {
  for (const std::string& stage : {cloth, std::string(R"("type": "mass_spring")")}) {
    Running r = tube(stage);
    const std::vector<Vec3d> start = places(r);
    // B/2 over the radius squared, times the area; its rims are free, so that five of the six
    // strips have a hinge each, of 30 degrees, where 2 sin(15 degrees) stand for the angle.
    const double tube_energy = 5. / 6 * 0.5 * 0.01 / 0.01 * 0.0628;
    CHECK(r.measure("m.bending_energy") < 1e-6 * tube_energy);
    r.advance(50);
    double moved = 0;
    for (std::size_t i = 0; i < start.size(); ++i)
      moved = std::max(moved, norm(places(r)[i] - start[i]));
    CHECK(moved < 1e-5);
    // Turned as a whole it is at rest; inside out each curvature is off by twice itself.
    move(r, "position", [](const Vec3d& x) { return Vec3d{{x[1], x[2], x[0]}}; });
    CHECK(r.measure("m.bending_energy") < 1e-6 * tube_energy);
    move(r, "position", [](const Vec3d& x) { return Vec3d{{-x[0], x[1], x[2]}}; });
    CHECK(r.measure("m.bending_energy") == Approx(4 * tube_energy).epsilon(0.1));
  }
}

namespace {

// tau of x'' = -w^2 (x + tau x'), as implicit Euler has it step by step:
//   x1 - 2 x0 + x_ = -h^2 w^2 x1 - h w^2 tau (x1 - x0),
// fitted to the deflection of the tip of a strip that is clamped at its other end.
double fitted_damping(double tau) {
  const double h = 0.001;
  MeshScene s{.mesh = R"("sheet": {"u": [0.2, 0, 0], "v": [0, 0, 0.05], "cells": [8, 2]})",
              .weight = R"("density": 0.2)",
              .stages = hold(R"("points": [0, 1, 9, 10, 18, 19])") +
                        fmt::format(R"(, {{"mesh": "m", {}, "bending_stiffness": 0.05,
                                           "bending_damping": {}}})",
                                    cloth, tau),
              .dt = h,
              .gravity = "[0, 0, 0]"};
  Running r(s.text(), Exec::cpu(2));
  move(r, "velocity", [](const Vec3d& x) {
    return Vec3d{{0, x[0] > 0.03 ? 5 * (x[0] - 0.025) * (x[0] - 0.025) : 0, 0}};
  });
  r.advance(150);  // higher modes are gone sooner
  std::vector<double> x;
  for (int k = 0; k < 200; ++k) {
    r.advance(1);
    x.push_back(places(r)[17][1]);
  }
  double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
  for (std::size_t k = 1; k + 1 < x.size(); ++k) {
    const double a = h * h * x[k + 1], b = h * (x[k + 1] - x[k]),
                 y = -(x[k + 1] - 2 * x[k] + x[k - 1]);
    aa += a * a, ab += a * b, bb += b * b, ay += a * y, by += b * y;
  }
  return (aa * by - ab * ay) / (bb * ay - ab * by);
}

}  // namespace

TEST_CASE("bent cloth: bending_damping lets an oscillation decay as its time says") {
  for (const double tau : {0., 0.002, 0.006}) {
    INFO(tau);
    CHECK(fitted_damping(tau) == Approx(tau).epsilon(0.02).margin(1e-4));
  }
}

TEST_CASE("bent cloth: damping of bending does not slow a turn of the whole") {
  double moment[2];
  for (const int damped : {0, 1}) {
    Running r = tube(cloth + (damped ? R"(, "bending_damping": 0.05)" : ""));
    move(r, "velocity", [](const Vec3d& x) { return cross(Vec3d{{0, 0, 5}}, x); });
    r.advance(50);
    moment[damped] = norm(motion(r).moment);
  }
  CHECK(moment[1] == Approx(moment[0]).epsilon(0.002));
}
