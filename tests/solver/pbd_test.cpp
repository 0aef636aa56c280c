#include "support/mesh_scenes.h"
#include "support/source_folder.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

std::string pbd(const std::string& more, const std::string& type = "pbd") {
  return R"({"type": ")" + type + R"(", "mesh": "m")" + (more.empty() ? "" : ", " + more) + "}";
}

const std::string weightless = "[0, 0, 0]";

}  // namespace

TEST_CASE("pbd: 50 substeps lose no gravity on a fall of 100 m") {
  for (const char* type : {"pbd", "xpbd"}) {
    MeshScene s{.mesh = line("[0, 100, 0]", "[0.1, 100, 0]", 1),
                .stages = pbd(R"("substeps": 50)", type),
                .dt = 1 / 60.0};
    Running r(s.text(), Exec::cpu(1));
    r.advance(270);
    const double t = r.time(), h = r.dt() / 50;
    CHECK(100 - places(r)[0][1] == Approx(0.5 * g * t * (t + h)).epsilon(1e-3));
  }
}

TEST_CASE("pbd: a single constraint takes its share for any iterations") {
  for (const double k : {0.25, 0.5, 0.9}) {
    for (int iterations : {1, 3, 20}) {
      // In the first step the handle pulls the edge 10 cm longer than it was.
      MeshScene s{
          .mesh = line("[0, 0, 0]", "[1, 0, 0]", 1),
          .stages = hold(R"("points": [0])", R"(, "motion": {"velocity": [-10, 0, 0]})") + ", " +
                    pbd(fmt::format(R"("stretch_stiffness": {}, "iterations": {})", k, iterations)),
          .gravity = weightless};
      Running r(s.text(), Exec::cpu(1));
      r.advance(1);
      CHECK(places(r)[1][0] - 1 == Approx(-0.1 * k).margin(20 * eps));
    }
  }
}

TEST_CASE("pbd: held points move on straight lines and end where they are to be") {
  MeshScene s{.mesh = line("[0, 0, 0]", "[1, 0, 0]", 4),
              .stages = hold(R"("points": [0, 1, 2, 3, 4])",
                             R"(, "motion": {"velocity": [1, 2, 3]}, "end": 0.095)") +
                        ", " + pbd(R"("substeps": 7)")};
  Running r(s.text(), Exec::cpu(1));
  r.advance(10);
  CHECK(norm(places(r)[4] - Vec3d{{1.1, 0.2, 0.3}}) < 4 * eps);
  CHECK(norm(places(r, "velocity")[4] - Vec3d{{1, 2, 3}}) < 1e-4);
  r.advance(1);  // thrown
  CHECK(places(r, "velocity")[4][1] == Approx(2 - 0.01 * g).margin(1e-3));
}

TEST_CASE("pbd: free meshes keep their momentum, and the angular one to first order in the step") {
  struct Case {
    const char *mesh, *stage;
  };
  const char* cloth = R"("sheet": {"u": [1, 0, 0], "v": [0, 0, 1], "cells": [6, 7]})";
  const char* solid = R"("block": {"min": [0, 0, 0], "max": [1, 1, 1], "cells": [3, 3, 2]})";
  for (const auto& [mesh, stage] :
       {Case{cloth, R"("bending_stiffness": 0.3)"}, Case{solid, R"("volume_stiffness": 0.7)"},
        Case{cloth, R"("bending_stiffness": 0.3, "bending": "dihedral")"},
        Case{cloth, R"("bending_stiffness": 0.3, "order": "jacobi")"},
        Case{solid, R"("order": "jacobi")"}}) {
    INFO(mesh << stage);
    MeshScene s{.mesh = mesh,
                .stages = hold(R"("points": [0, 5])",
                               R"(, "motion": {"velocity": [0, 2, 0], "spin_axis": [1, 1, 0],
                                    "spin": 4}, "end": 0.195)") +
                          ", " + pbd(stage),
                .gravity = weightless};
    Running r(s.text(), Exec::cpu(2));
    r.advance(20);
    const Motion before = motion(r);
    r.advance(20);
    const Motion after = motion(r);
    const double n = std::sqrt(double(places(r).size()));
    // A position rounds by eps of its size, and so a velocity by that over h, in 5 to 10
    // constraints of ten iterations and twenty steps at random.
    const double rounding = eps / r.dt() * std::sqrt(20.0 * 10 * 10) * 2;
    CHECK(norm(after.momentum - before.momentum) < rounding * before.scale / n + 1e-4);
    CHECK(norm(after.momentum - before.momentum) < 2e-3 * before.scale);
    // Corrections are free of moment about where they act, not about where the substep began.
    CHECK(norm(after.moment - before.moment) < 2e-2 * (before.scale + norm(before.moment)));
  }
}

TEST_CASE("pbd: an inextensible chain hangs in a catenary") {
  // sinh(d / 2a) = S / 2a: with S/d = 1.5 the sag is 0.5026333 d.
  const int n = 40;
  const double bottom = -std::sqrt(0.75 * 0.75 - 0.25);
  std::string points, edges;
  for (int i = 0; i <= n; ++i) {
    const double along = double(i) / n;
    points +=
        fmt::format("{}[{}, {}, 0]", i ? ", " : "", along, bottom * (1 - std::abs(2 * along - 1)));
    if (i) edges += fmt::format("{}{}, {}", i > 1 ? ", " : "", i - 1, i);
  }
  MeshScene s{
      .mesh = fmt::format(R"("nodes": {{"positions": [{}], "edges": [{}]}})", points, edges),
      .stages = hold(fmt::format(R"("points": [0, {}])", n)) + ", " +
                pbd(R"("substeps": 50, "iterations": 1, "damping": 3)")};
  Running r(s.text(), Exec::cpu(1));
  r.advance(400);
  double low = 0;
  for (const Vec3d& x : places(r)) low = std::min(low, x[1]);
  CHECK(-low == Approx(0.5026333).epsilon(0.005));
}

TEST_CASE("pbd: tethers keep a rope as long as it is where iterations do not") {
  double length[2];
  for (int tethers : {0, 1}) {
    MeshScene s{
        .mesh = line("[0, 0, 0]", "[0, -1, 0]", 50),
        .stages = hold(R"("points": [0])") + ", " +
                  pbd(fmt::format(R"("iterations": 2, "tethers": {}, "damping": 2)", tethers))};
    Running r(s.text(), Exec::cpu(1));
    r.advance(200);
    length[tethers] = norm(places(r)[50] - places(r)[0]);
  }
  CHECK(length[0] > 1.05);
  CHECK(length[1] < 1 + 10 * eps);
}

TEST_CASE("pbd: a balloon takes on the volume that its pressure asks for") {
  MeshScene s{.mesh = R"("surface": {"file": "configs/smoke/ball.obj"})",
              .stages = pbd(R"("pressure": 1.3, "stretch_stiffness": 0.1, "iterations": 20)"),
              .gravity = weightless};
  Running still(read_scene_text(
                    [&] {
                      auto t = s;
                      t.stages = pbd(R"("pressure": 1)");
                      return t.text();
                    }(),
                    "scene.json", source_folder(), {}, stage_catalog()),
                Exec::cpu(1));
  const double rest = still.measure("m.volume");
  still.advance(5);
  CHECK(still.measure("m.volume") == Approx(rest).epsilon(1e-5));
  Running r(read_scene_text(s.text(), "scene.json", source_folder(), {}, stage_catalog()),
            Exec::cpu(1));
  r.advance(5);
  CHECK(r.measure("m.volume") == Approx(1.3 * rest).epsilon(1e-4));
  const Motion m = motion(r);
  CHECK(norm(m.momentum) < 1e-3 * m.scale);
}

TEST_CASE("pbd: meshes that cannot do what is asked for are refused with the way out") {
  const auto refused = [](const MeshScene& s, const char* what) {
    CHECK_THROWS_WITH(Running(s.text(), Exec::cpu(1)), Catch::Contains(what));
  };
  refused({.mesh = line("[0, 0, 0]", "[1, 0, 0]", 2), .stages = pbd(R"("bending_stiffness": 0.1)")},
          "leave \"bending_stiffness\" at 0");
  refused({.mesh = sheet(1, 2), .stages = pbd(R"("pressure": 2)")}, "close its holes");
}

TEST_CASE("pbd: flattened, collapsed and inverted meshes stay finite") {
  for (const char* stage :
       {R"("type": "pbd", "bending_stiffness": 1, "bending": "dihedral")",
        R"("type": "pbd", "bending_stiffness": 1)", R"("type": "xpbd", "bending_stiffness": 1e4)"})
    for (double squash : {0.0, -1.0}) {
      INFO(stage << squash);
      MeshScene s{.mesh = R"("nodes": {"positions": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.5],
                                [2, 1, 0]], "triangles": [0, 1, 2, 1, 3, 2, 1, 4, 3]})",
                  .stages = fmt::format(R"({{{}, "mesh": "m", "rest_shape": "as_built"}})", stage)};
      Running r(s.text(), Exec::cpu(1));
      auto x = r.world().table("m").download<Vec<3>>("position");
      for (auto& p : x) p[0] *= Real(squash), p[1] *= Real(squash * squash * squash);
      r.world().exec.upload(r.world().table("m").column<Vec<3>>("position").data, x.data(),
                            x.size() * sizeof(x[0]));
      r.advance(20);
      for (const Vec3d& p : places(r)) CHECK(norm(p) < 100);
    }
}
