#pragma once
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "meshes/adjacency.h"
#include "support/running.h"

// Meshes alone, and what the tests of their solvers read from them.
namespace rtsim::testing {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());
constexpr double g = 9.81;

struct MeshScene {
  std::string mesh;                        // its form
  std::string weight = R"("density": 1)";  // and more of its keys
  std::string stages;                      // with commas between
  double dt = 0.01;
  std::string gravity = "[0, -9.81, 0]";

  std::string text() const {
    return fmt::format(
        R"({{"rtsim": 1, "dim": 3, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1,
             "frames": 1000000}}, "objects": [{{"name": "m", "kind": "mesh", "mesh": {{{}}}, {}}}],
             "stages": [{}], "output": []}})",
        gravity, dt, mesh, weight, stages);
  }
};

inline std::string line(const std::string& from, const std::string& to, int segments) {
  return fmt::format(R"("line": {{"from": {}, "to": {}, "segments": {}}})", from, to, segments);
}
inline std::string sheet(double side, int cells, bool alternate = true) {
  return fmt::format(
      R"("sheet": {{"u": [{0}, 0, 0], "v": [0, 0, {0}], "cells": [{1}, {1}], "alternate": {2}}})",
      side, cells, alternate);
}
inline std::string hold(const std::string& points, const std::string& more = "") {
  return fmt::format(R"({{"type": "attach", "name": "hold{}", "mesh": "m", {}{}}})",
                     std::hash<std::string>{}(points + more), points, more);
}

inline std::vector<Vec3d> places(Running& r, const char* column = "position") {
  std::vector<Vec3d> x;
  for (const auto& p : r.world().table("m").download<Vec<3>>(column)) x.push_back(widen(p));
  return x;
}

struct Motion {
  Vec3d momentum, moment;        // [kg m/s], [kg m^2/s] about the origin
  double scale = 0;              // sum of m |v|
  double kinetic = 0, mass = 0;  // [J], [kg]
};
inline Motion motion(Running& r, std::initializer_list<const char*> meshes = {"m"}) {
  Motion sum;
  for (const char* mesh : meshes) {
    const auto x = r.world().table(mesh).download<Vec<3>>("position");
    const auto v = r.world().table(mesh).download<Vec<3>>("velocity");
    const auto mass = r.world().table(mesh).download<Real>("mass");
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Vec3d p = double(mass[i]) * widen(v[i]);
      sum.momentum = sum.momentum + p, sum.moment = sum.moment + cross(widen(x[i]), p);
      sum.scale += norm(p), sum.kinetic += 0.5 * dot(p, widen(v[i])), sum.mass += double(mass[i]);
    }
  }
  return sum;
}

}  // namespace rtsim::testing
