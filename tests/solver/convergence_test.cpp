#include "deformables/convergence.h"

#include "support/mesh_scenes.h"

// Position-based solvers that say themselves where they do not come to what they were given.
using namespace rtsim;
using namespace rtsim::testing;

namespace {

std::string warned(Running& r) { return r.sim.pipeline.back().stage->warning(r.world()); }

// A strip that is clamped halfway between its first two rows and sags by its weight, by a fiftieth
// of its length: rho g L^4 / (8 B).
struct Sagging {
  double length, width, bending, density;
  int along, across, substeps, iterations;
  double step;  // over L^2 sqrt(rho / B)

  double time() const { return length * length * std::sqrt(density / bending); }
  double sag() const { return 0.02 * length; }
  std::string text() const {
    const double h = length / (along - 0.5),
                 g = sag() * 8 * bending / (density * std::pow(length, 4));
    std::string clamped;
    for (int j = 0; j <= across; ++j)
      clamped += fmt::format("{}{}, {}", j ? ", " : "", j * (along + 1), j * (along + 1) + 1);
    return MeshScene{
        fmt::format(
            R"("sheet": {{"corner": [{}, 0, 0], "u": [{}, 0, 0], "v": [0, 0, {}], "cells": [{}, {}]}})",
            -0.5 * h, length + 0.5 * h, width, along, across),
        fmt::format(R"("density": {})", density),
        hold(fmt::format(R"("points": [{}])", clamped)) +
            fmt::format(R"(, {{"type": "xpbd", "mesh": "m", "bending_stiffness": {},
                "damping": {}, "substeps": {}, "iterations": {}}})",
                        bending, 2.1 / time(), substeps, iterations),
        step * time(), fmt::format("[0, {}, 0]", -g)}
        .text();
  }
  // Over what it should be.
  double sagged(Running& r) const {
    r.advance(int(11 / step));
    double sum = 0;
    for (int j = 0; j <= across; ++j) sum -= places(r)[std::size_t(j * (along + 1) + along)][1];
    return sum / ((across + 1) * sag());
  }
};

double told_stiffness(const std::string& text) {
  const std::string before = "were some ";
  return std::stod(text.substr(text.find(before) + before.size()));
}

}  // namespace

// The theory is of smooth loads amid a mesh; at clamps and rims it is off by some of what is
// missing.
TEST_CASE("convergence: xpbd says how much softer than its stiffness a strip bends") {
  for (const Sagging& s : {Sagging{1, 0.1, 0.01, 0.002, 21, 2, 10, 1, 0.014},
                           Sagging{1, 0.1, 0.01, 0.002, 21, 2, 20, 1, 0.014},
                           Sagging{0.37, 0.11, 2.3e-4, 0.21, 13, 4, 6, 1, 0.023},
                           Sagging{0.37, 0.11, 2.3e-4, 0.21, 13, 4, 9, 1, 0.023},
                           Sagging{2.9, 0.23, 0.7, 0.13, 21, 2, 20, 2, 0.03}}) {
    INFO(s.length << " m, " << s.substeps << " substeps, " << s.iterations << " iterations");
    Running r(s.text(), Exec::cpu(2));
    const double sagged = s.sagged(r);
    const double told = s.bending / told_stiffness(warned(r));
    CHECK(sagged > 1.1);
    CHECK(told - 1 == Approx(sagged - 1).epsilon(0.4));
  }
}

namespace {

// Of a rope of 20 edges that bears itself.
Running hanging(const std::string& more, const std::string& gravity = "[0, -9.81, 0]",
                const std::string& start = "[0, 0, 0]", const std::string& end = "[0, -1, 0]") {
  return Running(
      MeshScene{line(start, end, 20), R"("density": 0.1)",
                hold(R"("points": [0])") +
                    fmt::format(R"(, {{"type": "xpbd", "mesh": "m", "damping": 5{}}})", more),
                0.01, gravity}
          .text(),
      Exec::cpu(1));
}

}  // namespace

TEST_CASE("convergence: xpbd says where edges do not keep their lengths, and what would mend it") {
  Running slack = hanging(R"(, "substeps": 2)");
  slack.advance(200);
  const std::string text = warned(slack);
  REQUIRE(text.find("are to keep their lengths") != std::string::npos);
  const std::string before = "some \"substeps\": ";
  const int enough = std::stoi(text.substr(text.find(before) + before.size()));
  CHECK(enough > 1);
  Running tight = hanging(fmt::format(R"(, "substeps": {})", enough));
  tight.advance(200);
  CHECK(tight.measure("m.strain_residual") == Approx(0.02).epsilon(0.3));
  Running tighter = hanging(fmt::format(R"(, "substeps": {})", 2 * enough));
  tighter.advance(200);
  CHECK(warned(tighter).empty());
}

TEST_CASE("convergence: one weight on one spring has all of its compliance, and nothing is said") {
  Running r(MeshScene{line("[0, 0, 0]", "[0, -1, 0]", 1), R"("vertex_mass": 1)",
                      hold(R"("points": [0])") +
                          R"(, {"type": "xpbd", "mesh": "m", "stretch_compliance": 1e-3})"}
                .text(),
            Exec::cpu(1));
  r.advance(10);
  CHECK(warned(r).empty());
}

// h^2 g = 1e-3 m / n^2 against eps |x|, of a rope so far out that 16 substeps are the most.
TEST_CASE("convergence: xpbd says where a substep is lost in the last digit of positions") {
  const double far = 0.01 * 0.01 * 9.81 / (eps * 16 * 16);
  for (const auto& [substeps, told] : {std::pair{15, false}, {18, true}}) {
    Running r = hanging(fmt::format(R"(, "stretch_compliance": 1e-9, "substeps": {})", substeps),
                        "[0, -9.81, 0]", fmt::format("[0, {:.17g}, 0]", 1 - far),
                        fmt::format("[0, {:.17g}, 0]", -far));
    r.advance(1);
    CHECK((warned(r).find("rounding decides") != std::string::npos) == told);
  }
}
