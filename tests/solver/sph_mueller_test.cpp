#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "support/running.h"

using namespace rtsim;

namespace {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());

std::string alone(int dim, const std::string& fill, const std::string& more) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 2000}},
    "objects": [{{"name": "a", "kind": "particles", "spacing": 0.1, "fill": {}}}],
    "stages": [{{"type": "sph_mueller", "fluid": "a", {}}}], "output": []}})",
      dim, dim == 2 ? "[0, 0]" : "[0, 0, 0]", fill, more);
}

}  // namespace

TEST_CASE(
    "sph_mueller: pressures and viscosity keep momentum, and viscosity takes kinetic energy") {
  // Below rest density particles draw together, from the edges on: they move without anything else.
  double energy[2];
  for (const int thick : {0, 1}) {
    Running r(alone(3, R"({"box": {"min": [0, 0, 0], "max": [0.6, 0.5, 0.4]}})",
                    fmt::format(R"("stiffness": 20, "dynamic_viscosity": {})", thick ? 20 : 0)),
              Exec::cpu(2));
    double most = 0;
    for (int k = 0; k < 100; ++k) {
      r.advance(1);
      most = std::max(most, r.measure("a.max_speed"));
    }
    const double n = 6 * 5 * 4, mass = r.measure("a.mass") / n;
    for (const char* axis : {"a.momentum.x", "a.momentum.y", "a.momentum.z"})
      CHECK(std::abs(r.measure(axis)) <= 4 * eps * std::sqrt(n) * mass * most * std::sqrt(100.0));
    CHECK(most > 0.01);
    energy[thick] = r.measure("a.kinetic_energy");
  }
  CHECK(energy[1] < 0.9 * energy[0]);
}

TEST_CASE("sph_mueller: the gradient of an energy keeps it, the mean of two pressures does not") {
  // A stretched block swings without viscosity. Internal energy: e'(rho) = p / rho^2 with
  // p = k (rho - rho0). With steps a thirtieth of h / c symplectic Euler keeps the sum but for
  // ripples of first order; those of dt / 2 are smaller.
  const auto drift = [](const char* force, double dt, int steps) {
    Running r(
        fmt::format(
            R"({{"rtsim": 1, "dim": 2, "gravity": [0, 0], "time": {{"dt": {}, "steps_per_frame": 1, "frames": 2000}},
    "objects": [{{"name": "a", "kind": "particles", "spacing": 0.1,
                  "fill": {{"box": {{"min": [0, 0], "max": [1, 0.7]}}}}}}],
    "stages": [{{"type": "sph_mueller", "fluid": "a", "stiffness": 20, "dynamic_viscosity": 0,
                 "pressure_force": "{}"}}], "output": []}})",
            dt, force),
        Exec::cpu(2));
    const auto energy = [&] {
      double sum = r.measure("a.kinetic_energy");
      const double m = r.measure("a.mass") / 70;
      for (const Real rho : r.world().table("a").download<Real>("density")) {
        const double s = double(rho) / 1000;
        sum += m * 20 * (std::log(s) + 1 / s - 1);
      }
      return sum;
    };
    r.advance(1);
    const double before = energy();
    double worst = 0;
    for (int k = 1; k < steps; ++k) {
      r.advance(1);
      worst = std::max(worst, std::abs(energy() / before - 1));
    }
    return worst;
  };
  const double coarse = drift("energy", 5e-4, 600), fine = drift("energy", 2.5e-4, 1200);
  INFO("worst change " << coarse << ", with half the step " << fine);
  CHECK(coarse < 0.05);
  CHECK(fine < 0.7 * coarse);
  CHECK(drift("mean", 2.5e-4, 1200) > 10 * fine);
}

TEST_CASE("sph_mueller: with an energy a full lattice has rest density, and still water calms") {
  // What mean pressures feed a tank of still water viscosity does not take.
  const auto tank = [](const char* force) {
    return fmt::format(
        R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 6000}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05, "fill": {{"box": {{"min": [0, 0], "max": [0.6, 0.4]}}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [0.6, 1]}}, "inside": true}}}}],
    "stages": [{{"type": "sph_mueller", "fluid": "water", "boundary": ["tank"], "substeps": 2,
                "dynamic_viscosity": 2, "pressure_force": "{}"}}], "output": []}})",
        force);
  };
  Running energy(tank("energy"), Exec::cpu(2)), mean(tank("mean"), Exec::cpu(2));
  const auto rho = energy.world().table("water").download<Real>("density");
  const auto x = energy.world().table("water").download<Vec<2>>("position");
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::abs(x[i][0] - Real(0.3)) < Real(0.2) && std::abs(x[i][1] - Real(0.2)) < Real(0.1))
      CHECK(double(rho[i]) == Approx(1000).epsilon(1e-5));
  energy.advance(3000), mean.advance(3000);
  CHECK(energy.measure("water.kinetic_energy") < 0.1 * mean.measure("water.kinetic_energy"));
}

TEST_CASE("sph_mueller: with an energy mapped walls complete the lattice, and carry the water") {
  Running r(R"({"rtsim": 1, "dim": 2, "time": {"dt": 0.001, "steps_per_frame": 1, "frames": 6000},
    "objects": [
      {"name": "water", "kind": "particles", "spacing": 0.05, "fill": {"box": {"min": [0, 0], "max": [0.6, 0.4]}}},
      {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [0, 0], "max": [0.6, 1]}, "inside": true}}],
    "stages": [{"type": "sph_mueller", "fluid": "water", "boundary": ["tank"], "substeps": 2,
                "dynamic_viscosity": 200, "pressure_force": "energy", "boundary_method": "volume_map",
                "boundary_forces": true}], "output": []})",
            Exec::cpu(2));
  const auto rho = r.world().table("water").download<Real>("density");
  const auto x = r.world().table("water").download<Vec<2>>("position");
  // Half a spacing from a plane the map makes rest density up to what its grid rounds, away from
  // corners and the surface.
  int checked = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i][1] < Real(0.05) && std::abs(x[i][0] - Real(0.3)) < Real(0.2)) {
      CHECK(double(rho[i]) == Approx(1000).epsilon(1e-3));
      ++checked;
    }
  CHECK(checked == 8);
  // So viscous that it has stopped swinging on its own compressibility.
  r.advance(2000);
  double floor = 0;
  for (int k = 0; k < 500; ++k) r.advance(1), floor += r.measure("tank.force.y") / 500;
  CHECK(-floor == Approx(9.81 * r.measure("water.mass")).epsilon(0.01));
}

TEST_CASE("sph_mueller: density at rest grows with depth as the equation of state says") {
  // dp/dy = -rho g with p = k (rho - rho0) gives rho = rho_top exp(g depth / k) for a true
  // gradient; the mean of two pressures yields half of one, as much as k / 2 would.
  //
  // Densities of the mean come from poly6, forces from the slope of the spiky kernel: on a lattice
  // of support 2 d they differ, and so does the stiffness that the fluid feels, by up to a fifth.
  // Of the energy, what the fit of the kernel leaves to second order, for a lattice that is
  // squeezed by 19 % along gravity, as the lowest rows are, takes 3 % off the slope; what rows do
  // that leave the lattice comes on top.
  struct Case {
    const char* force;
    double share, tolerance;
  };
  const Case c = GENERATE(Case{"mean", 2, 0.2}, Case{"energy", 1, 0.1});
  INFO(c.force);
  const double k = 100, g = 9.81;
  Running r(
      fmt::format(
          R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": 6000}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05, "fill": {{"box": {{"min": [0, 0], "max": [1, 2]}}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [1, 3]}}, "inside": true}}}}],
    "stages": [{{"type": "sph_mueller", "fluid": "water", "boundary": ["tank"], "stiffness": 100, "pressure_force": "{}",
                "dynamic_viscosity": 100}}], "output": []}})",
          c.force),
      Exec::cpu(2));
  r.advance(5000);
  CHECK(r.measure("water.max_speed") < 0.2);  // 2 % of the speed of sound
  Table& t = r.world().table("water");
  const auto x = t.download<Vec<2>>("position");
  const auto rho = t.download<Real>("density");
  double sum[4] = {0, 0, 0, 0}, n = 0;  // of ln rho over depth, away from floor, walls and surface
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double y = double(x[i][1]), value = std::log(double(rho[i]));
    if (y < 0.3 || y > 1.4 || std::abs(double(x[i][0]) - 0.5) > 0.35) continue;
    sum[0] += y, sum[1] += value, sum[2] += y * y, sum[3] += y * value, n += 1;
  }
  const double slope = (n * sum[3] - sum[0] * sum[1]) / (n * sum[2] - sum[0] * sum[0]);
  CHECK(-slope == Approx(c.share * g / k).epsilon(c.tolerance));
}

TEST_CASE(
    "sph_mueller: surface tension pulls corners inwards, edges less, and the inside not at all") {
  std::vector<Vec<2>> pull[2], x;
  for (const int tension : {0, 1}) {
    Running r(
        alone(2, R"({"box": {"min": [0, 0], "max": [1, 1]}})",
              fmt::format(R"("stiffness": 20, "pressure_force": "mean", "surface_tension": {})",
                          tension)),
        Exec::cpu(2));
    x = r.world().table("a").download<Vec<2>>("position");
    pull[tension] = r.world().table("a").download<Vec<2>>("acceleration");
  }
  // Towards the centre, at a row near the place.
  const auto inwards = [&](double px, double py) {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (std::hypot(double(x[i][0]) - px, double(x[i][1]) - py) < 0.01) {
        const Vec<2> a = pull[1][i] - pull[0][i];
        const double cx = 0.5 - px, cy = 0.5 - py, c = std::max(std::hypot(cx, cy), 1e-9);
        return (double(a[0]) * cx + double(a[1]) * cy) / c;
      }
    return -1e9;
  };
  const double corner = inwards(0.05, 0.05), edge = inwards(0.05, 0.45),
               inside = inwards(0.35, 0.45);
  CHECK(edge > 0);
  CHECK(corner > 1.5 * edge);
  CHECK(inside == 0);  // the gradient of the colour is under the threshold
}

TEST_CASE(
    "sph_mueller: the share that the paper's kernel gives a lone particle is not an energy's") {
  CHECK_THROWS_WITH(
      Running(alone(2, R"({"box": {"min": [0, 0], "max": [1, 1]}})",
                    R"("stiffness": 20, "self_contribution": 0.5, "pressure_force": "energy")"),
              Exec::cpu(1)),
      Catch::Contains("/stages/0/self_contribution") && Catch::Contains("give \"support\""));
}
