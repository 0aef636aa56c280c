#include "sim/records/snapshot.h"
#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

struct Solver {
  const char* name;
  std::string keys;
};
const Solver solvers[] = {{"pbd", R"(, "bending_stiffness": 0.1)"},
                          {"xpbd", R"(, "bending_stiffness": 1e-4, "stretch_compliance": 1e-5)"},
                          {"mass_spring", R"(, "network": "cloth")"},
                          {"verlet", R"(, "iterations": 4)"},
                          {"cloth_implicit", ""},
                          {"cloth_implicit", R"(, "bending_stiffness": 1e-4)"}};

std::string stage(const Solver& s, const std::string& more = "") {
  return fmt::format(R"({{"type": "{}", "mesh": "m"{}{}}})", s.name, s.keys, more);
}
std::string message(const std::string& scene) {
  try {
    Running r(scene, Exec::cpu(1));
  } catch (const Error& e) {
    CHECK(e.code() == ExitCode::bad_input);
    return e.what();
  }
  return {};
}
std::string nodes(const std::string& positions, const std::string& triangles) {
  return fmt::format(R"("nodes": {{"positions": [{}], "triangles": [{}]}})", positions, triangles);
}
std::string with_boundary(std::string scene, const std::string& boundary) {
  const std::string end = R"(],
             "stages")";
  return scene.replace(scene.find(end), end.size(), ", " + boundary + end);
}

}  // namespace

TEST_CASE(
    "deformables: triangles without area and points without mass are refused, with the place") {
  for (const Solver& s : solvers) {
    INFO(s.name);
    CHECK_THAT(message(MeshScene{nodes("[0, 0, 0], [1, 0, 0], [2, 0, 0]", "0, 1, 2"),
                                 R"("density": 1)", stage(s)}
                           .text()),
               Catch::Contains("/objects/0/mesh") &&
                   Catch::Contains("1 of 1 triangles have no area, the first is number 0: points "
                                   "0, 1, 2; remove them"));
    CHECK_THAT(message(MeshScene{nodes("[0, 0, 0], [1, 0, 0], [0, 1, 0]", "0, 1, 2"),
                                 R"("vertex_mass": 0)", stage(s)}
                           .text()),
               Catch::Contains("/objects/0/vertex_mass"));
    CHECK_THAT(message(MeshScene{nodes("[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 5, 5]", "0, 1, 2"),
                                 R"("density": 1)", stage(s)}
                           .text()),
               Catch::Contains("points have no mass, the first is number 3"));
  }
}

TEST_CASE("deformables: two points in one place, and three triangles on an edge, run on") {
  // A page that is sewn between two, and a corner that is there twice.
  const std::string mesh =
      nodes("[0, 0, 0], [0, 0, 1], [1, 0, 0], [-1, 0, 0.5], [0.5, 1, 0.5], [1, 0, 0], [2, 0, 1]",
            "0, 1, 2, 1, 0, 3, 0, 1, 4, 1, 5, 6");
  for (const Solver& s : solvers)
    for (const char* more : {"", R"(, "self_contact": true)"}) {
      INFO(s.name << more);
      MeshScene scene{mesh, R"("vertex_mass": 0.1)",
                      hold(R"("points": [0])") + ", " + stage(s, more)};
      Running r(scene.text(), Exec::cpu(1));
      r.advance(100);
      CHECK(find_not_finite(r.world()) == "");
      for (const Vec3d& x : places(r)) CHECK(norm(x) < 20);
    }
}

TEST_CASE("deformables: a triangle that is nearly a line runs on") {
  for (const char* solver :
       {R"("type": "pbd", "bending": "isometric", "bending_stiffness": 0.1)",
        R"("type": "pbd", "bending": "dihedral", "bending_stiffness": 0.1)",
        R"("type": "xpbd", "bending": "isometric", "bending_stiffness": 0.1)",
        R"("type": "xpbd", "bending": "dihedral", "bending_stiffness": 0.1)",
        R"("type": "mass_spring", "bending_stiffness": 1e-4)",
        R"("type": "cloth_implicit", "bending_stiffness": 1e-4)",
        R"("type": "cloth_implicit", "bending_stiffness": 1e-4, "bending_damping": 0.01)"}) {
    for (const double along : {0.2, 0.35, 0.5, 0.6})
      for (const double height : {1e-6, 2e-5, 5e-5}) {
        INFO(solver << ' ' << along << ' ' << height);
        const std::string mesh = nodes(
            fmt::format("[0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1], [{}, 0, {}]", along, -height),
            "0, 2, 1, 1, 2, 3, 0, 1, 4");
        Running r(
            MeshScene{mesh, R"("vertex_mass": 0.1)",
                      hold(R"("points": [2, 3])") + fmt::format(R"(, {{{}, "mesh": "m"}})", solver)}
                .text(),
            Exec::cpu(1));
        r.advance(10);
        CHECK(find_not_finite(r.world()) == "");
        for (const Vec3d& x : places(r)) CHECK(norm(x) < 3);
      }
  }
}

TEST_CASE("deformables: stiffness over ten orders of magnitude stays finite, or says what to do") {
  for (double k = 1e-3; k < 1e8; k *= 100)
    for (const std::string& keys :
         {fmt::format(R"("type": "xpbd", "stretch_compliance": {}, "bending_stiffness": {})", 1 / k,
                      1e-3 * k),
          fmt::format(R"("type": "pbd", "stretch_stiffness": {0}, "bending_stiffness": {0})",
                      k / (1 + k)),
          fmt::format(R"("type": "mass_spring", "network": "cloth", "stiffness": {})", k),
          fmt::format(R"("type": "mass_spring", "stiffness": {}, "integrator": "rk4")", k),
          fmt::format(R"("type": "verlet", "stiffness": {})", std::max(1e-6, k / (1 + k)))}) {
      INFO(keys);
      Running r(MeshScene{sheet(1, 6), R"("density": 0.2)",
                          hold(R"("points": [0, 6])") + R"(, {"mesh": "m", )" + keys + "}"}
                    .text(),
                Exec::cpu(1));
      try {
        r.advance(200);
        CHECK(find_not_finite(r.world()) == "");
        for (const Vec3d& x : places(r)) CHECK(norm(x) < 30);  // free fall is 20 m
      } catch (const Diverged& e) {
        CHECK(keys.find("rk4") != std::string::npos);  // which has a limit, and says which
        CHECK_THAT(e.what(), Catch::Contains("\"substeps\": "));
      }
    }
}

TEST_CASE("deformables: an obstacle that passes through cloth in one step takes it along") {
  // A slab 2 cm thick, at 20 m/s: 20 cm a step.
  const std::string slab = R"({"name": "slab", "kind": "boundary",
      "motion": {"velocity": [0, 20, 0]},
      "shape": {"box": {"min": [-0.4, -0.35, -0.4], "max": [1.4, -0.33, 1.4]}}})";
  for (const Solver& s : solvers) {
    INFO(s.name);
    const std::string touching = stage(s, R"(, "boundary": ["slab"], "thickness": 0.01)");
    MeshScene scene{sheet(1, 6), R"("density": 0.2)", touching};
    Running r(with_boundary(scene.text(), slab), Exec::cpu(1));
    r.advance(10);
    const double top = -0.33 + 20 * r.time();
    for (const Vec3d& x : places(r)) CHECK(x[1] > top + 0.0099);
  }
}

TEST_CASE("deformables: cloth that starts tangled says where, and stays finite") {
  // Two triangles of one mesh, the second through the first.
  const std::string mesh =
      nodes("[0, 0, 0], [1, 0, 0], [0, 0, 1], [0.2, -0.4, 0.2], [0.2, 0.5, 0.25], [0.2, 0.5, 1.25]",
            "0, 1, 2, 3, 4, 5");
  for (const Solver& s : solvers) {
    INFO(s.name);
    MeshScene scene{mesh, R"("vertex_mass": 0.1)", stage(s, R"(, "self_contact": true)")};
    Running r(scene.text(), Exec::cpu(1));
    r.advance(1);
    const std::string warning = r.sim.pipeline.back().stage->warning(r.world());
    CHECK_THAT(warning,
               Catch::Contains("edges go through triangles at the start, one from point") &&
                   Catch::Contains("of 'm'") && Catch::Contains("move it apart in the scene"));
    r.advance(100);
    CHECK(find_not_finite(r.world()) == "");
  }
}
