#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>

#include "base/random.h"
#include "support/particle_scenes.h"

// The linear system of a step, against one solved in full.
using namespace rtsim;

namespace {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());
constexpr double pi = 3.14159265358979323846;

// Between -1 and 1, by row and axis.
Real noise(std::size_t i, int k) {
  return Real(2 * uniform(philox(5, 0, std::uint32_t(k), std::uint32_t(i)).c[0]) - 1);
}

// About thirty particles in the corner of a tank, shaken, with the step's linear system of Bodin
// et al. 2012 written out in full.
template <int D>
struct SmallSystem {
  static constexpr double dt = 0.002, spacing = 0.1, d = 3, c = 30, rho0 = 1000, g = 9.81;
  double mass = rho0 * std::pow(spacing, D);
  Running run;
  std::vector<Vec<D>> x, v;
  std::vector<std::uint32_t> id;

  static std::string scene(const std::string& more) {
    return fmt::format(
        R"({{"rtsim": 1, "dim": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 9}},
      "objects": [{{"name": "water", "kind": "particles", "spacing": {},
                    "fill": {{"box": {{"min": {}, "max": {}}}}}}},
                  {{"name": "tank", "kind": "boundary",
                    "shape": {{"box": {{"min": {}, "max": {}}}, "inside": true}}}}],
      "stages": [{{"type": "sph_bodin", "fluid": "water", "boundary": ["tank"], "sound_speed": {},
                   "relaxation_steps": {}, "kinematic_viscosity": 0, "residual": 0,
                   "density_kernel": "poly6", "pressure_boundaries": "bodies"{}}}],
      "output": []}})",
        D, dt, spacing, D == 2 ? "[0, 0]" : "[0, 0, 0]", D == 2 ? "[0.5, 0.6]" : "[0.3, 0.3, 0.3]",
        D == 2 ? "[0, 0]" : "[0, 0, 0]", D == 2 ? "[1, 1]" : "[1, 1, 1]", c, d, more);
  }
  explicit SmallSystem(const std::string& more) : run(scene(more), Exec::cpu(1)) {
    x = download<Vec<D>>(run, "position"), v = x;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (int k = 0; k < D; ++k) x[i][k] += Real(0.015) * noise(i, k), v[i][k] = noise(i, k + 3);
    upload(run, "position", x), upload(run, "velocity", v);
    run.refresh();
    x = download<Vec<D>>(run, "position"), v = download<Vec<D>>(run, "velocity");
    id = download<std::uint32_t>(run, "id");
  }

  static double poly6(int power, double r2, double h) {  // k (1 - q^2)^power
    const double k = D == 2 ? 4 / (pi * h * h) : 315 / (64 * pi * h * h * h);
    return r2 < h * h ? k * std::pow(1 - r2 / (h * h), power) : 0;
  }

  // lambda / dt and the velocities after the step, by the rows of x.
  struct Solution {
    std::vector<double> multiplier;
    std::vector<Vec3d> velocity;
  };
  Solution exact() {
    const std::size_t n = x.size(), m = n * D;
    const double h = 2 * spacing, volume = mass / rho0;
    std::vector<double> G(n * m, 0), density(n, mass * poly6(3, 0, h) / rho0);
    const auto couple = [&](std::size_t i, std::size_t j, const Vec3d& s, double V) {
      const double r2 = dot(s, s);
      density[i] += V * poly6(3, r2, h);
      for (int k = 0; k < D; ++k) {
        const double b = V * 6 / h * poly6(2, r2, h) * s[k] / std::sqrt(r2);
        G[i * m + i * D + std::size_t(k)] -= b;
        if (j < n) G[i * m + j * D + std::size_t(k)] += b;
      }
    };
    Table& walls = run.world().table("tank.samples@water");
    const auto wall = walls.download<Vec<D>>("position");
    const auto wall_volume = walls.download<Real>("volume");
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        if (j != i) couple(i, j, widen(x[i]) - widen(x[j]), volume);
      for (std::size_t b = 0; b < wall.size(); ++b)
        couple(i, n, widen(x[i]) - widen(wall[b]), double(wall_volume[b]));
    }
    // Eq. 2.40 of the thesis: S = G G^T / m + e, right-hand side -a g - b G v - G M^-1 dt f.
    const double a = 4 / (dt * (1 + 4 * d)), b = 4 * d / (1 + 4 * d);
    const double e = 4 / (mass * c * c) / (dt * dt * (1 + 4 * d));
    std::vector<double> S(n * n), right(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        S[i * n + j] =
            std::inner_product(&G[i * m], &G[i * m] + m, &G[j * m], 0.0) / mass + (i == j ? e : 0);
      right[i] = -a * (density[i] - 1);
      for (std::size_t q = 0; q < m; ++q)
        right[i] -= G[i * m + q] * (b * double(v[q / D][int(q % D)]) - (q % D == 1 ? dt * g : 0));
    }
    Solution s{cholesky(S, right), {}};
    for (std::size_t j = 0; j < n; ++j) {
      Vec3d u = widen(v[j]);
      u[1] -= dt * g;
      for (int k = 0; k < D; ++k)
        for (std::size_t i = 0; i < n; ++i)
          u[k] += G[i * m + j * D + std::size_t(k)] * s.multiplier[i] / mass;
      s.velocity.push_back(u);
    }
    for (double& l : s.multiplier) l /= dt;
    return s;
  }

  static std::vector<double> cholesky(std::vector<double> S, std::vector<double> y) {
    const std::size_t n = y.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double s = S[i * n + j];
        for (std::size_t k = 0; k < j; ++k) s -= S[i * n + k] * S[j * n + k];
        S[i * n + j] = i == j ? std::sqrt(s) : s / S[j * n + j];
      }
      for (std::size_t k = 0; k < i; ++k) y[i] -= S[i * n + k] * y[k];
      y[i] /= S[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) y[i] -= S[k * n + i] * y[k];
      y[i] /= S[i * n + i];
    }
    return y;
  }
};

}  // namespace

TEMPLATE_TEST_CASE_SIG("sph_bodin: sweeps converge to the exact solution of the step's system", "",
                       ((int D), D), 2, 3) {
  SmallSystem<D> small(", \"max_iterations\": 5000");
  const auto exact = small.exact();
  small.run.advance(1);
  const auto multiplier = download<Real>(small.run, "multiplier");
  const auto velocity = download<Vec<D>>(small.run, "velocity");
  const auto id = download<std::uint32_t>(small.run, "id");
  std::map<std::uint32_t, std::size_t> row_of;
  for (std::size_t i = 0; i < id.size(); ++i) row_of[id[i]] = i;
  const double largest =
      std::abs(*std::max_element(exact.multiplier.begin(), exact.multiplier.end(),
                                 [](double a, double b) { return std::abs(a) < std::abs(b); }));
  REQUIRE(largest > 1);
  for (std::size_t i = 0; i < exact.multiplier.size(); ++i) {
    const std::size_t row = row_of.at(small.id[i]);
    // The offset of a constraint is a difference of numbers some ten times its size, and the
    // condition of the system some ten times more.
    CHECK(double(multiplier[row]) == Approx(exact.multiplier[i]).margin(200 * eps * largest));
    for (int k = 0; k < D; ++k)
      CHECK(double(velocity[row][k]) == Approx(exact.velocity[i][k]).margin(200 * eps));
  }
}

TEST_CASE("sph_bodin: the residual falls with every sweep") {
  double last = 1e30;
  for (int sweeps = 1; sweeps <= 12; ++sweeps) {
    SmallSystem<2> small(fmt::format(", \"max_iterations\": {}", sweeps));
    small.run.advance(1);
    CHECK(small.run.measure("water.iterations") == sweeps);
    const double residual = small.run.measure("water.residual_mean");
    CHECK(residual < 0.9 * last);
    last = residual;
  }
}
