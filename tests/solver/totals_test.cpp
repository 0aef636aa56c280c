#include <catch2/catch.hpp>
#include <cmath>

#include "support/mesh_scenes.h"
#include "support/particle_scenes.h"

using namespace rtsim;

namespace {

// A rigid motion v = v0 + w x (x - c) of mass M and inertia I about the axis of w through its
// centre of mass c: P = M v0, L = c x P + I w.
struct Motion {
  Vec3d centre, velocity, turn;

  template <int D>
  void set(Table& t, const Exec& ex) const {
    auto v = t.download<Vec<D>>("position");
    for (auto& x : v) x = narrow<D>(velocity + cross(turn, widen(x) - centre));
    ex.upload(t.column<Vec<D>>("velocity").data, v.data(), v.size() * sizeof v[0]);
  }
  Vec3d angular(double mass, double inertia) const {
    return mass * cross(centre, velocity) + inertia * turn;
  }
};

double total(Running& r, const std::string& quantity) {
  for (const Measurement& m : rtsim::measure(r.sim))
    if (m.name == "total." + quantity) return m.value;
  FAIL("no total." << quantity);
  return 0;
}

// n + 1 points of mass m, a length L apart in all, about an axis across them.
double inertia_of_line(double m, double L, int n) {
  return m * L * L * (n + 1) * (n + 2) / (12. * n);
}

}  // namespace

TEST_CASE("totals: a bar that turns as it flies has the momenta of a rigid body") {
  const int n = 7;
  const double m = 0.6, L = 2.1;
  const Vec3d c{{0.4, -1.3, 2.2}};
  for (const char* stage : {R"({"type": "mass_spring", "mesh": "m", "stiffness": 100})",
                            R"({"type": "pbd", "mesh": "m"})", R"({"type": "xpbd", "mesh": "m"})",
                            R"({"type": "verlet", "mesh": "m"})"}) {
    INFO(stage);
    const testing::MeshScene scene{
        testing::line(fmt::format("[{}, {}, {}]", c[0] - L / 2, c[1], c[2]),
                      fmt::format("[{}, {}, {}]", c[0] + L / 2, c[1], c[2]), n),
        R"("vertex_mass": 0.6)", stage};
    Running r(scene.text(), Exec::cpu(1));
    const Motion motion{c, {{0.7, -0.2, 1.9}}, {{0, 1.7, -0.9}}};
    motion.set<3>(r.world().table("m"), r.world().exec);
    const double M = m * (n + 1);
    CHECK(total(r, "mass") == Approx(M));
    const Vec3d l = motion.angular(M, inertia_of_line(m, L, n));
    const char* names[] = {"angular_momentum.x", "angular_momentum.y", "angular_momentum.z"};
    for (int k = 0; k < 3; ++k) CHECK(total(r, names[k]) == Approx(l[k]).epsilon(1e-5));
  }
}

TEST_CASE("totals: a sheet that turns in its plane has the angular momentum of a plate") {
  const int n = 6;
  const double m = 0.03, side = 1.4;
  const testing::MeshScene scene{testing::sheet(side, n), R"("vertex_mass": 0.03)",
                                 R"({"type": "cloth_implicit", "mesh": "m"})"};
  Running r(scene.text(), Exec::cpu(1));
  const Motion motion{{{side / 2, 0, side / 2}}, {{0.3, 0.8, -0.4}}, {{0, 2.3, 0}}};
  motion.set<3>(r.world().table("m"), r.world().exec);
  const double M = m * (n + 1) * (n + 1), I = 2 * (n + 1) * inertia_of_line(m, side, n);
  const Vec3d l = motion.angular(M, I);
  CHECK(total(r, "angular_momentum.x") == Approx(l[0]).epsilon(1e-5));
  CHECK(total(r, "angular_momentum.y") == Approx(l[1]).epsilon(1e-5));
  CHECK(total(r, "angular_momentum.z") == Approx(l[2]).epsilon(1e-5));
}

TEMPLATE_TEST_CASE_SIG("totals: a block of particles that turns has that of a square or a cube", "",
                       ((int D), D), 2, 3) {
  const double d = 0.1, M = 1000 * std::pow(0.6, D);
  for (const char* stage : {R"("type": "wcsph", "max_speed": 10)", R"("type": "dfsph")"}) {
    Running r(block_scene(D, stage, 1e-3, true), Exec::cpu(1));
    const Motion motion{
        {{0.3, 0.3, D == 3 ? 0.3 : 0}}, {{1.1, -0.7, D == 3 ? 0.5 : 0}}, {{0, 0, 2.9}}};
    motion.set<D>(r.world().table("water"), r.world().exec);
    // n^2 points d apart: M (a^2 - d^2) / 6, with a = n d.
    const Vec3d l = motion.angular(M, M * (0.36 - d * d) / 6);
    CHECK(total(r, "angular_momentum.z") == Approx(l[2]).epsilon(1e-5));
    if (D == 3) CHECK(total(r, "angular_momentum.x") == Approx(l[0]).epsilon(1e-5));
  }
}

TEST_CASE("totals: a grid of air that drifts has the momenta of its mass at its middle") {
  const Vec3d v{{0.3, -0.2, 0.5}}, middle{{1.4, -2.65, 0.85}};
  const double M = 1.2 * 0.8 * 0.7 * 0.9;
  for (const char* stage : {R"("type": "smoke", "rest_density": 1.2)",
                            R"("type": "lbm", "density": 1.2, "kinematic_viscosity": 0.01)"}) {
    INFO(stage);
    const bool lbm = std::string(stage).find("lbm") != std::string::npos;
    std::string sides;
    const char* names[][2] = {{"x_low", "x_min"},  {"x_high", "x_max"}, {"y_low", "y_min"},
                              {"y_high", "y_max"}, {"z_low", "z_min"},  {"z_high", "z_max"}};
    for (const auto& n : names)
      sides += fmt::format(R"({}"{}": {{"{}": "periodic"}})", sides.empty() ? "" : ", ", n[lbm],
                           lbm ? "type" : "kind");
    if (!lbm) sides = fmt::format(R"("sides": {{{}}})", sides);
    Running r(fmt::format(
                  R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.001, "frames": 1}},
        "objects": [{{"name": "air", "kind": "grid", "spacing": 0.1,
                      "min": [1, -3, 0.4], "max": [1.8, -2.3, 1.3]}}],
        "stages": [{{{}, "grid": "air", "velocity": [0.3, -0.2, 0.5], {}}}], "output": []}})",
                  stage, sides),
              Exec::cpu(1));
    const Vec3d l = M * cross(middle, v);
    const char axes[] = "xyz";
    for (int k = 0; k < 3; ++k) {
      CHECK(total(r, std::string("momentum.") + axes[k]) == Approx(M * v[k]).epsilon(1e-5));
      CHECK(total(r, std::string("angular_momentum.") + axes[k]) == Approx(l[k]).epsilon(1e-5));
    }
  }
}

TEST_CASE("totals: water that drifts turns about the vertical as its mass at its middle") {
  Running r(
      R"({"rtsim": 1, "dim": 3, "time": {"dt": 0.001, "frames": 1},
    "objects": [{"name": "water", "kind": "height_field", "spacing": 0.1, "min": [2, 0, -3],
                 "max": [2.7, 0, -1.8],
                 "fill": {"box": {"min": [0, -1, -9], "max": [9, 0.35, 9]}},
                 "bed": {"box": {"min": [0, -2, -9], "max": [9, 0, 9]}}}],
    "stages": [{"type": "shallow_water", "water": "water", "velocity": [0.4, 0, -0.9]}],
    "output": []})",
      Exec::cpu(1));
  const double M = 1000 * 0.7 * 1.2 * 0.35;
  CHECK(total(r, "mass") == Approx(M).epsilon(1e-5));
  // z p_x - x p_z
  CHECK(total(r, "angular_momentum.y") == Approx(M * (-2.4 * 0.4 + 2.35 * 0.9)).epsilon(1e-5));
}
