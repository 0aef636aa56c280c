#include <catch2/catch.hpp>
#include <cmath>

#include "support/mesh_scenes.h"
#include "support/sliding_points.h"
#include "support/source_folder.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

const char* corner_up = R"("box": {"min": [-0.2, -0.2, -0.2], "max": [0.2, 0.2, 0.2]},
  "transform": {"axis": [1, 0, -1], "angle": 54.7356103, "translate": [0.02, 0.15358984, 0.03]})";

// A coarse sheet falls onto a solid whose highest place is at about (0.02, 0.5, 0.03), inside one
// of its triangles.
std::string falling(const std::string& shape, const std::string& touch, int cells = 3) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.005, "steps_per_frame": 1, "frames": 10000}},
          "objects": [{{"name": "m", "kind": "mesh", "density": 0.3, "mesh": {{"sheet":
              {{"corner": [-0.5, 0.52, -0.5], "u": [1, 0, 0], "v": [0, 0, 1], "cells": [{0}, {0}]}}}}}},
            {{"name": "solid", "kind": "boundary", "shape": {{{1}}}}}],
          "stages": [{{"type": "xpbd", "mesh": "m", "boundary": ["solid"], "touch": "{2}",
                       "thickness": 0.01, "friction": 0.5, "substeps": 4, "damping": 1}}],
          "output": []}})",
      cells, shape, touch);
}

// How near the sheet's triangles come to a place, at least.
double clearance(Running& r, const Vec3d& to) {
  const auto x = places(r);
  double least = 1;
  for (const auto& t : corners_of<3>(r.world(), triangle_table("m"))) {
    const Vec3d p[3] = {x[std::size_t(t[0])], x[std::size_t(t[1])], x[std::size_t(t[2])]};
    least = std::min(least, norm(to - nearest_on_triangle(to, p).point));
  }
  return least;
}
double above(Running& r, double px, double pz) {
  const auto x = places(r);
  for (const auto& t : corners_of<3>(r.world(), triangle_table("m"))) {
    const Vec3d a = x[std::size_t(t[0])], u = x[std::size_t(t[1])] - a,
                v = x[std::size_t(t[2])] - a;
    const double area = u[0] * v[2] - u[2] * v[0], dx = px - a[0], dz = pz - a[2];
    const double s = (dx * v[2] - dz * v[0]) / area, w = (u[0] * dz - u[2] * dx) / area;
    if (s >= -1e-9 && w >= -1e-9 && s + w <= 1 + 1e-9) return a[1] + s * u[1] + w * v[1];
  }
  return -1;
}

}  // namespace

TEST_CASE("contact_faces: a box that stands on a corner does not poke through a coarse sheet") {
  const Vec3d corner{{0.02, 0.5, 0.03}};
  double lowest[2] = {1, 1}, nearest[2] = {1, 1}, at_rest = 0;
  for (const int faces : {0, 1}) {
    Running r(falling(corner_up, faces ? "faces" : "points"), Exec::cpu(1));
    for (int n = 0; n < 100; ++n) {
      r.advance(1);
      lowest[faces] = std::min(lowest[faces], above(r, corner[0], corner[2]) - corner[1]);
      nearest[faces] = std::min(nearest[faces], clearance(r, corner));
    }
    at_rest = clearance(r, corner);
  }
  CHECK(lowest[0] < -0.02);  // of points alone the corner sticks out
  CHECK(lowest[1] > 0);
  // Four averaged pushes a substep leave part of the thickness, 0.01, while it is hit at 0.6 m/s,
  // and less where it lies.
  CHECK(nearest[1] > 0.002);
  CHECK(at_rest > 0.006);
}

TEST_CASE("contact_faces: a thin pole between its points carries a sheet, and an edge a rope") {
  Running r(falling(R"("capsule": {"a": [0.02, 0.49, -1], "b": [0.02, 0.49, 1], "radius": 0.01})",
                    "faces", 4),
            Exec::cpu(1));
  for (int n = 0; n < 60; ++n) {
    r.advance(1);
    for (const double z : {-0.3, 0.03, 0.2}) CHECK(above(r, 0.02, z) > 0.5);
  }
}

TEST_CASE(
    "contact_faces: a rope of two points slides down an edge no faster than friction allows") {
  // Coulomb: a rod across an incline of 20 degrees stops where mu > tan 20 = 0.364.
  for (const double friction : {0.2, 0.5}) {
    const std::string text = fmt::format(
        R"({{"rtsim": 1, "dim": 3, "gravity": [3.3552, -9.2184, 0],
            "time": {{"dt": 0.005, "steps_per_frame": 1, "frames": 10000}},
            "objects": [{{"name": "mesh", "kind": "mesh", "vertex_mass": 1,
                "mesh": {{"line": {{"from": [0, 0.02, -1], "to": [0, 0.02, 1], "segments": 1}}}}}},
              {{"name": "rail", "kind": "boundary", "shape": {{"box":
                {{"min": [-1, -1, -0.3], "max": [9, 0.01, 0.3]}}}}}}],
            "stages": [{{"type": "points", "mesh": "mesh", "boundary": ["rail"], "touch": "faces",
                         "thickness": 0.01, "friction": {}}}]}})",
        friction);
    Running r(read_scene_text(text, "scene.json", source_folder(), {}, points_catalog()),
              Exec::cpu(1));
    r.advance(200);
    const auto x = positions(r);
    CHECK(0.5 * (x[0][1] + x[1][1]) == Approx(0.02).margin(0.002));
    const double way = 0.5 * (3.3552 - friction * 9.2184);  // in one second
    CHECK(0.5 * (x[0][0] + x[1][0]) == Approx(std::max(0.0, way)).margin(0.02));
  }
}

// Nothing that a plane does to what slides along it without friction is along the plane. A metre
// from the origin and a hundred: there float positions are rounded to 8e-6, more than 2e-4 of the
// thickness.
TEST_CASE("contact_faces: a sheet slides fast along a plane and keeps its speed") {
  const double thickness = 0.01, dt = 0.01, speed = 20 * thickness / dt;
  for (const double floor : {0., 100.})
    for (const double level : {0.8, 1., 1.01}) {
      INFO(floor << " " << level);
      const std::string text = fmt::format(
          R"({{"rtsim": 1, "dim": 3, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 10000}},
              "objects": [{{"name": "mesh", "kind": "mesh", "density": 0.3, "velocity": [{}, 0, 0],
                  "mesh": {{"sheet": {{"corner": [0, {}, 0], "u": [1, 0, 0], "v": [0, 0, 1],
                                       "cells": [3, 3]}}}}}},
                {{"name": "floor", "kind": "boundary",
                  "shape": {{"plane": {{"point": [0, {}, 0], "normal": [0, 1, 0]}}}}}}],
              "stages": [{{"type": "points", "mesh": "mesh", "boundary": ["floor"],
                           "touch": "faces", "thickness": {}, "friction": 0, "recovery": 0}}]}})",
          dt, speed, floor + level * thickness, floor, thickness);
      Running r(read_scene_text(text, "scene.json", source_folder(), {}, points_catalog()),
                Exec::cpu(1));
      const auto start = positions(r);
      r.advance(20);
      const auto end = positions(r);
      for (std::size_t i = 0; i < start.size(); ++i) {
        CHECK(end[i][0] - start[i][0] == Approx(20 * dt * speed).epsilon(1e-4));
        CHECK(end[i][1] > floor + 0.79 * thickness);
      }
    }
}
