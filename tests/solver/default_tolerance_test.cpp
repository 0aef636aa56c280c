#include "support/mesh_scenes.h"

// Implicit solvers with the tolerances that they have by themselves, on problems where a small
// residual says little of the error: soft modes of bending beside stiff ones of stretch.
using namespace rtsim;
using namespace rtsim::testing;

namespace {

struct SolverOf {
  const char* solver;  // with the keys that make k of it
  double stretch;      // k L^2 / B
};

// A strip of length L, clamped halfway between its first two rows, that bears P at its end with
// P L^2 / (B w) = 3. Times are in units of T = L^2 sqrt(rho / B), about that of its slowest
// oscillation.
struct Strip {
  double length, width, bending, density;
  int along, across;
  double step;  // over T

  double time() const { return length * length * std::sqrt(density / bending); }
  double spacing() const { return length / (along - 0.5); }
  std::string mesh() const {
    const double h = spacing();
    return fmt::format(
        R"("sheet": {{"corner": [{}, 0, 0], "u": [{}, 0, 0], "v": [0, 0, {}], "cells": [{}, {}]}})",
        -0.5 * h, length + 0.5 * h, width, along, across);
  }
  std::string clamp() const {
    const double h = spacing(), far = 10 * (length + width);
    return fmt::format(
        R"({{"type": "attach", "name": "clamp", "mesh": "m", "inside": {{"box":
             {{"min": [{}, {}, {}], "max": [{}, {}, {}]}}}}}})",
        -far, -far, -far, 0.6 * h, far, far);
  }
  // Of springs so soft that what they pull with does not depend on where the strip is.
  std::string load() const {
    const double force = 3 * bending * width / (length * length), far = 1e4 * length;
    std::string ends;
    for (int j = 0; j <= across; ++j)
      ends += fmt::format("{}[{}, 0, {}]", j ? ", " : "", length, width * j / across);
    return fmt::format(
        R"({{"type": "attach", "name": "load", "mesh": "m", "nearest": [{}], "stiffness": {},
             "motion": {{"keyframes": [{{"time": 0, "translate": [0, 0, 0]}},
                                     {{"time": {}, "translate": [0, {}, 0]}}]}}}})",
        ends, force / far / (across + 1), 0.7 * time(), -far);
  }

  // Of the end's middle, at rest: down, and along, over L.
  Vec3d bent(const SolverOf& m) const {
    const double k = m.stretch * bending / (length * length);
    const std::string solver =
        fmt::format(fmt::runtime(m.solver), fmt::arg("k", k), fmt::arg("half", 0.5 * k));
    MeshScene s{mesh(), fmt::format(R"("density": {})", density),
                clamp() + ", " + load() +
                    fmt::format(R"(, {{"mesh": "m", "bending_stiffness": {}, "drag": {}, {}}})",
                                bending, 2.1 / time(), solver),
                step * time(), "[0, 0, 0]"};
    Running r(s.text(), Exec::cpu(2));
    r.advance(int(11 / step));
    Vec3d sum{};
    const std::vector<Vec3d> x = places(r);
    for (int j = 0; j <= across; ++j) sum = sum + x[std::size_t(along + j * (along + 1))];
    return (1 / (length * (across + 1))) * sum;
  }
};

const char* const cloth =
    R"("type": "cloth_implicit", "stretch_stiffness": {k}, "shear_stiffness": {half})";
const char* const springs = R"("type": "mass_spring", "stiffness": {k})";

}  // namespace

// K. Mattiasson, "Numerical results from large deflection beam and frame problems analysed by means
// of elliptic integrals", International Journal for Numerical Methods in Engineering 1981, table 1:
// w/L = 0.60325 and u/L = 0.25442 at P L^2 / (E I) = 3. With k L^2 / B of some 1e6 the rounding of
// positions in single precision pulls as hard as the load, k L eps / spacing.
TEST_CASE("default tolerances: a strip under a load at its end bends as the elastica", "[long]") {
  for (const Strip& s :
       {Strip{1, 0.1, 0.01, 0.0051, 21, 2, 0.014}, Strip{1, 0.1, 0.01, 0.0051, 21, 2, 0.047},
        Strip{1, 0.1, 0.01, 0.0051, 21, 2, 0.061}, Strip{0.37, 0.11, 2.3e-5, 0.21, 17, 4, 0.031},
        Strip{2.9, 0.17, 1.7, 0.013, 31, 1, 0.023}})
    for (const SolverOf& m : {SolverOf{cloth, 1e5}, SolverOf{cloth, 2.3e5}, SolverOf{springs, 1e5},
                              SolverOf{springs, 1.7e5}}) {
      INFO(m.solver << ", k " << m.stretch << ", L " << s.length << ", step " << s.step);
      const Vec3d end = s.bent(m);
      CHECK(-end[1] == Approx(0.60325).epsilon(0.02));
      CHECK(end[0] == Approx(1 - 0.25442).epsilon(0.02));
    }
}

namespace {

// A square that is clamped halfway between its two outer rows on all sides, n between those.
struct Plate {
  double side, bending, density;
  int n;
  double step;  // over the angle of its slowest oscillation

  // Taylor & Govindjee, "Solution of clamped rectangular plate problems", Communications in
  // Numerical Methods in Engineering 2004: 0.00126532 q a^4 / D. Here 0.0003 a, where it is no
  // membrane yet.
  double sag() const { return 0.0003 * side; }
  double load() const { return sag() * bending / (0.00126532 * std::pow(side, 4)); }

  double sagged(const SolverOf& m) const {
    const double h = side / n, far = 10 * side;
    const double omega = 35.985 * std::sqrt(bending / density) / (side * side);
    const double k = m.stretch * bending / (side * side);
    const std::string solver =
        fmt::format(fmt::runtime(m.solver), fmt::arg("k", k), fmt::arg("half", 0.5 * k));
    MeshScene s{
        fmt::format(R"("sheet": {{"corner": [{0}, 0, {0}], "u": [{1}, 0, 0], "v": [0, 0, {1}],
                        "cells": [{2}, {2}]}})",
                    -0.5 * h, side + h, n + 1),
        fmt::format(R"("density": {})", density),
        fmt::format(R"({{"type": "attach", "name": "clamp", "mesh": "m", "inside": {{"inside": true,
            "box": {{"min": [{0}, {1}, {0}], "max": [{2}, {3}, {2}]}}}}}},
            {{"mesh": "m", "bending_stiffness": {4}, "drag": {5}, {6}}})",
                    0.51 * h, -far, side - 0.51 * h, far, bending, 2 * omega, solver),
        step / omega, fmt::format("[0, {}, 0]", -load() / density)};
    Running r(s.text(), Exec::cpu(2));
    r.advance(int(12 / step));
    return -places(r)[std::size_t((n + 1) / 2 * (n + 2) + (n + 1) / 2)][1];
  }
};

}  // namespace

// Of second order in the spacing: 1.9 % at 13 cells, 0.75 % at 21.
TEST_CASE("default tolerances: a clamped plate sags as the series has it") {
  for (const Plate& p : {Plate{1, 0.01, 0.2, 15, 0.1}, Plate{0.37, 2e-4, 0.13, 17, 0.23},
                         Plate{2.3, 0.07, 0.31, 21, 0.041}})
    for (const SolverOf& m : {SolverOf{cloth, 1e4}, SolverOf{springs, 3.7e4}}) {
      INFO(m.solver << ", side " << p.side << ", step " << p.step);
      CHECK(p.sagged(m) == Approx(p.sag()).epsilon(0.02));
    }
}
