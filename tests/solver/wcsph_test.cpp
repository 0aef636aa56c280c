#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "cache/checkpoint.h"
#include "support/running.h"
#include "support/temporary_folder.h"

using namespace rtsim;

namespace {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());

// Monaghan, "Simulating Free Surface Flows with SPH", J. Comput. Phys. 110, 1994, sec. 4: a circle
// of radius 1 with v = A0 (-x, y) becomes an ellipse with a b = 1; its semi-axis a and rate A obey
//   A' = A^2 (a^4 - 1) / (a^4 + 1),   a' = -a A.
struct EllipticalPatch {
  double spacing, end = 0.0038;
  static constexpr double rate = 100;

  double exact_b() const {
    double a = 1, A = rate;
    const int n = 20000;
    const double h = end / n;
    const auto slope = [](double ai, double Ai) {
      const double a4 = ai * ai * ai * ai;
      return std::pair(-ai * Ai, Ai * Ai * (a4 - 1) / (a4 + 1));
    };
    for (int i = 0; i < n; ++i) {  // midpoint
      const auto [da, dA] = slope(a, A);
      const auto [ma, mA] = slope(a + 0.5 * h * da, A + 0.5 * h * dA);
      a += h * ma, A += h * mA;
    }
    return 1 / a;
  }

  double simulated_b() const {
    const int steps = int(std::ceil(end / (0.2 * spacing / 1400)));
    Running r(fmt::format(R"({{"rtsim": 1, "dim": 2, "gravity": [0, 0],
      "time": {{"dt": {}, "steps_per_frame": 1, "frames": {}}},
      "objects": [{{"name": "drop", "kind": "particles", "spacing": {},
                    "fill": {{"sphere": {{"centre": [0, 0], "radius": 1}}}}}}],
      "stages": [{{"type": "wcsph", "fluid": "drop", "max_speed": 140, "kinematic_viscosity": 0,
                   "artificial_viscosity": 0.01}}],
      "output": []}})",
                          end / steps, steps, spacing),
              Exec::cpu(2));
    Table& t = r.world().table("drop");
    std::vector<Vec<2>> v;
    for (const Vec<2>& x : t.download<Vec<2>>("position"))
      v.push_back({{Real(-rate) * x[0], Real(rate) * x[1]}});
    r.world().exec.upload(t.column<Vec<2>>("velocity").data, v.data(), v.size() * sizeof(v[0]));
    r.refresh();
    r.advance(steps);
    // The second moment of a uniform ellipse is b^2 / 4: it feels no single stray.
    double sum = 0;
    const auto x = t.download<Vec<2>>("position");
    for (const auto& p : x) sum += double(p[1]) * double(p[1]);
    return 2 * std::sqrt(sum / double(x.size()));
  }
};

}  // namespace

TEST_CASE("wcsph: free fall from 100 m with 50 substeps keeps its gravity in float") {
  Running r(R"({"rtsim": 1, "dim": 3, "time": {"dt": 0.05, "steps_per_frame": 1, "frames": 80},
    "objects": [{"name": "drop", "kind": "particles", "spacing": 1,
                 "fill": {"box": {"min": [0, 100, 0], "max": [1, 101, 1]}}}],
    "stages": [{"type": "wcsph", "fluid": "drop", "max_speed": 50, "substeps": 50}], "output": []})",
            Exec::cpu(1));
  const double start = r.world().table("drop").download<Vec<3>>("position")[0][1];
  r.advance(80);
  const double fallen = start - r.world().table("drop").download<Vec<3>>("position")[0][1];
  const double h = 0.001, n = 4000;
  CHECK(fallen == Approx(0.5 * 9.81 * h * h * n * (n + 1)).epsilon(1e-3));
}

TEMPLATE_TEST_CASE_SIG("wcsph: a drop at rest without gravity stays at rest", "", ((int D), D), 2,
                       3) {
  Running r(
      fmt::format(
          R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 100}},
    "objects": [{{"name": "drop", "kind": "particles", "spacing": 0.1,
                  "fill": {{"sphere": {{"centre": {}, "radius": 0.5}}}}}}],
    "stages": [{{"type": "wcsph", "fluid": "drop", "max_speed": 1}}], "output": []}})",
          D, D == 2 ? "[0, 0]" : "[0, 0, 0]", D == 2 ? "[0, 0]" : "[0, 0, 0]"),
      Exec::cpu(1));
  r.advance(100);
  // The lattice sums to 1.0009 (2D) and 1.0000 (3D) of rest density: it relaxes by less than that
  // part of its size, at less than that part of the sound speed of 10 m/s.
  CHECK(r.measure("drop.max_speed") < (D == 2 ? 0.009 : 0.0005));
}

TEMPLATE_TEST_CASE_SIG("wcsph: colliding drops keep their momentum to round-off", "", ((int D), D),
                       2, 3) {
  const char* v = D == 2 ? "[1, 0.5]" : "[1, 0.5, -0.25]";
  Running r(
      fmt::format(
          R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 200}},
    "objects": [
      {{"name": "a", "kind": "particles", "spacing": 0.1, "velocity": {},
        "fill": [{{"sphere": {{"centre": {}, "radius": 0.4}}}}, {{"sphere": {{"centre": {}, "radius": 0.4}}}}]}}],
    "stages": [{{"type": "wcsph", "fluid": "a", "max_speed": 3}}], "output": []}})",
          D, D == 2 ? "[0, 0]" : "[0, 0, 0]", v, D == 2 ? "[0, 0]" : "[0, 0, 0]",
          D == 2 ? "[0.9, 0.2]" : "[0.9, 0.2, 0.1]"),
      Exec::cpu(2));
  // The right drop turns back: they meet head on.
  Table& t = r.world().table("a");
  auto velocity = t.download<Vec<D>>("velocity");
  const auto x = t.download<Vec<D>>("position");
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i][0] > Real(0.45)) velocity[i] = Real(-1.5) * velocity[i];
  r.world().exec.upload(t.column<Vec<D>>("velocity").data, velocity.data(),
                        velocity.size() * sizeof(velocity[0]));
  r.refresh();
  const double before = r.measure("a.momentum.x"), energy = r.measure("a.kinetic_energy");
  const double mass = r.measure("a.mass") / double(x.size()), n = double(x.size());
  r.advance(200);
  // 4 eps sqrt(N) max m|v| a step, each step's roundings independent of the last.
  CHECK(std::abs(r.measure("a.momentum.x") - before) <=
        4 * eps * std::sqrt(n) * mass * 3 * std::sqrt(200.0));
  CHECK(r.measure("a.kinetic_energy") < 0.95 * energy);  // they did meet
}

TEST_CASE("wcsph: an elliptical patch stretches as Monaghan's exact solution within 2 %") {
  // The patch ends 0.7 % too long at spacing 0.08 and 1.3 % at 0.04, and the same at twice the
  // sound speed: it does not converge, so no order is asked for, only the gate of 2 %.
  const EllipticalPatch coarse{0.08}, fine{0.04};
  CHECK(fine.exact_b() == Approx(1.43922).epsilon(1e-4));  // the published semi-axis at t = 0.0038
  CHECK(coarse.simulated_b() == Approx(coarse.exact_b()).epsilon(0.02));
  CHECK(fine.simulated_b() == Approx(fine.exact_b()).epsilon(0.02));
}

TEST_CASE("wcsph: a column in a tank finds hydrostatic pressure and loses no particle") {
  Running r(R"({"rtsim": 1, "dim": 2, "time": {"dt": 0.002, "steps_per_frame": 1, "frames": 800},
    "objects": [
      {"name": "water", "kind": "particles", "spacing": 0.05, "fill": {"box": {"min": [0, 0], "max": [1, 1]}}},
      {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0], "max": [1, 2]}, "inside": true}}],
    "stages": [{"type": "wcsph", "fluid": "water", "boundary": ["tank"], "substeps": 6,
                "kinematic_viscosity": 0.5}], "output": []})",
            Exec::cpu(2));
  r.advance(800);
  Table& t = r.world().table("water");
  const auto x = t.download<Vec<2>>("position");
  const auto p = t.download<Real>("pressure");
  double sum = 0, expected = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    REQUIRE(x[i][0] > 0);
    REQUIRE(x[i][0] < 1);
    REQUIRE(x[i][1] > 0);
    if (x[i][1] > Real(0.5)) continue;
    sum += double(p[i]), expected += 1000 * 9.81 * (1 - double(x[i][1]));
  }
  CHECK(sum == Approx(expected).epsilon(0.02));
  CHECK(r.measure("water.max_speed") < 0.05);
}

TEST_CASE("wcsph: a collapsing column never gains energy") {
  Running r(R"({"rtsim": 1, "dim": 2, "time": {"dt": 0.0005, "steps_per_frame": 1, "frames": 400},
    "objects": [
      {"name": "water", "kind": "particles", "spacing": 0.01, "fill": {"box": {"min": [0, 0], "max": [0.1, 0.2]}}},
      {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0], "max": [0.4, 0.3]}, "inside": true}}],
    "stages": [{"type": "wcsph", "fluid": "water", "boundary": ["tank"], "substeps": 4}], "output": []})",
            Exec::cpu(2));
  const auto total = [&] {
    return r.measure("water.kinetic_energy") + r.measure("water.potential_energy") +
           r.measure("water.internal_energy");
  };
  const double start = total();
  double last = start;
  for (int i = 0; i < 20; ++i) {
    r.advance(20);
    CHECK(total() <=
          last + 0.002 * start);  // wall pressure is mirrored, not derived from an energy
    last = total();
  }
  CHECK(last < start);
}

TEST_CASE("wcsph: a step far too long diverges, with a message that tells the way out") {
  // Three times too dense, it flies apart.
  Running r(R"({"rtsim": 1, "dim": 2, "time": {"dt": 0.05, "steps_per_frame": 1, "frames": 400},
    "objects": [
      {"name": "water", "kind": "particles", "spacing": 0.01, "fill": {"box": {"min": [0, 0], "max": [0.1, 0.2]}}}],
    "stages": [{"type": "wcsph", "fluid": "water", "particle_mass": 0.3}], "output": []})",
            Exec::cpu(1));
  CHECK_THROWS_WITH(r.advance(400), Catch::Contains("velocity of row") &&
                                        Catch::Contains("of 'water' is ") &&
                                        Catch::Contains("try \"substeps\": "));
}

TEST_CASE("wcsph: a moving wall pushes the fluid along") {
  Running r(
      R"({"rtsim": 1, "dim": 2, "gravity": [0, 0], "time": {"dt": 0.001, "steps_per_frame": 1, "frames": 300},
    "objects": [
      {"name": "water", "kind": "particles", "spacing": 0.02, "fill": {"box": {"min": [0.1, 0], "max": [0.3, 0.2]}}},
      {"name": "piston", "kind": "boundary", "shape": {"box": {"min": [0, -0.1], "max": [0.08, 0.3]}},
       "motion": {"velocity": [0.5, 0]}}],
    "stages": [{"type": "wcsph", "fluid": "water", "boundary": ["piston"], "max_speed": 1, "substeps": 2}],
    "output": []})",
      Exec::cpu(1));
  r.advance(300);
  const double wall = 0.08 + 0.5 * 0.3;
  for (const auto& x : r.world().table("water").download<Vec<2>>("position"))
    CHECK(double(x[0]) > wall - 0.01);
  CHECK(r.measure("water.momentum.x") > 0.3 * r.measure("water.mass"));
}

TEST_CASE("wcsph: a lone drop of spray does not fall through a floor") {
  // One particle, at the greatest speed expected, at the weakest place of the floor: between four
  // samples.
  Running r(R"({"rtsim": 1, "dim": 3, "time": {"dt": 0.001, "steps_per_frame": 1, "frames": 500},
    "objects": [
      {"name": "drop", "kind": "particles", "spacing": 0.02, "velocity": [0.3, -3.4, 0.2],
       "fill": {"box": {"min": [0.19, 0.1, 0.19], "max": [0.21, 0.12, 0.21]}}},
      {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0, 0], "max": [0.4, 1, 0.4]}, "inside": true}}],
    "stages": [{"type": "wcsph", "fluid": "drop", "boundary": ["tank"], "max_speed": 3.5, "substeps": 10}],
    "output": []})",
            Exec::cpu(1));
  double lowest = 1;
  for (int i = 0; i < 500; ++i) {
    r.advance(1);
    lowest = std::min(lowest, double(r.world().table("drop").download<Vec<3>>("position")[0][1]));
  }
  CHECK(lowest > -0.01);  // the plane of the samples
  const auto x = r.world().table("drop").download<Vec<3>>("position")[0];
  for (int k = 0; k < 3; k += 2) {
    CHECK(x[k] > 0);
    CHECK(double(x[k]) < 0.4);
  }
}

TEST_CASE("wcsph: beside a keyframed wall a checkpoint goes on in the same bytes") {
  const std::string scene =
      R"({"rtsim": 1, "dim": 3, "time": {"dt": 0.001, "steps_per_frame": 1, "frames": 40},
    "objects": [
      {"name": "water", "kind": "particles", "spacing": 0.02, "fill": {"box": {"min": [0.1, 0, 0], "max": [0.2, 0.1, 0.06]}}},
      {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0, 0], "max": [0.4, 0.3, 0.06]}, "inside": true}},
      {"name": "gate", "kind": "boundary", "shape": {"box": {"min": [0.21, 0.001, 0], "max": [0.24, 0.3, 0.06]}},
       "motion": {"keyframes": [{"time": 0}, {"time": 0.013, "translate": [0.01, 0.1, 0], "angle": 20},
                                {"time": 0.04, "translate": [0.02, 0.2, 0], "angle": 20}]}}],
    "stages": [{"type": "wcsph", "fluid": "water", "boundary": ["tank", "gate"], "substeps": 3}], "output": []})";
  const TemporaryFolder folder;
  Running whole(scene, Exec::cpu(2)), half(scene, Exec::cpu(1)), again(scene, Exec::cpu(2));
  whole.advance(33);
  half.advance(17);
  save_checkpoint(folder.path, half.world(), {.step = 17});
  std::string warnings;
  load_checkpoint(find_checkpoint(folder.path, warnings).value().file, again.world());
  again.steps = 17;
  again.refresh();
  again.advance(16);
  CHECK(again.world().state_hash() == whole.world().state_hash());
  for (const char* table : {"water", "gate.samples@water"})
    for (const Column& c : whole.world().table(table).columns()) {
      INFO(table << "." << c.info.name);
      CHECK(again.world().table(table).column_bytes(c.info.name).bytes.download() ==
            c.bytes.download());
    }
}
