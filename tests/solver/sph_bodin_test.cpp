#include "solvers/sph_bodin/sph_bodin.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "support/particle_scenes.h"

using namespace rtsim;

namespace {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());
constexpr double pi = 3.14159265358979323846;

}  // namespace

TEMPLATE_TEST_CASE_SIG("sph_bodin: colliding drops keep their momenta to round-off", "",
                       ((int D), D), 2, 3) {
  Running r(
      fmt::format(
          R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": 200}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.1, "velocity": {},
        "fill": [{{"sphere": {{"centre": {}, "radius": 0.4}}}}, {{"sphere": {{"centre": {}, "radius": 0.4}}}}]}}],
    "stages": [{{"type": "sph_bodin", "fluid": "water", "kinematic_viscosity": 0.01}}], "output": []}})",
          D, D == 2 ? "[0, 0]" : "[0, 0, 0]", D == 2 ? "[1, 0.5]" : "[1, 0.5, -0.25]",
          D == 2 ? "[0, 0]" : "[0, 0, 0]", D == 2 ? "[0.9, 0.2]" : "[0.9, 0.2, 0.1]"),
      Exec::cpu(2));
  auto velocity = download<Vec<D>>(r, "velocity");
  const auto x = download<Vec<D>>(r, "position");
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i][0] > Real(0.45)) velocity[i] = Real(-1.5) * velocity[i];
  upload(r, "velocity", velocity);
  r.refresh();
  const auto spin = [&] {  // about the origin, per mass
    const auto p = download<Vec<D>>(r, "position"), v = download<Vec<D>>(r, "velocity");
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
      sum += double(p[i][0]) * double(v[i][1]) - double(p[i][1]) * double(v[i][0]);
    return sum;
  };
  const double before = r.measure("water.momentum.x"), turning = spin();
  const double energy = r.measure("water.kinetic_energy");
  const double n = double(x.size()), mass = r.measure("water.mass") / n;
  r.advance(200);
  // 15 sweeps of 20 pair impulses round 300 times a row and step, each by eps/2 of about 1 m/s, all
  // independently.
  const double roundings = eps * std::sqrt(n * 200 * 300);
  CHECK(std::abs(r.measure("water.momentum.x") - before) <= mass * roundings);
  CHECK(std::abs(spin() - turning) <= 2 * roundings);
  CHECK(r.measure("water.kinetic_energy") < 0.95 * energy);  // they did meet
}

TEST_CASE("sph_bodin: the self contribution sets the density of a lone particle") {
  CHECK(support_of_self_contribution(2, 0.65, 2, 100) ==
        Approx(std::sqrt(4 * 2 / (pi * 0.65 * 100))));  // eq. 3.42 of the thesis
  CHECK(support_of_self_contribution(3, 0.5, 2, 100) ==
        Approx(std::cbrt(315 * 2 / (64 * pi * 0.5 * 100))));
  for (int dim : {2, 3}) {
    Running r(
        fmt::format(
            R"({{"rtsim": 1, "dim": {}, "time": {{"dt": 0.01, "steps_per_frame": 1, "frames": 1}},
      "objects": [{{"name": "water", "kind": "particles", "spacing": 0.1,
                    "fill": {{"box": {{"min": {}, "max": {}}}}}}}],
      "stages": [{{"type": "sph_bodin", "fluid": "water", "rest_density": 100,
                   "self_contribution": 0.65, "particle_mass": 2}}], "output": []}})",
            dim, dim == 2 ? "[0, 0]" : "[0, 0, 0]", dim == 2 ? "[0.1, 0.1]" : "[0.1, 0.1, 0.1]"),
        Exec::cpu(1));
    CHECK(download<Real>(r, "density").at(0) == Approx(65).epsilon(20 * eps));
    CHECK(r.measure("water.mass") == Approx(2));
  }
}

TEST_CASE("sph_bodin: a column in a tank finds hydrostatic pressure and loses no particle") {
  Running r(R"({"rtsim": 1, "dim": 2, "time": {"dt": 0.002, "steps_per_frame": 1, "frames": 800},
    "objects": [
      {"name": "water", "kind": "particles", "spacing": 0.05, "fill": {"box": {"min": [0, 0], "max": [1, 1]}}},
      {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0], "max": [1, 2]}, "inside": true}}],
    "stages": [{"type": "sph_bodin", "fluid": "water", "boundary": ["tank"], "tension": false,
                "kinematic_viscosity": 0.1}], "output": []})",
            Exec::cpu(2));
  r.advance(800);
  const auto x = download<Vec<2>>(r, "position");
  const auto p = download<Real>(r, "pressure");
  double sum = 0, expected = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    REQUIRE(x[i][0] > 0);
    REQUIRE(x[i][0] < 1);
    REQUIRE(x[i][1] > 0);
    if (std::abs(x[i][1] - Real(0.5)) > Real(0.3)) continue;
    sum += double(p[i]), expected += 1000 * 9.81 * (1 - double(x[i][1]));
  }
  CHECK(sum == Approx(expected).epsilon(0.03));
  CHECK(r.measure("water.max_speed") < 0.05);
}

TEST_CASE("sph_bodin: a collapsing column never gains energy, with tension and without") {
  for (bool tension : {true, false}) {
    Running r(
        fmt::format(
            R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": 400}},
      "objects": [
        {{"name": "water", "kind": "particles", "spacing": 0.02, "fill": {{"box": {{"min": [0, 0], "max": [0.2, 0.4]}}}}}},
        {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [0.8, 0.6]}}, "inside": true}}}}],
      "stages": [{{"type": "sph_bodin", "fluid": "water", "boundary": ["tank"], "sound_speed": 28,
                   "tension": {}}}], "output": []}})",
            tension),
        Exec::cpu(2));
    const double mass = r.measure("water.mass") / 200;
    const auto moving = [&] {
      return r.measure("water.kinetic_energy") + r.measure("water.potential_energy");
    };
    const auto total = [&] {  // with what the constraints store, m c^2 g^2 / 2
      double stored = 0;
      for (Real rho : download<Real>(r, "density")) {
        const double g = double(rho) / 1000 - 1;
        if (tension || g > 0) stored += 0.5 * mass * 28 * 28 * g * g;
      }
      return moving() + stored;
    };
    const double start = total();
    double last = start;
    for (int i = 0; i < 20; ++i) {
      r.advance(20);
      // Poly6h is no gradient, and walls mirror: without tension that gains 0.3 % at most. Tension
      // pulls spray together at random; what moves is still no more than the start had.
      if (tension)
        CHECK(moving() <= start);
      else
        CHECK(total() <= last + 0.005 * start);
      last = total();
    }
    CHECK(last < 0.8 * start);
    if (!tension)
      for (Real p : download<Real>(r, "pressure")) CHECK(p >= 0);
  }
}

TEST_CASE("sph_bodin: a lone drop of spray does not pass a floor, however fast") {
  for (const char* tension : {"true", "false"}) {
    Running r(
        fmt::format(
            R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": 500}},
      "objects": [
        {{"name": "water", "kind": "particles", "spacing": 0.02, "velocity": [0.3, -3.4, 0.2],
          "fill": {{"box": {{"min": [0.19, 0.1, 0.19], "max": [0.21, 0.12, 0.21]}}}}}},
        {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0, 0], "max": [0.4, 1, 0.4]}}, "inside": true}}}}],
      "stages": [{{"type": "sph_bodin", "fluid": "water", "boundary": ["tank"], "tension": {}}}],
      "output": []}})",
            tension),
        Exec::cpu(1));
    for (int i = 0; i < 500; ++i) {
      r.advance(1);
      const auto x = download<Vec<3>>(r, "position")[0];
      REQUIRE(x[1] > Real(-0.01));  // the plane of the samples
      for (int k = 0; k < 3; k += 2) {
        REQUIRE(x[k] > 0);
        REQUIRE(double(x[k]) < 0.4);
      }
    }
  }
}

TEST_CASE("sph_bodin: a moving wall pushes the fluid along") {
  Running r(
      R"({"rtsim": 1, "dim": 2, "gravity": [0, 0], "time": {"dt": 0.002, "steps_per_frame": 1, "frames": 150},
    "objects": [
      {"name": "water", "kind": "particles", "spacing": 0.02, "fill": {"box": {"min": [0.1, 0], "max": [0.3, 0.2]}}},
      {"name": "piston", "kind": "boundary", "shape": {"box": {"min": [0, -0.1], "max": [0.08, 0.3]}},
       "motion": {"velocity": [0.5, 0]}}],
    "stages": [{"type": "sph_bodin", "fluid": "water", "boundary": ["piston"], "substeps": 2}],
    "output": []})",
      Exec::cpu(1));
  r.advance(150);
  const double wall = 0.08 + 0.5 * 0.3;
  for (const auto& x : download<Vec<2>>(r, "position")) CHECK(double(x[0]) > wall - 0.01);
  CHECK(r.measure("water.momentum.x") > 0.3 * r.measure("water.mass"));
}

// 27 kg that settle within a few tenths of a second. Where the Jacobian is no derivative of the
// density they go on with 0.7 of the energy that they had at first; friction takes what is there.
TEST_CASE("sph_bodin: still water calms with the kernel whose slope the Jacobian has") {
  Running r(
      R"({"rtsim": 1, "dim": 3, "time": {"dt": 0.002, "steps_per_frame": 1, "frames": 1},
    "objects": [
      {"name": "water", "kind": "particles", "spacing": 0.05,
        "fill": {"box": {"min": [0, 0, 0], "max": [0.3, 0.3, 0.3]}}},
      {"name": "tank", "kind": "boundary",
        "shape": {"box": {"min": [0, 0, 0], "max": [0.3, 0.6, 0.3]}, "inside": true}}],
    "stages": [{"type": "sph_bodin", "fluid": "water", "boundary": ["tank"],
      "density_kernel": "poly6h", "kinematic_viscosity": 3e-4}], "output": []})",
      Exec::cpu(2));
  r.refresh();
  // A full lattice has rest density; sums of 33 neighbours round to some eps.
  const auto density = download<Real>(r, "density");
  const auto x = download<Vec<3>>(r, "position");
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::abs(x[i][0] - 0.15) < 0.03 && std::abs(x[i][1] - 0.15) < 0.03 &&
        std::abs(x[i][2] - 0.15) < 0.03)
      CHECK(double(density[i]) == Approx(1000).epsilon(30 * eps));
  r.advance(125);
  const double early = r.measure("water.kinetic_energy");
  r.advance(875);
  CHECK(r.measure("water.kinetic_energy") < early / 3);
}

TEST_CASE("sph_bodin: a lattice of heavier rows is as dense as they make it with that kernel") {
  Running r(
      R"({"rtsim": 1, "dim": 3, "time": {"dt": 0.002, "steps_per_frame": 1, "frames": 1},
    "objects": [{"name": "water", "kind": "particles", "spacing": 0.05,
      "fill": {"box": {"min": [0, 0, 0], "max": [0.25, 0.25, 0.25]}}}],
    "stages": [{"type": "sph_bodin", "fluid": "water", "density_kernel": "poly6h",
      "particle_mass": 0.15}], "output": []})",
      Exec::cpu(1));
  r.refresh();
  // The middle one of five in each row sees nothing but lattice.
  const auto density = download<Real>(r, "density");
  CHECK(double(*std::ranges::max_element(density)) ==
        Approx(0.15 / std::pow(0.05, 3)).epsilon(30 * eps));
}
