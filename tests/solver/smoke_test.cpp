#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "support/smoke_scenes.h"

// Smoke held against flows with closed forms.
using namespace rtsim;

namespace {

constexpr double pi = std::numbers::pi;

struct Vortices {
  double energy_rate;  // the fitted 4 nu k^2 over the exact one
  double error;        // greatest, of u on its faces, relative to its amplitude at that time
};

// Taylor & Green's vortices in a box of side 1 with 2 pi / k = 1, for half a second at a speed
// of 1.
Vortices taylor_green(int n, double nu, double steps_a_cell) {
  const SmokeScene s{
      .dt = 0.5 / (n * steps_a_cell),
      .spacing = 1.0 / n,
      .more = fmt::format(
          R"(, "kinematic_viscosity": {}, "viscosity_scheme": "crank_nicolson", "sides": {{{}}},
          "vortices": {{"speed": 1}}, "pressure": {{"tolerance": 1e-5}})",
          nu, all_periodic)};
  Running r(s.text(), Exec::cpu(2));
  const double before = r.measure("air.kinetic_energy"), k = 2 * pi;
  r.advance(long(n * steps_a_cell));
  const double rate = std::log(before / r.measure("air.kinetic_energy")) / r.time();
  const double left = std::exp(-2 * nu * k * k * r.time());
  const auto u = faces(r, 0);
  const GridShape f = grid_of(r).faces(0);
  double worst = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const Vec3d x = f.centre(Index(i));
    worst =
        std::max(worst, std::abs(double(u[i]) / left - std::cos(k * x[0]) * std::sin(k * x[1])));
  }
  return {rate / (4 * nu * k * k), worst};
}

}  // namespace

// Splitting off the pressure makes an error of first order in time, which steps that shrink with
// h^2 bring down as fast as that of space.
TEST_CASE("smoke: Taylor-Green vortices decay as they should, at second order for dt = h^2 / 4") {
  const Vortices coarse = taylor_green(16, 0.01, 4), fine = taylor_green(32, 0.01, 8);
  INFO(coarse.energy_rate << " " << fine.energy_rate << " " << coarse.error << " " << fine.error);
  CHECK(fine.energy_rate == Approx(1).margin(0.02));
  CHECK(std::log2(coarse.error / fine.error) > 1.6);
}

TEST_CASE("smoke: Taylor-Green vortices converge at first order in time") {
  const Vortices coarse = taylor_green(32, 0.01, 1), fine = taylor_green(32, 0.01, 2);
  const double order = std::log2((coarse.energy_rate - 1) / (fine.energy_rate - 1));
  INFO(order);
  CHECK(order > 0.9);
}

namespace {

// Poiseuille's flow along x, driven by the lift of warm air in a gravity along -x.
double poiseuille_error(int n) {
  const double nu = 0.1, h = 1.0 / n;
  const SmokeScene s{
      .dt = 0.5,
      .spacing = h,
      .max = fmt::format("[{}, 1]", 4 * h),
      .gravity = "[-1, 0]",
      .more = fmt::format(R"(, "kinematic_viscosity": {}, "thermal_expansion": 1, "sides": {{{}}})",
                          nu, periodic_sides)};
  Running r(s.text(), Exec::cpu(1));
  set_cells(r, "temperature", [](const Vec3d&) { return 1; });
  r.advance(100);
  const auto u = faces(r, 0);
  double worst = 0;
  for (int j = 0; j < n; ++j) {
    const double y = (j + 0.5) * h;
    worst = std::max(worst, std::abs(double(u[std::size_t(j * 5)]) - y * (1 - y) / (2 * nu)));
  }
  return worst;
}

}  // namespace

// With walls half-way between values the error is that of the wall alone, a h^2 / (8 nu), all over.
TEST_CASE("smoke: Poiseuille's profile is met but for the wall's h^2 / 8") {
  CHECK(poiseuille_error(8) == Approx(1.25 / 64).epsilon(0.02));
  CHECK(poiseuille_error(16) == Approx(1.25 / 256).epsilon(0.02));
}

TEST_CASE("smoke: a sliding lid makes Couette's profile") {
  const SmokeScene s{
      .dt = 1,
      .max = "[0.5, 1]",
      .more = fmt::format(
          R"(, "kinematic_viscosity": 0.1, "sides": {{{}, "y_high": {{"velocity": [2, 0]}}}})",
          periodic_sides)};
  Running r(s.text(), Exec::cpu(1));
  r.advance(60);
  const auto u = faces(r, 0);
  for (int j = 0; j < 10; ++j)
    CHECK(double(u[std::size_t(6 * j)]) == Approx(0.2 * (j + 0.5)).margin(2e-4));
}

namespace {

// In a box warm above and cold below, N^2 = g e dT/dy, a wave (kx, ky) swings at
// N kx / sqrt(kx^2 + ky^2).
double swing_period(int n) {
  const SmokeScene s{
      .dt = 0.4 / n,
      .spacing = 1.0 / n,
      .gravity = "[0, -10]",
      .more =
          R"(, "thermal_expansion": 0.01, "weight": 0, "sides": {"x_low": {"kind": "free_slip"}, "x_high": {"kind": "free_slip"},
         "y_low": {"kind": "free_slip"}, "y_high": {"kind": "free_slip"}})"};
  Running r(s.text(), Exec::cpu(2));
  set_cells(r, "temperature", [](const Vec3d& x) {
    return 40 * (x[1] + 0.005 * std::cos(pi * x[0]) * std::sin(pi * x[1]));
  });
  // The velocity starts at 0 and is 0 again half a period on; it lies on the left middle.
  const auto rise = [&] { return double(faces(r, 1)[std::size_t(n / 2) * std::size_t(n)]); };
  r.advance(3);
  double last = rise();
  for (int i = 0; i < 100 * n; ++i) {
    r.advance(1);
    const double now = rise();
    if (last * now <= 0) return 2 * (r.time() - r.dt() * now / (now - last));
    last = now;
  }
  return 0;
}

}  // namespace

TEST_CASE("smoke: layers swing at the frequency of Brunt and Vaisala") {
  const double exact = 2 * pi / (2 / std::sqrt(2.0));
  const double coarse = std::abs(swing_period(16) / exact - 1),
               fine = std::abs(swing_period(32) / exact - 1);
  INFO(coarse << " " << fine);
  CHECK(fine < 0.01);
  CHECK(fine < 0.6 * coarse);
}

namespace {

double heat_rate(const char* key, const char* column) {
  const SmokeScene s{.dt = 0.01,
                     .spacing = 1.0 / 32,
                     .more = fmt::format(R"(, "{}": 0.02, "dyes": ["ink"])", key)};
  Running r(s.text(), Exec::cpu(1));
  const auto wave = [](const Vec3d& x) { return std::cos(pi * x[0]) * std::cos(2 * pi * x[1]); };
  set_cells(r, column, wave);
  r.advance(50);
  return -std::log(double(cells(r, column)[0]) / wave(grid_of(r).centre(0))) / 0.5;
}

}  // namespace

// Backward Euler with r = D k^2 falls by 1 / (1 + r dt), and the wave of the grid is h^2 k^2 / 12
// slower: 0.4 % each here.
TEST_CASE("smoke: warmth, smoke and dyes diffuse at their rates and stay in the box") {
  const double exact = 0.02 * 5 * pi * pi;
  CHECK(heat_rate("temperature_diffusivity", "temperature") == Approx(exact).epsilon(0.01));
  CHECK(heat_rate("density_diffusivity", "density") == Approx(exact).epsilon(0.01));
  CHECK(heat_rate("dye_diffusivity", "ink") == Approx(exact).epsilon(0.01));
}

TEST_CASE("smoke: what decays falls by exp(-rate time)") {
  const SmokeScene s{
      .more = R"(, "density_decay": 2, "temperature_decay": 3, "dyes": ["ink"], "dye_decay": 4,
    "initial": [{"shape": {"box": {"min": [-1, -1], "max": [2, 2]}}, "density": 1, "temperature": 1, "dyes": [1]}])"};
  Running r(s.text(), Exec::cpu(1));
  r.advance(50);
  CHECK(double(cells(r, "density")[7]) == Approx(std::exp(-1.0)).epsilon(1e-5));
  CHECK(double(cells(r, "temperature")[7]) == Approx(std::exp(-1.5)).epsilon(1e-5));
  CHECK(double(cells(r, "ink")[7]) == Approx(std::exp(-2.0)).epsilon(1e-5));
}

TEST_CASE("smoke: a source puts its rate times its area in, while its schedule says so") {
  const SmokeScene s{.dt = 0.01, .spacing = 0.05, .more = R"(, "dyes": ["ink"], "sources": [
    {"shape": {"box": {"min": [0.2, 0.2], "max": [0.6, 0.7]}}, "density_rate": 3, "dye_rates": [5],
     "schedule": [{"start": 0.1, "stop": 0.2}, {"start": 0.25, "stop": 0.3}]},
    {"splat": {"centre": [0.5, 0.5], "radius": 0.1}, "temperature_rate": 7}])"};
  Running r(s.text(), Exec::cpu(2));
  r.advance(40);
  CHECK(r.measure("air.mass") == Approx(3 * 0.2 * 0.15).epsilon(1e-5));
  CHECK(r.measure("air.ink") == Approx(5 * 0.2 * 0.15).epsilon(1e-5));
  // The integral of exp(-x^2 / r^2) is pi r^2, and its sum over a grid of h = r / 2 that to 1e-8.
  CHECK(r.measure("air.heat") == Approx(7 * 0.4 * pi * 0.01).epsilon(1e-5));
}

// Poiseuille's profile comes in and goes on as it is: between no-slip walls, U = 1 m/s in the
// middle.
TEST_CASE("smoke: a parabolic inflow is Poiseuille's all along the channel") {
  const SmokeScene s{.dt = 0.05,
                     .spacing = 0.0625,
                     .max = "[2, 1]",
                     .more = R"(, "kinematic_viscosity": 0.1, "velocity": [0.667, 0], "sides": {
          "x_low": {"kind": "inflow", "velocity": [1, 0], "parabolic": true}, "x_high": {"kind": "open"}})"};
  Running r(s.text(), Exec::cpu(2));
  r.advance(200);
  const auto u = faces(r, 0);
  for (int j = 0; j < 16; ++j) {
    const double y = (j + 0.5) / 16;
    for (int i = 0; i <= 32; i += 8)
      CHECK(double(u[std::size_t(i + 33 * j)]) == Approx(4 * y * (1 - y)).margin(0.01));
  }
}

// u = cos k x sin k y has p = -(rho / 4) (cos 2 k x + cos 2 k y) (Taylor & Green 1937), of first
// order in the step and second in the cell.
TEST_CASE("smoke: probes read velocity and pressure between cells") {
  const SmokeScene s{
      .dt = 0.001,
      .spacing = 1.0 / 64,
      .more = fmt::format(R"(, "sides": {{{}}}, "vortices": {{"speed": 1}}, "probes": [
          {{"name": "flow", "at": [0.03, 0.22]}},
          {{"name": "drop", "at": [0.25, 0.25], "against": {{"at": [0.5, 0.5]}}}}])",
                          all_periodic)};
  Running r(s.text(), Exec::cpu(2));
  const double k = 2 * pi;
  CHECK(r.measure("air.flow.velocity.x") ==
        Approx(std::cos(k * 0.03) * std::sin(k * 0.22)).epsilon(0.002));
  CHECK(r.measure("air.flow.velocity.y") ==
        Approx(-std::sin(k * 0.03) * std::cos(k * 0.22)).epsilon(0.002));
  r.advance(10);
  CHECK(r.measure("air.drop.pressure") == Approx(1.2).epsilon(0.03));
}
