#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

std::string xpbd(const std::string& more) {
  return R"(, {"type": "xpbd", "mesh": "m")" + (more.empty() ? "" : ", " + more) + "}";
}

// 1 kg on a spring of 1000 N/m, below a held point.
MeshScene bob(const std::string& more) {
  return {.mesh = line("[0, 0, 0]", "[0, -1, 0]", 1),
          .weight = R"("vertex_mass": 1)",
          .stages = hold(R"("points": [0])") + xpbd(R"("stretch_compliance": 1e-3, )" + more)};
}

}  // namespace

TEST_CASE("xpbd: a weight hangs as its compliance says, for any substeps and iterations") {
  for (const auto& [substeps, iterations] : {std::pair{1, 1}, {1, 7}, {10, 1}, {20, 5}}) {
    INFO(substeps << " substeps, " << iterations << " iterations");
    Running r(
        bob(fmt::format(R"("damping": 8, "substeps": {}, "iterations": {})", substeps, iterations))
            .text(),
        Exec::cpu(1));
    r.advance(200);
    CHECK(-1 - places(r)[1][1] == Approx(1 * g / 1000).epsilon(0.01));
  }
}

TEST_CASE("xpbd: a weight swings with sqrt(k/m), at second order in the step") {
  // One constraint is implicit Euler: omega' = atan(omega h) / h = omega (1 - (omega h)^2 / 3 ...).
  const double omega = std::sqrt(1000.0);
  double error[2];
  for (int fine = 0; fine < 2; ++fine) {
    MeshScene s = bob(R"("substeps": 1)");
    s.gravity = "[0, 0, 0]", s.weight += R"(, "velocity": [0, 1, 0])";
    s.dt = (fine ? 0.05 : 0.1) / omega;
    Running r(s.text(), Exec::cpu(1));
    std::vector<double> crossings;
    double before = 0;
    while (crossings.size() < 9) {
      r.advance(1);
      const double x = places(r)[1][1] + 1;
      if (before * x < 0) crossings.push_back(r.time() - r.dt() * x / (x - before));
      before = x;
    }
    const double measured = 8 * 3.14159265358979 / (crossings.back() - crossings.front());
    error[fine] = 1 - measured / omega;
  }
  CHECK(error[0] == Approx(0.01 / 3).epsilon(0.03));
  CHECK(error[0] / error[1] == Approx(4).epsilon(0.05));
}

TEST_CASE("xpbd: a chain hangs by (m g / k) N (N + 1) / 2, by either order of projection") {
  const int n = 8;
  for (const char* order : {"gauss_seidel", "jacobi"}) {
    INFO(order);
    // w h^2 k = 0.02: ten iterations solve a substep, also the averaged ones, which go half as far.
    MeshScene s{.mesh = line("[0, 0, 0]", "[0, -1, 0]", n),
                .weight = R"("vertex_mass": 0.1)",
                .stages = hold(R"("points": [0])") +
                          xpbd(fmt::format(R"("stretch_compliance": 1e-3, "damping": 6,
                            "order": "{}", "substeps": 10, "iterations": 10)",
                                           order))};
    Running r(s.text(), Exec::cpu(1));
    r.advance(300);
    CHECK(-1 - places(r)[n][1] == Approx(0.1 * g / 1000 * n * (n + 1) / 2).epsilon(0.01));
  }
}

TEST_CASE("xpbd: a hanging sheet stretches as the chains that it consists of") {
  // Under its own weight the horizontal edges and diagonals of a sheet whose sides are free carry
  // nothing: n points of mass m under each other on springs k.
  const int n = 6;
  MeshScene s{.mesh = sheet(1, n, false) + R"(, "transform": {"axis": [1, 0, 0], "angle": 90})",
              .weight = R"("vertex_mass": 0.02)",
              .stages = hold(R"("points": [0, 1, 2, 3, 4, 5, 6])") +
                        xpbd(R"("stretch_compliance": 2e-3, "damping": 6, "substeps": 10,
                                "iterations": 3)")};
  Running r(s.text(), Exec::cpu(1));
  r.advance(400);
  const double expected = 0.02 * g * 2e-3 * n * (n + 1) / 2;
  double sum = 0;
  for (int i = 0; i <= n; ++i) sum += -1 - places(r)[std::size_t(n * (n + 1) + i)][1];
  CHECK(sum / (n + 1) == Approx(expected).epsilon(0.02));  // held tops keep their distances
}

TEST_CASE("xpbd: tets keep their volume while soft edges let a block sink") {
  MeshScene s{.mesh = R"("block": {"min": [0, 0, 0], "max": [0.2, 0.2, 0.2], "cells": [2, 2, 2]})",
              .weight = R"("density": 1000)",
              .stages = hold(R"("inside": {"box": {"min": [-1, -1, -1], "max": [1, 0, 1]}})") +
                        xpbd(R"("stretch_compliance": 1e-5, "compressibility": 0, "damping": 4,
                                "substeps": 20)")};
  Running r(s.text(), Exec::cpu(1));
  r.advance(100);
  CHECK(r.measure("m.volume") == Approx(0.008).epsilon(1e-3));
  CHECK(places(r).back()[1] < 0.2);  // it has sunk
}

TEST_CASE("xpbd: bodies shaped for CPU and device give the same bytes") {
  for (const char* mesh : {R"("sheet": {"u": [1, 0, 0], "v": [0, 0, 1], "cells": [21, 17]})",
                           R"("block": {"min": [0, 0, 0], "max": [1, 1, 1], "cells": [5, 4, 6]})"})
    for (int iterations : {1, 3}) {
      const bool flat = mesh[1] == 's';
      MeshScene s{
          .mesh = mesh,
          .stages = hold(R"("points": [0, 3])") +
                    xpbd(fmt::format(R"("stretch_compliance": 1e-4, "compressibility": 1e-4,
                              "iterations": {}{})",
                                     iterations, flat ? R"(, "bending_stiffness": 1e-2)" : ""))};
      Running a(s.text(), Exec::cpu(2)), b(s.text(), Exec::cpu(2).device_shaped());
      a.advance(5), b.advance(5);
      CHECK(a.world().state_hash() == b.world().state_hash());
    }
}
