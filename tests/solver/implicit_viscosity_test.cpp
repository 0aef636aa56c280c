#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "support/still_particles.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

// A channel of width L = 1 between walls at y = 0 and y = 1, long enough that its middle does not
// feel the ends. At rest on its lattice, so it tests the operator in space and the solve in time.
struct Channel {
  int across = 20;
  double dt = 0.0025, support = 3, nu = 1, top_speed = 0, force = 0;
  bool slip = false;

  double spacing() const { return 1.0 / across; }

  // What the sum over neighbours makes of nu, where shear follows a square lattice: sum_j
  // c_ij x_ij^2 y_ij^2 / 2 over the discrete neighbours.
  double lattice_viscosity() const {
    const double H = support, h = H / 2;
    const sph::CubicSpline W = sph::CubicSpline::of(2, H);
    double sum = 0;
    for (int i = -8; i <= 8; ++i)
      for (int j = -8; j <= 8; ++j) {
        const double r2 = i * i + j * j, r = std::sqrt(r2);
        if (r2 == 0 || r >= H) continue;
        const double slope = double(W.scale * W.inv_support) * double(W.slope(Real(r)));
        sum -= 8 * slope / r / (r2 + 0.01 * h * h) * i * i * j * j / 2;
      }
    return nu * sum;
  }

  // u(y) of the middle columns after `end` seconds.
  std::vector<std::pair<double, double>> profile(double end) const {
    const double d = spacing();
    std::vector<Vec<2>> x;
    for (int i = 0; i < 3 * across; ++i)
      for (int j = 0; j < across; ++j) x.push_back({{Real((i + 0.5) * d), Real((j + 0.5) * d)}});
    Still<2>::Walls walls;
    for (int i = -5; i < 3 * across + 5; ++i)
      for (int top = 0; top < 2; ++top) {
        walls.position.push_back({{Real((i + 0.5) * d), Real(top)}});
        walls.velocity.push_back({{Real(top * top_speed), 0}});
      }
    SphForcesParams p;
    p.implicit_viscosity = {.kinematic_viscosity = nu, .boundary_viscosity = {}, .tolerance = 1e-5};
    if (slip) p.implicit_viscosity->boundary_viscosity = 0;
    Still<2> s(x, d, support, p, walls);
    const int steps = int(std::lround(end / dt));
    for (int n = 0; n < steps; ++n) {
      auto v = s.velocity();
      for (auto& at : v) at[0] += Real(force * dt);
      s.set_velocity(v);
      s.apply(dt);
    }
    std::vector<std::pair<double, double>> found;
    const auto at = s.position(), v = s.velocity();
    for (std::size_t i = 0; i < at.size(); ++i)
      if (std::abs(double(at[i][0]) - 1.5) < d) found.push_back({at[i][1], v[i][0]});
    return found;
  }
};

// Relative L2 error of a profile.
double error_of(const std::vector<std::pair<double, double>>& found,
                const std::function<double(double)>& exact) {
  double sum = 0, norm = 0;
  for (const auto& [y, u] : found) {
    sum += (u - exact(y)) * (u - exact(y));
    norm += exact(y) * exact(y);
  }
  return std::sqrt(sum / norm);
}

// Series of Morris, Fox, Zhu, "Modeling Low Reynolds Number Incompressible Flows Using SPH", J.
// Comput. Phys. 136, 1997, eq. 21 and 19, with L = 1.
double couette(double y, double V, double nu, double t) {
  double u = V * y;
  for (int n = 1; n < 200; ++n)
    u += 2 * V / (n * pi) * (n % 2 ? -1 : 1) * std::sin(n * pi * y) *
         std::exp(-nu * n * n * pi * pi * t);
  return u;
}
double poiseuille(double y, double F, double nu, double t) {
  double u = F / (2 * nu) * y * (1 - y);
  for (int n = 0; n < 100; ++n) {
    const double k = (2 * n + 1) * pi;
    u -= 4 * F / (nu * k * k * k) * std::sin(k * y) * std::exp(-k * k * nu * t);
  }
  return u;
}

SphForcesParams viscous(double nu, double tolerance = 1e-4) {
  SphForcesParams p;
  p.implicit_viscosity = {
      .kinematic_viscosity = nu, .boundary_viscosity = {}, .tolerance = tolerance};
  return p;
}

}  // namespace

TEST_CASE("implicit_viscosity: Couette flow starts as the series says, at first order in space") {
  // The error is that of walls that are one layer of samples.
  Channel coarse{.across = 20, .dt = 0.002, .top_speed = 1},
      fine{.across = 40, .dt = 0.001, .top_speed = 1};
  const auto error = [](const Channel& c) {
    const double nu = c.lattice_viscosity();
    return error_of(c.profile(0.1), [&](double y) { return couette(y, 1, nu, 0.1); });
  };
  const double e = error(fine);
  CHECK(e < 0.01);
  CHECK(error(coarse) > 1.8 * e);
}

TEST_CASE(
    "implicit_viscosity: Poiseuille flow starts as the series says, at first order in space") {
  Channel coarse{.across = 20, .dt = 0.002, .force = 8},
      fine{.across = 40, .dt = 0.001, .force = 8};
  const auto error = [](const Channel& c) {
    const double nu = c.lattice_viscosity();
    return error_of(c.profile(0.1), [&](double y) { return poiseuille(y, 8, nu, 0.1); });
  };
  const double e = error(fine);
  CHECK(e < 0.02);
  CHECK(error(coarse) > 1.8 * e);
}

TEST_CASE("implicit_viscosity: first order in time") {
  std::vector<std::pair<double, double>> u[3];
  for (int k = 0; k < 3; ++k)
    u[k] = Channel{.across = 10, .dt = 0.01 / (1 << k), .top_speed = 1}.profile(0.05);
  double change[2] = {0, 0};
  for (int k = 0; k < 2; ++k)
    for (std::size_t i = 0; i < u[0].size(); ++i)
      change[k] += std::abs(u[k][i].second - u[k + 1][i].second);
  CHECK(std::log2(change[0] / change[1]) == Approx(1).margin(0.15));
}

TEST_CASE("implicit_viscosity: a wall without viscosity lets the fluid slip") {
  Channel c{.across = 10, .dt = 0.01, .top_speed = 1, .slip = true};
  for (const auto& [y, u] : c.profile(0.1)) CHECK(std::abs(u) < 1e-6);
}

TEMPLATE_TEST_CASE_SIG(
    "implicit_viscosity: without walls a loose solve keeps momentum to round-off", "", ((int D), D),
    2, 3) {
  const double d = 0.05, nu = 0.1, dt = 1.0 / 60;
  Still<D> s(block<D>(D == 2 ? 20 : 8, d), d, 2, viscous(nu, 0.05));
  const auto v = noise<D>(s.position().size());
  s.set_velocity(v);
  s.apply(dt);
  // Viscous changes of velocity are rounded: up to 4 (D + 2) nu dt / d^2 of the speeds of 1.
  const double n = double(v.size()), change = 4 * (D + 2) * nu * dt / (d * d);
  CHECK(norm(total(s.velocity()) - total(v)) <= 4 * eps * std::sqrt(n) * change);
  CHECK(energy(s.velocity()) < 0.5 * energy(v));
}

TEMPLATE_TEST_CASE_SIG("implicit_viscosity: a block of honey moves rigidly at 100 m^2/s", "",
                       ((int D), D), 2, 3) {
  const int n = D == 2 ? 20 : 8;
  const double d = 0.05, half = 0.5 * n * d;
  auto x = block<D>(n, d);
  for (auto& at : x)
    for (int a = 0; a < D; ++a) at[a] -= Real(half);
  Still<D> s(x, d, 2, viscous(100, 1e-4));
  x = s.position();
  const auto v = noise<D>(x.size());
  s.set_velocity(v);
  s.apply(1.0 / 60);
  // What of the noise is motion of the whole: squares and cubes turn alike about every axis.
  double inertia = 0;
  for (const auto& at : x) inertia += double(dot(at, at)) * (D == 2 ? 1 : 2.0 / 3);
  const Vec3d p = total(v), l = total_moment(x, v);
  const double count = double(x.size()),
               rigid = dot(p, p) / (2 * count) + dot(l, l) / (2 * inertia);
  const auto after = s.velocity();
  // A mode of relaxation time L^2 / (pi^2 nu) keeps up to pi^-2 L^2 / (nu dt) = 0.06 of its speed;
  // noise has little in any one mode.
  CHECK(energy(after) == Approx(rigid).epsilon(0.05));
  CHECK(norm(total_moment(x, after) - l) < 0.02 * norm(l));
}

TEST_CASE("implicit_viscosity: honey of 100 m^2/s falls onto a floor and stands, at dt = 1/60 s") {
  Running r(drop_scene(3, R"("box": {"min": [0, 0.1, 0], "max": [0.6, 0.6, 0.6]})", 0.05, 1.0 / 60,
                       R"("kinematic_viscosity": 0,
                          "implicit_viscosity": {"kinematic_viscosity": 100})",
                       R"(, {"name": "wall", "kind": "boundary",
                             "shape": {"plane": {"point": [0, 0, 0], "normal": [0, 1, 0]}}})",
                       "[0, -9.81, 0]"),
            Exec::cpu(2));
  r.advance(40);
  // Creep under its weight: g H^2 / (3 nu) = 0.008 m/s for a height H of 0.5 m.
  CHECK(r.measure("water.max_speed") < 0.02);
  CHECK(r.measure("water.density_error_max") < 0.01);
}

// What the last step's viscosity did is the first guess: of a creeping block it leaves less to do.
TEST_CASE("implicit_viscosity: steps of a slow flow take fewer iterations than the first one") {
  Running r(drop_scene(2, R"("box": {"min": [0, 0], "max": [0.6, 0.6]})", 0.02, 0.002,
                       R"("kinematic_viscosity": 0,
                          "implicit_viscosity": {"kinematic_viscosity": 2})",
                       R"(, {"name": "wall", "kind": "boundary",
                             "shape": {"plane": {"point": [0, 0], "normal": [0, 1]}}})",
                       "[0, -9.81]"),
            Exec::cpu(2));
  r.advance(1);
  const double first = r.measure("water.viscosity_iterations");
  r.advance(99);
  CHECK(first > 20);
  CHECK(r.measure("water.viscosity_iterations") < 0.6 * first);
}
