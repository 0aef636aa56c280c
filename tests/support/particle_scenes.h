#pragma once
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "base/vec.h"
#include "support/running.h"

// Scenes and sums that the tests of particle fluids share. `stage` is the stage's object without
// braces, its fluid being "water".
namespace rtsim {

// A block of 0.6 m at a spacing of 0.1 m with nothing near.
inline std::string block_scene(int dim, const std::string& stage, double dt, bool falls) {
  const char* zero = dim == 2 ? "[0, 0]" : "[0, 0, 0]";
  return fmt::format(
      R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "water", "kind": "particles", "spacing": 0.1,
                  "fill": {{"box": {{"min": {}, "max": {}}}}}}}],
    "stages": [{{{}, "fluid": "water"}}], "output": []}})",
      dim,
      !falls     ? zero
      : dim == 2 ? "[0, -9.81]"
                 : "[0, -9.81, 0]",
      dt, zero, dim == 2 ? "[0.6, 0.6]" : "[0.6, 0.6, 0.6]", stage);
}

// A 2D column of 1 m at a spacing of 0.05 m that fills the width of its tank.
inline std::string column_scene(const std::string& stage, double dt) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05, "fill": {{"box": {{"min": [0, 0], "max": [1, 1]}}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [1, 2]}}, "inside": true}}}}],
    "stages": [{{{}, "fluid": "water", "boundary": ["tank"]}}], "output": []}})",
      dt, stage);
}

// One particle of spacing 0.02 m in a 3D tank of 0.4 m, above the weakest place of its floor:
// between four samples.
inline std::string spray_scene(const std::string& stage, double dt, const std::string& velocity) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.02, "velocity": {},
        "fill": {{"box": {{"min": [0.19, 0.1, 0.19], "max": [0.21, 0.12, 0.21]}}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0, 0], "max": [0.4, 1, 0.4]}}, "inside": true}}}}],
    "stages": [{{{}, "fluid": "water", "boundary": ["tank"]}}], "output": []}})",
      dt, velocity, stage);
}

template <class T>
void upload(Running& r, const char* column, const std::vector<T>& values) {
  Table& t = r.world().table("water");
  r.world().exec.upload(t.column<T>(column).data, values.data(), values.size() * sizeof(T));
}
template <class T>
std::vector<T> download(Running& r, const char* column) {
  return r.world().table("water").download<T>(column);
}

template <int D>
std::vector<Vec<D>> positions(Running& r) {
  return download<Vec<D>>(r, "position");
}
template <int D>
std::vector<Vec<D>> velocities(Running& r) {
  return download<Vec<D>>(r, "velocity");
}
template <int D>
void set(Running& r, const char* column, const std::vector<Vec<D>>& values) {
  upload(r, column, values);
  r.refresh();
}

// The block in two halves that run into each other; what that does to its momentum is round-off:
// 4 eps sqrt(N) max m|v| for each of `changes` of the velocities a step, roundings independent.
template <int D>
void check_that_halves_keep_momentum(const std::string& stage, int steps, double changes) {
  Running r(block_scene(D, stage, 0.004, false), Exec::cpu(2));
  auto v = velocities<D>(r);
  const auto x = positions<D>(r);
  for (std::size_t i = 0; i < x.size(); ++i)
    v[i][0] = x[i][0] < Real(0.3) ? Real(1) : Real(-1.5), v[i][1] = Real(0.25);
  set<D>(r, "velocity", v);
  const double before = r.measure("water.momentum.x"), energy = r.measure("water.kinetic_energy");
  const double n = double(x.size()), m = r.measure("water.mass") / n;
  r.advance(steps);
  constexpr double eps = double(std::numeric_limits<Real>::epsilon());
  CHECK(std::abs(r.measure("water.momentum.x") - before) <=
        4 * eps * std::sqrt(n) * m * 3 * std::sqrt(changes * steps));
  CHECK(r.measure("water.kinetic_energy") < 0.8 * energy);  // they did meet
}

template <int D>
double mean_height(Running& r) {
  double sum = 0;
  const auto all = positions<D>(r);
  for (const auto& x : all) sum += double(x[1]);
  return sum / double(all.size());
}

}  // namespace rtsim
