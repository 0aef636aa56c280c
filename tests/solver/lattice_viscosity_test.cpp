#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "sph/cubic_spline.h"
#include "support/particle_scenes.h"

using namespace rtsim;

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double spacing = 0.05, length = 0.8, nu = 0.01;

// Along a square lattice at rest the wave v_x = sin(k y) decays at the rate nu k^2 times this:
//
//   2 (D + 2) / k^2  sum_j spacing^D x_j^2 (1 - cos k y_j) (-W'(r_j) / r_j) / (r_j^2 + 0.01 h^2)
//
// Monaghan, "Smoothed particle hydrodynamics", Rep. Prog. Phys. 68, 2005, eq. 8.9.
double share(double support, double k) {
  const double H = support * spacing, h = H / 2;
  const sph::CubicSpline w = sph::CubicSpline::of(2, H);
  double sum = 0;
  for (int i = -4; i <= 4; ++i)
    for (int j = -4; j <= 4; ++j) {
      const double x = i * spacing, y = j * spacing, r = std::hypot(x, y);
      if (r == 0 || r >= H) continue;
      const double slope = double(w.scale * w.inv_support * w.slope(Real(r)));
      sum += x * x * (1 - std::cos(k * y)) * -slope / r / (r * r + 0.01 * h * h);
    }
  return 8 / (k * k) * spacing * spacing * sum;
}

// A box full of it, of slightly less than rest density, so that no pressure acts.
std::string box(const std::string& stage, double support) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "gravity": [0, 0], "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "water", "kind": "particles", "spacing": {},
                  "fill": {{"box": {{"min": [0, 0], "max": [{}, {}]}}}}}}],
    "stages": [{{"fluid": "water", {}, "support": {}, "particle_mass": {},
                 "periodic": {{"min": [0, 0], "max": [{}, {}], "axes": ["x", "y"]}}}}],
    "output": []}})",
      spacing, length, length, stage, support, 990 * spacing * spacing, length, length);
}

const std::string explicit_viscosity[] = {
    fmt::format(R"("type": "dfsph", "kinematic_viscosity": {})", nu),
    fmt::format(R"("type": "wcsph", "max_speed": 1, "substeps": 2, "artificial_viscosity": 0,
                   "kinematic_viscosity": {})",
                nu)};

}  // namespace

TEST_CASE("lattice viscosity: shear along the default lattice feels two thirds of it") {
  CHECK(share(2, 1e-3) == Approx(0.659).epsilon(1e-3));  // as the limits of the solvers say
  CHECK(share(4, 1e-3) == Approx(0.964).epsilon(1e-3));
}

TEST_CASE("lattice viscosity: a wave of shear decays at the rate of the lattice's sum") {
  const double k = 2 * pi / length;
  for (const std::string& stage : explicit_viscosity)
    for (const double support : {2.0, 3.0}) {
      INFO(stage << ", support " << support);
      Running r(box(stage, support), Exec::cpu(2));
      std::vector<Vec<2>> v;
      for (const auto& x : positions<2>(r))
        v.push_back({{Real(1e-3 * std::sin(k * double(x[1]))), 0}});
      set<2>(r, "velocity", v);
      const double before = r.measure("kinetic_energy");
      r.advance(500);
      const double rate = -std::log(r.measure("kinetic_energy") / before) / (2 * 0.5);
      // Volumes are m / rho. Rows move by a hundredth of a spacing, and explicit steps add rate *
      // dt / 2, 0.03 %.
      const double volume = 990 / double(download<Real>(r, "density")[0]);
      CHECK(rate == Approx(nu * k * k * volume * share(support, k)).epsilon(2e-3));
    }
}
