#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "support/running.h"

using namespace rtsim;

namespace {

std::vector<Vec3d> column(Running& r, const std::string& mesh, const char* name) {
  std::vector<Vec3d> all;
  for (const auto& v : r.world().table(mesh).download<Vec<3>>(name)) all.push_back(widen(v));
  return all;
}

// A driver whose every point is held by one handle, and a skin.
std::string scene(const std::string& driver, const std::string& skin,
                  const std::string& more = "") {
  return fmt::format(R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.1, "frames": 100}},
    "objects": [{{"name": "m", "kind": "mesh", "vertex_mass": 1, "mesh": {{{}}}}},
                {{"name": "s", "kind": "mesh", "vertex_mass": 1, "mesh": {{{}}}}}],
    "stages": [{{"type": "attach", "mesh": "m", "inside": {{"sphere": {{"centre": [0, 0, 0], "radius": 99}}}},
                 "motion": {{"velocity": [1, 2, 3], "spin_axis": [1, 1, 0], "spin": 4}}}},
               {{"type": "verlet", "mesh": "m"}},
               {{"type": "skin", "mesh": "m", "skin": "s"}}{}]}})",
                     driver, skin, more);
}

// Distances between points, which a rigid motion keeps.
double worst_change(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      worst = std::max(worst, std::abs(norm(a[i] - a[j]) - norm(b[i] - b[j])));
  return worst;
}

}  // namespace

TEST_CASE("skin: it starts where it is, and moves rigidly with a rigid mesh, inside and outside") {
  const char* skin =
      R"("block": {"min": [-0.3, 0.1, 0.1], "max": [1.4, 0.9, 0.8], "cells": [3, 2, 2]})";
  for (const char* driver : {R"("block": {"min": [0, 0, 0], "max": [1, 1, 1], "cells": [2, 3, 2]})",
                             R"("sheet": {"u": [1, 0, 0], "v": [0, 1, 0], "cells": [4, 5]})"}) {
    Running r(scene(driver, skin), Exec::cpu(1));
    const auto start = column(r, "s", "position"), mesh = column(r, "m", "position");
    r.advance(5);
    const auto now = column(r, "s", "position");
    CHECK(worst_change(mesh, column(r, "m", "position")) < 1e-5);
    CHECK(worst_change(start, now) < 1e-5);
    CHECK(norm(now[0] - start[0]) > 1);
    // It keeps its place relative to the mesh, too.
    CHECK(norm(now[0] - column(r, "m", "position")[0]) ==
          Approx(norm(start[0] - mesh[0])).margin(1e-5));
  }
}

TEST_CASE("mesh_shape: normals turn with a sheet, and strains are those of its edges") {
  Running r(scene(R"("sheet": {"u": [1, 0, 0], "v": [0, 1, 0], "cells": [2, 2]})",
                  R"("line": {"from": [0, 0, 0], "to": [1, 0, 0]})",
                  R"(, {"type": "mesh_shape", "mesh": "m"})"),
            Exec::cpu(1));
  r.sim.pipeline.back().stage->before_frame(r.world());
  for (const Vec3d& n : column(r, "m", "normal")) CHECK(norm(n - Vec3d{{0, 0, 1}}) < 1e-6);
  auto x = r.world().table("m").download<Vec<3>>("position");
  for (auto& p : x)
    p = {{p[0] * Real(1.5), p[2], p[1]}};  // turned by 90 degrees, drawn out along x
  r.world().exec.upload(r.world().table("m").column<Vec<3>>("position").data, x.data(),
                        x.size() * sizeof x[0]);
  r.sim.pipeline.back().stage->before_frame(r.world());
  for (const Vec3d& n : column(r, "m", "normal")) CHECK(norm(n - Vec3d{{0, -1, 0}}) < 1e-6);
  for (const Real s : r.world().table("m").download<Real>("strain")) CHECK(s == Approx(0.5));
}
