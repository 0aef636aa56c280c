#include <fstream>

#include "support/fem_scenes.h"
#include "support/temporary_folder.h"

// Regions of other materials, and plastic flow.
using namespace rtsim;
using namespace rtsim::testing;

namespace {

const std::string still = R"("newton_iterations": 1, "cg_tolerance": 1e-6, "cg_iterations": 20000)";

double mass_of(Running& r) {
  double sum = 0;
  for (const Real m : r.world().table("m").download<Real>("mass")) sum += double(m);
  return sum;
}

// The mean of a column's x over points at rest at x.
double mean_x(Running& r, const std::vector<Vec3d>& rest, double x) {
  double sum = 0, n = 0;
  const auto now = places(r);
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (std::abs(rest[i][0] - x) < 1e-5) sum += now[i][0], n += 1;
  return sum / n;
}

// A rod along x that yields, of nu 0.3.
constexpr double nu = 0.3;
MeshScene yielding(const std::string& plastic, const std::string& more,
                   const std::string& others = "", int order = 1) {
  return {.mesh = block("[1, 0.2, 0.2]", "[5, 1, 1]") + fmt::format(R"(, "order": {})", order),
          .weight = R"("density": 1000)",
          .stages = others + fem_stage(fmt::format(
                                 R"("material": "corotational", "youngs_modulus": 1e6,
                                    "poissons_ratio": 0.3, "plastic": {{{}}}, {})",
                                 plastic, more)),
          .gravity = "[0, 0, 0]"};
}

}  // namespace

TEST_CASE("fem: two materials in a row give way as springs do, whatever the order") {
  // nu = 0: F / A (L1 / E1 + L2 / E2). The pull is pressure on the end.
  for (const int order : {1, 2}) {
    const MeshScene s{
        .mesh = block("[1, 0.2, 0.2]", "[10, 2, 2]") + fmt::format(R"(, "order": {})", order),
        .weight = R"("density": 1000)",
        .stages = hold(R"("inside": {"box": {"min": [-1, -1, -1], "max": [1e-5, 9, 9]}})") + ", " +
                  fem_stage(
                      R"("material": "linear", "youngs_modulus": 1e6, "poissons_ratio": 0,
                   "regions": [{"inside": {"box": {"min": [0.4, -1, -1], "max": [9, 9, 9]}},
                                "youngs_modulus": 3e5, "density": 2500}],
                   "pressures": [{"pressure": -1000,
                                  "inside": {"box": {"min": [0.999, -1, -1], "max": [9, 9, 9]}}}], )" +
                      still),
        .dt = 100,
        .gravity = "[0, 0, 0]"};
    Running r(s.text(), Exec::cpu(1));
    CHECK(mass_of(r) == Approx(0.04 * (0.4 * 1000 + 0.6 * 2500)).epsilon(1e-5));
    const auto rest = places(r);
    r.advance(1);
    INFO("order " << order);
    CHECK(mean_x(r, rest, 0.4) - 0.4 == Approx(1000 * 0.4 / 1e6).epsilon(1e-3));
    CHECK(mean_x(r, rest, 0.6) - 0.6 == Approx(1000 * (0.4 / 1e6 + 0.2 / 3e5)).epsilon(1e-3));
  }
}

TEST_CASE("fem: regions are found by the tags of a file, the last that has an element counts") {
  const TemporaryFolder folder;
  const auto path = folder.path / "two.msh";
  std::ofstream(path) << R"($MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
0 0 0 2
1 0 0 0 1 1 1 1 7 0
2 0 0 0 1 1 1 2 9 4 0
$EndEntities
$Nodes
1 5 1 5
3 1 0 5
1
2
3
4
5
0 0 0
1 0 0
0 1 0
0 0 1
1 1 1
$EndNodes
$Elements
2 2 1 2
3 1 4 1
1 1 2 3 4
3 2 4 1
2 2 3 4 5
$EndElements
)";
  const auto scene = [&](const std::string& regions) {
    return MeshScene{.mesh = fmt::format(R"("cells": {{"file": "{}"}})", path.string()),
                     .weight = R"("density": 100)",
                     .stages = fem_stage(fmt::format(R"("regions": [{}])", regions))}
        .text();
  };
  Running none(scene(R"({"tag": 9, "density": 100})"), Exec::cpu(1)),
      one(scene(R"({"tag": 9, "density": 300})"), Exec::cpu(1)),
      last(scene(R"({"tag": 9, "density": 300},
                    {"inside": {"box": {"min": [-1, -1, -1], "max": [9, 9, 9]}},
                     "density": 200})"),
           Exec::cpu(1));
  // Volumes of 1/6 and 1/3.
  CHECK(mass_of(none) == Approx(50).epsilon(1e-5));
  CHECK(mass_of(one) == Approx(100. / 6 + 100).epsilon(1e-5));
  CHECK(mass_of(last) == Approx(100).epsilon(1e-5));
  CHECK(refusal(scene(R"({"tag": 8, "density": 1})"), 0)
            .find("no element has the tag 8; there are 7, 9") != std::string::npos);
  CHECK(refusal(scene(R"({"inside": {"sphere": {"centre": [9, 9, 9], "radius": 1}}})"), 0)
            .find("\"regions\" 0 is empty") != std::string::npos);
}

TEST_CASE("fem: a rod that is held beyond its yield keeps what is beyond, and rests so") {
  // All points are held as a rod that is pulled by 3 %, then let go, in steps that damp what would
  // swing beyond the yield again. What flows is (2/3) (1 + nu) (strain - yield) along it and minus
  // half of it across.
  const double strain = 0.03, yield = 0.01, stays = 2. / 3 * (1 + nu) * (strain - yield);
  const double dt = 0.03;
  for (const int order : {1, 2}) {
    MeshScene s =
        yielding(R"("yield_strain": 0.01)", R"("rayleigh_mass": 50, "newton_tolerance": 1e-5)",
                 R"({"type": "attach", "mesh": "m", "end": 0.09,
                                 "inside": {"box": {"min": [-9, -9, -9], "max": [9, 9, 9]}}}, )",
                 order);
    s.dt = dt;
    Running r(s.text(), Exec::cpu(1));
    const auto rest = places(r);
    put(r, "position", [&](std::size_t, const Vec3d& x) {
      return x + strain * Vec3d{{x[0], -nu * x[1], -nu * x[2]}};
    });
    r.advance(int(6 / dt));
    INFO("order " << order);
    CHECK(mean_x(r, rest, 1) - mean_x(r, rest, 0) - 1 == Approx(stays).epsilon(2e-3));
    CHECK(r.measure("m.plastic_strain_max") == Approx(stays).epsilon(1e-3));
    CHECK(r.measure("m.elastic_energy") < 1e-4);
  }
}

TEST_CASE("fem: creep takes time, the same in few steps as in many, and ends at its limit") {
  const double strain = 0.03, flows = 2. / 3 * (1 + nu) * (strain - 0.01), time = 0.2;
  const auto plastic_after = [&](const char* more, int steps) {
    MeshScene s = yielding(fmt::format(R"("yield_strain": 0.01, {})", more), still,
                           R"({"type": "attach", "mesh": "m",
                               "inside": {"box": {"min": [-9, -9, -9], "max": [9, 9, 9]}}}, )");
    s.dt = time / steps;
    Running r(s.text(), Exec::cpu(1));
    put(r, "position", [&](std::size_t, const Vec3d& x) {
      return x + strain * Vec3d{{x[0], -nu * x[1], -nu * x[2]}};
    });
    r.advance(steps);
    return r.measure("m.plastic_strain_max");
  };
  const double expected = flows * (1 - std::exp(-3 * time));
  CHECK(plastic_after(R"("creep": 3)", 2) == Approx(expected).epsilon(1e-3));
  CHECK(plastic_after(R"("creep": 3)", 50) == Approx(expected).epsilon(1e-3));
  CHECK(plastic_after(R"("max_plastic_strain": 0.004)", 2) == Approx(0.004).epsilon(1e-4));
}

TEST_CASE("fem: what flows only loses energy, and turns as before") {
  MeshScene s = yielding(R"("yield_strain": 0.01, "max_plastic_strain": 0.05)",
                         R"("integrator": "newmark", "newton_tolerance": 1e-5,
                            "cg_tolerance": 1e-4)");
  s.dt = 5e-4;
  Running r(s.text(), Exec::cpu(1));
  put(r, "velocity", [&](std::size_t i, const Vec3d&) {
    const Vec3d x = places(r)[i] - Vec3d{{0.5, 0.1, 0.1}};
    return cross(Vec3d{{1, 3, 2}}, x) + Vec3d{{3 * x[0], 0, 2 * x[0]}};
  });
  const Motion start = motion(r);
  const double first = energy(r);
  double before = first;
  for (int k = 0; k < 200; ++k) {
    r.advance(1);
    const double now = energy(r);
    CHECK(now < before + 2e-4 * first);  // of the solve
    before = now;
  }
  CHECK(r.measure("m.plastic_strain_max") > 0.01);
  CHECK(before < 0.9 * first);
  CHECK(norm(motion(r).momentum - start.momentum) < 1e-4 * start.scale);
  CHECK(norm(motion(r).moment - start.moment) < 2e-3 * norm(start.moment));
}

TEST_CASE("fem: materials and regions that cannot be are refused with what would do") {
  const auto told = [](const std::string& more) {
    return refusal(
        MeshScene{.mesh = block("[1, 1, 1]", "[1, 1, 1]"), .stages = fem_stage(more)}.text(), 0);
  };
  CHECK(told(R"("plastic": {"yield_strain": 0.01})").find("is of the material \"corotational\"") !=
        std::string::npos);
  CHECK(told(R"("material": "corotational", "plastic": {"creep": 1})")
            .find("give a \"yield_strain\"") != std::string::npos);
  CHECK(told(R"("material": "corotational_gram_schmidt")").find("\"newton_iterations\": 1") !=
        std::string::npos);
  CHECK(told(R"("regions": [{"youngs_modulus": 1}])").find("one of \"inside\" and \"tag\"") !=
        std::string::npos);
  CHECK(told(R"("regions": [{"tag": 1}])").find("the mesh has no tags") != std::string::npos);
}

TEST_CASE(
    "fem: Gram-Schmidt's axes hang a beam as the polar ones do, and turn what nothing turns") {
  const auto tip = [](const char* material) {
    MeshScene s{.mesh = block("[1, 0.1, 0.1]", "[20, 2, 2]"),
                .weight = R"("density": 1000)",
                .stages = hold(R"("inside": {"box": {"min": [-1, -1, -1], "max": [1e-5, 9, 9]}})") +
                          ", " +
                          fem_stage(fmt::format(R"("material": "{}", "youngs_modulus": 1e7,
                                             "rayleigh_mass": 20, "newton_iterations": 1)",
                                                material)),
                .dt = 0.02};
    Running r(s.text(), Exec::cpu(1));
    r.advance(200);
    return places(r)[20][1];
  };
  CHECK(tip("corotational_gram_schmidt") == Approx(tip("corotational")).epsilon(0.02));
  // A sheared cube that is let go: the forces of its elements have a moment.
  const auto turning = [](const char* material) {
    MeshScene s{.mesh = block("[1, 1, 1]", "[1, 1, 1]"),
                .weight = R"("density": 1000)",
                .stages = fem_stage(fmt::format(R"("material": "{}", "youngs_modulus": 1e6,
                                       "integrator": "symplectic_euler")",
                                                material)),
                .dt = 1e-4,
                .gravity = "[0, 0, 0]"};
    Running r(s.text(), Exec::cpu(1));
    put(r, "position", [](std::size_t, const Vec3d& x) {
      return x + Vec3d{{0.3 * x[0] + 0.4 * x[1], -0.2 * x[1], 0}};
    });
    r.advance(1);
    return norm(motion(r).moment) / motion(r).scale;
  };
  CHECK(turning("corotational") < 1e-5);
  CHECK(turning("corotational_gram_schmidt") > 1e-3);
}
