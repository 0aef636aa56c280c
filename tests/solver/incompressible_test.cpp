#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "support/running.h"

// What every incompressible SPH of the catalog must do.
using namespace rtsim;

namespace {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());
const char* const solvers[] = {"dfsph", "iisph", "pcisph"};

template <int D>
std::string drops(const std::string& type) {
  const bool plane = D == 2;
  return fmt::format(
      R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": 200}},
    "objects": [{{"name": "a", "kind": "particles", "spacing": 0.1, "velocity": {},
      "fill": [{{"sphere": {{"centre": {}, "radius": 0.4}}}}, {{"sphere": {{"centre": {}, "radius": 0.4}}}}]}}],
    "stages": [{{"type": "{}", "fluid": "a"}}], "output": []}})",
      D, plane ? "[0, 0]" : "[0, 0, 0]", plane ? "[1, 0.5]" : "[1, 0.5, -0.25]",
      plane ? "[0, 0]" : "[0, 0, 0]", plane ? "[0.9, 0.2]" : "[0.9, 0.2, 0.1]", type);
}

double energy(Running& r) {
  return r.measure("water.kinetic_energy") + r.measure("water.potential_energy");
}

std::string column(const std::string& type, double width, double height, double tank, int frames,
                   const std::string& more = "") {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": {}}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05, "fill": {{"box": {{"min": [0, 0], "max": [{}, {}]}}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [{}, 2]}}, "inside": true}}}}],
    "stages": [{{"type": "{}", "fluid": "water", "boundary": ["tank"]{}}}], "output": []}})",
      frames, width, height, tank, type, more);
}

}  // namespace

TEST_CASE("incompressible: free fall is the scheme's own to round-off") {
  for (const std::string type : solvers) {
    INFO(type);
    const int n = 100;
    const double dt = 0.001;
    Running r(
        fmt::format(
            R"({{"rtsim": 1, "dim": 3, "time": {{"dt": {}, "steps_per_frame": 1, "frames": {}}},
      "objects": [{{"name": "block", "kind": "particles", "spacing": 0.1,
                    "fill": {{"box": {{"min": [0, 0, 0], "max": [0.6, 0.6, 0.6]}}}}}}],
      "stages": [{{"type": "{}", "fluid": "block"}}], "output": []}})",
            dt, n, type),
        Exec::cpu(1));
    const auto height = [&] {
      double sum = 0;
      const auto x = r.world().table("block").download<Vec<3>>("position");
      for (const auto& p : x) sum += double(p[1]);
      return sum / double(x.size());
    };
    const double start = height();
    r.advance(n);
    // Symplectic Euler: g dt^2 n (n + 1) / 2; the lattice is below rest density, nothing pushes.
    CHECK(start - height() == Approx(0.5 * 9.81 * dt * dt * n * (n + 1)).margin(n * 0.02 * eps));
  }
}

TEMPLATE_TEST_CASE_SIG("incompressible: colliding drops keep their momentum to round-off", "",
                       ((int D), D), 2, 3) {
  for (const std::string type : solvers) {
    INFO(type);
    Running r(drops<D>(type), Exec::cpu(2));
    Table& t = r.world().table("a");
    auto v = t.download<Vec<D>>("velocity");
    const auto x = t.download<Vec<D>>("position");
    for (std::size_t i = 0; i < x.size(); ++i)  // the right drop turns back: they meet head on
      if (x[i][0] > Real(0.45)) v[i] = Real(-1.5) * v[i];
    r.world().exec.upload(t.column<Vec<D>>("velocity").data, v.data(), v.size() * sizeof(v[0]));
    r.refresh();
    const double before = r.measure("a.momentum.x"), energy = r.measure("a.kinetic_energy");
    const double n = double(x.size()), mass = r.measure("a.mass") / n;
    r.advance(200);
    // 4 eps sqrt(N) max m|v| a step and push, about ten pushes a step, roundings independent.
    CHECK(std::abs(r.measure("a.momentum.x") - before) <=
          4 * eps * std::sqrt(n) * mass * 3 * std::sqrt(2000.0));
    CHECK(r.measure("a.kinetic_energy") < 0.97 * energy);  // they did meet
  }
}

TEST_CASE("incompressible: the true density after each step meets the tolerances") {
  for (const std::string type : solvers) {
    INFO(type);
    Running r(column(type, 0.5, 1, 1.5, 400), Exec::cpu(2));
    double mean = 0, greatest = 0, worst = 0;
    for (int k = 0; k < 200; ++k) {
      r.advance(2);
      mean += r.measure("water.density_error_mean") / 200;
      const double max = r.measure("water.density_error_max");
      greatest += max / 200, worst = std::max(worst, max);
      // The solve predicts to 1e-4 and 1e-2; straight paths at Courant numbers up to 0.2 add to it:
      // 5.3e-4 was the most seen in one step.
      CHECK(r.measure("water.density_error_mean") < 1e-3);
    }
    CHECK(mean < 2e-4);
    CHECK(greatest < 0.01);  // as asked, in the mean over the steps
    CHECK(worst < 0.05);  // a single row in the splash: 0.031 was the most seen, float and double
  }
}

TEST_CASE("incompressible: a collapsing column never gains energy, and loses no particle") {
  for (const std::string type : solvers) {
    INFO(type);
    Running r(column(type, 0.5, 1, 1.5, 500), Exec::cpu(2));
    const double start = energy(r);
    double most = start;
    for (int k = 0; k < 100; ++k) {
      r.advance(5);
      most = std::max(most, energy(r));
    }
    // Tolerances let a mean 1e-4 of density pass as pressure that is late: 0.5 % of the energy.
    CHECK(most < 1.005 * start);
    for (const auto& x : r.world().table("water").download<Vec<2>>("position")) {
      REQUIRE(double(x[0]) > 0);
      REQUIRE(double(x[0]) < 1.5);
      REQUIRE(double(x[1]) > 0);
    }
  }
}

TEST_CASE("incompressible: pressure away from walls grows with depth as rho g") {
  for (const std::string type : solvers) {
    INFO(type);
    Running r(
        column(type, 1, 1, 1, 2000, R"(, "kinematic_viscosity": 0.05, "density_error_mean": 1e-5)"),
        Exec::cpu(2));
    r.advance(1500);
    Table& t = r.world().table("water");
    double sum[4] = {0, 0, 0, 0}, n = 0;  // y, p, y y, y p over rows and time
    for (int k = 0; k < 50; ++k) {
      r.advance(10);
      const auto x = t.download<Vec<2>>("position");
      const auto p = t.download<Real>("pressure");
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double y = double(x[i][1]);
        if (std::abs(double(x[i][0]) - 0.5) > 0.35 || y < 0.15 || y > 0.85) continue;
        sum[0] += y, sum[1] += double(p[i]), sum[2] += y * y, sum[3] += y * double(p[i]), n += 1;
      }
    }
    const double slope = (n * sum[3] - sum[0] * sum[1]) / (n * sum[2] - sum[0] * sum[0]);
    // Rows that have come to rest pack hexagonally, where V sum_j x_j dW_ij/dx is not -1 but
    // -0.9783 at this support: gradients are 2.2 % too steep.
    CHECK(-slope == Approx(1.011 * 9810).epsilon(0.015));
    CHECK(r.measure("water.max_speed") < 0.1);
  }
}

TEST_CASE("incompressible: one particle and none are fluids too") {
  for (const std::string type : solvers) {
    INFO(type);
    Running one(
        fmt::format(
            R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": 600}},
      "objects": [
        {{"name": "drop", "kind": "particles", "spacing": 0.05, "fill": {{"box": {{"min": [0.2, 0.5], "max": [0.25, 0.55]}}}}}},
        {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [0.4, 1]}}, "inside": true}}}}],
      "stages": [{{"type": "{}", "fluid": "drop", "boundary": ["tank"]}}], "output": []}})",
            type),
        Exec::cpu(1));
    one.advance(600);
    const auto x = one.world().table("drop").download<Vec<2>>("position")[0];
    CHECK(double(x[1]) > -0.025);  // the samples stand half a spacing behind the floor
    CHECK(double(x[1]) < 0.1);
  }
}

TEST_CASE("incompressible: an elliptical patch stretches as Monaghan's exact solution within 2 %") {
  // Monaghan, "Simulating Free Surface Flows with SPH", J. Comput. Phys. 110, 1994, sec. 4: a disc
  // of radius 1 with v = 100 (-x, y) has become an ellipse with b = 1.43922 at t = 0.0038 s.
  for (const std::string type : solvers) {
    INFO(type);
    const int steps = 152;
    Running r(
        fmt::format(
            R"({{"rtsim": 1, "dim": 2, "gravity": [0, 0], "time": {{"dt": {}, "steps_per_frame": 1, "frames": {}}},
      "objects": [{{"name": "drop", "kind": "particles", "spacing": 0.04,
                    "fill": {{"sphere": {{"centre": [0, 0], "radius": 1}}}}}}],
      "stages": [{{"type": "{}", "fluid": "drop", "kinematic_viscosity": 0}}], "output": []}})",
            0.0038 / steps, steps, type),
        Exec::cpu(2));
    Table& t = r.world().table("drop");
    std::vector<Vec<2>> v;
    for (const Vec<2>& x : t.download<Vec<2>>("position"))
      v.push_back({{Real(-100) * x[0], Real(100) * x[1]}});
    r.world().exec.upload(t.column<Vec<2>>("velocity").data, v.data(), v.size() * sizeof(v[0]));
    r.refresh();
    r.advance(steps);
    double sum = 0;  // the second moment of a uniform ellipse is b^2 / 4
    const auto x = t.download<Vec<2>>("position");
    for (const auto& p : x) sum += double(p[1]) * double(p[1]);
    CHECK(2 * std::sqrt(sum / double(x.size())) == Approx(1.43922).epsilon(0.02));
  }
}
