#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

// A strip along x, of so many cells of a length, and its rows of points across.
struct Strip {
  std::string mesh;
  std::vector<std::vector<int>> rows;  // from the clamped one to the tip
  double step;                         // [m] between rows
};

Strip right_angled(int cells, double step, bool alternate) {
  constexpr int across = 16;
  Strip s{fmt::format(R"("sheet": {{"u": [{}, 0, 0], "v": [0, 0, {}], "cells": [{}, {}],
                                   "alternate": {}}})",
                      cells * step, across * step, cells, across, alternate),
          {},
          step};
  for (int i = 0; i <= cells; ++i) {
    s.rows.emplace_back();
    for (int j = 0; j <= across; ++j) s.rows.back().push_back(i + (cells + 1) * j);
  }
  return s;
}

// Sides of the triangles stand across the strip; its long rims are jagged.
Strip equilateral(int cells, int across) {
  const double step = 0.22 / cells;
  const double side = 2 * step / std::sqrt(3.0);
  Strip s{"", {}, step};
  std::string points, triangles;
  for (int i = 0; i <= cells; ++i) {
    s.rows.emplace_back();
    for (int j = 0; j <= across; ++j) {
      const int p = j + (across + 1) * i;
      s.rows.back().push_back(p);
      points += fmt::format("{}[{}, 0, {}]", p ? ", " : "", i * step, side * (j + 0.5 * (i % 2)));
      if (i == cells || j == across) continue;
      const int q = p + across + 1;
      triangles += fmt::format("{}{}, {}, {}, {}, {}, {}", p ? ", " : "", p, p + 1,
                               i % 2 ? q + 1 : q, i % 2 ? p : p + 1, q + 1, q);
    }
  }
  s.mesh = fmt::format(R"("nodes": {{"positions": [{}], "triangles": [{}]}})", points, triangles);
  return s;
}

// Right-angled, with points moved within the plane and diagonals thrown: no two triangles alike.
Strip uneven(int cells, double step) {
  constexpr int across = 16;
  Strip s{"", {}, step};
  std::string points, triangles;
  unsigned random = 1;
  const auto draw = [&] {
    return double((random = random * 1664525u + 1013904223u) >> 8) / 0x1p24;
  };
  for (int i = 0; i <= cells; ++i) {
    s.rows.emplace_back();
    for (int j = 0; j <= across; ++j) {
      const int p = j + (across + 1) * i, q = p + across + 1;
      s.rows.back().push_back(p);
      // The rows that the clamp and the chord are measured from stay straight.
      const double u = i < 2 || i == cells ? 0 : 0.2 * (2 * draw() - 1);
      const double v = j == 0 || j == across ? 0 : 0.2 * (2 * draw() - 1);
      points += fmt::format("{}[{}, 0, {}]", p ? ", " : "", step * (i + u), step * (j + v));
      if (i == cells || j == across) continue;
      const bool turned = draw() < 0.5;
      triangles += fmt::format("{}{}, {}, {}, {}, {}, {}", p ? ", " : "", p, p + 1,
                               turned ? q + 1 : q, turned ? p : p + 1, q + 1, q);
    }
  }
  s.mesh = fmt::format(R"("nodes": {{"positions": [{}], "triangles": [{}]}})", points, triangles);
  return s;
}

// Peirce's cantilever (ASTM D1388): held flat at one end, a strip of bending stiffness B, weighing
// w an area, overhangs by L so that the chord to its tip lies 41.5 degrees below the horizontal
// where w L^3 / B = 8.00420, by the exact elastica, and 45 degrees at 9.25381. This is w L^3 / B as
// the chord has it, by a straight line between the two.
double measured_ratio(const Strip& strip, const std::string& stage, double dt = 0.01,
                      int steps = 100) {
  // Held are two rows: the strip between them stays straight, and the first hinge bends for half of
  // it too, so that it is clamped in its middle.
  const double overhang = strip.step * (double(strip.rows.size()) - 1.5), density = 0.2;
  const double stiffness = density * g * overhang * overhang * overhang / 8.00420;
  std::string held;
  for (int i = 0; i < 2; ++i)
    for (const int p : strip.rows[std::size_t(i)])
      held += fmt::format("{}{}", held.empty() ? "" : ", ", p);
  MeshScene s{
      .mesh = strip.mesh,
      .weight = R"("density": 0.2)",
      .stages = hold(fmt::format(R"("points": [{}])", held)) +
                fmt::format(R"(, {{"mesh": "m", "bending_stiffness": {}, {}}})", stiffness, stage),
      .dt = dt};
  Running r(s.text(), Exec::cpu(1));
  r.advance(steps);
  const auto x = places(r);
  Vec3d tip;
  for (const int p : strip.rows.back())
    tip = tip + (1 / double(strip.rows.back().size())) * x[std::size_t(p)];
  const double chord = std::atan2(-tip[1], tip[0] - 0.5 * strip.step) * 180 / 3.14159265358979;
  return 8.00420 + (chord - 41.5) * (9.25381 - 8.00420) / 3.5;
}

std::string xpbd(const char* model) {
  return fmt::format(
      R"("type": "xpbd", "bending": "{}", "damping": 15, "substeps": 10, "iterations": 10)", model);
}

// Long steps come to rest in a few tens.
double implicit_ratio(const Strip& strip) {
  return measured_ratio(strip, R"("type": "cloth_implicit", "stretch_stiffness": 5000,
                                 "shear_stiffness": 2500, "drag": 10, "newton_iterations": 4)",
                        0.05, 60);
}

// Springs for what bending leaves to do: with flexion springs too it would be stiffer.
double springs_ratio(const Strip& strip, const char* more, double dt, int steps) {
  return measured_ratio(
      strip, fmt::format(R"("type": "mass_spring", "stiffness": 1000, "drag": 10, {})", more), dt,
      steps);
}
double implicit_springs_ratio(const Strip& strip) {
  return springs_ratio(strip, R"("newton_iterations": 4)", 0.05, 60);
}

}  // namespace

// Strips are some twice as wide as long.
TEST_CASE("peirce: a cantilever overhangs as its stiffness says", "[long]") {
  for (const char* model : {"isometric", "dihedral"}) {
    CHECK(measured_ratio(equilateral(8, 14), xpbd(model)) == Approx(8.00420).epsilon(0.02));
    for (const bool alternate : {false, true})
      CHECK(measured_ratio(right_angled(8, 0.02, alternate), xpbd(model)) ==
            Approx(8.00420).epsilon(0.02));
    CHECK(measured_ratio(uneven(8, 0.02), xpbd(model)) == Approx(8.00420).epsilon(0.02));
  }
}

TEST_CASE("peirce: so it does on finer meshes", "[slow]") {
  for (const char* model : {"isometric", "dihedral"}) {
    CHECK(measured_ratio(equilateral(11, 16), xpbd(model)) == Approx(8.00420).epsilon(0.02));
    CHECK(measured_ratio(equilateral(15, 24), xpbd(model)) == Approx(8.00420).epsilon(0.02));
    for (const bool alternate : {false, true})
      CHECK(measured_ratio(right_angled(11, 0.02, alternate), xpbd(model)) ==
            Approx(8.00420).epsilon(0.02));
    CHECK(measured_ratio(uneven(11, 0.02), xpbd(model)) == Approx(8.00420).epsilon(0.02));
  }
}

TEST_CASE("peirce: implicit cloth overhangs as its stiffness says") {
  for (const Strip& strip : {equilateral(8, 14), right_angled(8, 0.02, false),
                             right_angled(8, 0.02, true), uneven(8, 0.02)})
    CHECK(implicit_ratio(strip) == Approx(8.00420).epsilon(0.02));
}

TEST_CASE("peirce: so does implicit cloth on finer meshes", "[slow]") {
  for (const Strip& strip :
       {equilateral(11, 16), equilateral(15, 24), right_angled(11, 0.02, false),
        right_angled(11, 0.02, true), uneven(11, 0.02)})
    CHECK(implicit_ratio(strip) == Approx(8.00420).epsilon(0.02));
}

TEST_CASE("peirce: so do springs with a bending stiffness") {
  for (const Strip& strip : {equilateral(8, 14), right_angled(8, 0.02, false),
                             right_angled(8, 0.02, true), uneven(8, 0.02)})
    CHECK(implicit_springs_ratio(strip) == Approx(8.00420).epsilon(0.02));
}

TEST_CASE("peirce: and in explicit steps") {
  CHECK(springs_ratio(right_angled(8, 0.02, false),
                      R"("integrator": "symplectic_euler", "substeps": 100)", 0.01,
                      100) == Approx(8.00420).epsilon(0.02));
}

TEST_CASE("peirce: so do springs on finer meshes", "[slow]") {
  for (const Strip& strip :
       {equilateral(11, 16), equilateral(15, 24), right_angled(11, 0.02, false),
        right_angled(11, 0.02, true), uneven(11, 0.02)})
    CHECK(implicit_springs_ratio(strip) == Approx(8.00420).epsilon(0.02));
}
