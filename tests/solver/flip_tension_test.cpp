#include <catch2/catch.hpp>
#include <cmath>

#include "support/liquid_scenes.h"

using namespace rtsim;

namespace {

constexpr double pi = 3.14159265358979323846, sigma = 0.072, radius = 0.01, rho0 = 1000;

struct Drop {
  int dim = 2;
  double cells_a_radius = 12;
  double stretch = 1;
  double off = 0.3;  // of the middle from the corner of a cell [cells]
  std::string more = {};

  double cell() const { return radius / cells_a_radius; }
  double dt() const { return std::sqrt(rho0 * std::pow(cell(), 3) / (2 * pi * sigma)); }
  double capillary_speed() const { return std::sqrt(sigma / (rho0 * radius)); }
  // Of an ellipsoid of the volume of a ball, longer along x.
  LiquidScene scene() const {
    const double a = stretch * radius,
                 b = dim == 2 ? radius / stretch : radius / std::sqrt(stretch), c = off * cell(),
                 half = std::ceil(1.5 * cells_a_radius) * cell();
    const bool flat = dim == 2;
    LiquidScene s{.dim = dim, .dt = dt(), .cell = cell()};
    s.fill =
        flat
            ? fmt::format(R"("ellipsoid": {{"centre": [{0}, {0}], "radii": [{1}, {2}]}})", c, a, b)
            : fmt::format(R"("ellipsoid": {{"centre": [{0}, {0}, {0}], "radii": [{1}, {2}, {2}]}})",
                          c, a, b);
    s.min = flat ? fmt::format("[{0:.12g}, {0:.12g}]", -half)
                 : fmt::format("[{0:.12g}, {0:.12g}, {0:.12g}]", -half);
    s.max = flat ? fmt::format("[{0:.12g}, {0:.12g}]", half)
                 : fmt::format("[{0:.12g}, {0:.12g}, {0:.12g}]", half);
    s.gravity = s.velocity = flat ? "[0, 0]" : "[0, 0, 0]";
    s.more = fmt::format(R"(, "surface_tension": {}{})", sigma, more);
    return s;
  }
  // Mode 2 of Lamb, "Hydrodynamics", 1932, art. 273 and 275 [s].
  double period() const {
    return 2 * pi / std::sqrt((dim == 3 ? 8 : 6) * sigma / (rho0 * radius * radius * radius));
  }
  double jump() const { return (dim - 1) * sigma / radius; }
};

// How much longer than wide: <x^2> - <y^2> of the particles about their mean.
template <int D>
double stretch_of(Running& r) {
  const auto x = particles<D>(r, "position");
  const double n = double(x.size());
  double mean[D] = {}, square[D] = {};
  for (const auto& p : x)
    for (int a = 0; a < D; ++a)
      mean[a] += double(p[a]) / n, square[a] += double(p[a]) * double(p[a]) / n;
  for (int a = 0; a < D; ++a) square[a] -= mean[a] * mean[a];
  return square[0] - 0.5 * (square[1] + square[D - 1]);
}

// The mean over cells within half of the radius [N/m^(D-1)].
double pressure_inside(Running& r) {
  const GridShape& g = *r.world().object("room").grid;
  const auto p = r.world().table("room").download<Real>("pressure");
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec3d x = g.centre(Index(i));
    double square = 0;
    for (int a = 0; a < 3; ++a) square += g.spans[a] ? x[a] * x[a] : 0;
    if (square < 0.25 * radius * radius) sum += double(p[i]), ++count;
  }
  return sum / count;
}

}  // namespace

// The smoothed disc is a little smaller, by (2 h / R)^2 / 2, and the ball by twice as much.
TEST_CASE("flip: a drop has Laplace's pressure, and the error falls with the cells") {
  const auto off = [](int dim, double cells) {
    double worst = 0;
    for (const double place : {0.0, 0.3}) {
      const Drop d{.dim = dim, .cells_a_radius = cells, .off = place};
      Running r(d.scene().text(), Exec::cpu(2));
      r.advance(1);
      worst = std::max(worst, std::abs(pressure_inside(r) / d.jump() - 1));
    }
    return worst;
  };
  const double disc[] = {off(2, 6), off(2, 12), off(2, 24), off(2, 48)},
               ball[] = {off(3, 6), off(3, 12), off(3, 24)};
  CAPTURE(disc[0], disc[1], disc[2], disc[3], ball[0], ball[1], ball[2]);
  CHECK(disc[1] < 0.035);
  CHECK(disc[3] < 0.006);
  CHECK(std::log2(disc[0] / disc[3]) / 3 > 1.35);
  CHECK(ball[1] < 0.05);
  CHECK(std::log2(ball[0] / ball[2]) / 2 > 1.4);
}

namespace {

// Over the theory's: from the first to the fourth time that the drop is round.
template <int D>
double period_of(const Drop& drop) {
  Running r(drop.scene().text(), Exec::cpu(2));
  std::vector<double> round;
  double last = stretch_of<D>(r);
  while (round.size() < 4 && r.time() < 3 * drop.period()) {
    r.advance(1);
    const double now = stretch_of<D>(r);
    if (now * last < 0) round.push_back(r.time() - drop.dt() * now / (now - last));
    last = now;
  }
  REQUIRE(round.size() == 4);
  return (round[3] - round[0]) / 1.5 / drop.period();
}

}  // namespace

// About 1 % is of the amplitude; the rest is of the smoothing, of second order in the cell.
// Particles at the surface tremble, by which one drop of 24 cells swings by a hundredth slower or
// faster than another.
TEST_CASE("flip: a drop swings with Lamb's period in the plane", "[long]") {
  CHECK(period_of<2>({.cells_a_radius = 12, .stretch = 1.1}) == Approx(1).epsilon(0.05));
  double mean = 0;
  for (const double off : {0.0, 0.1, 0.25, 0.3}) {
    const double one = period_of<2>({.cells_a_radius = 24, .stretch = 1.1, .off = off});
    CHECK(one == Approx(1).epsilon(0.04));
    mean += one / 4;
  }
  CHECK(mean == Approx(1).epsilon(0.025));
}
TEST_CASE("flip: a drop swings with Lamb's period in space", "[slow]") {
  CHECK(period_of<3>({.dim = 3, .cells_a_radius = 9, .stretch = 1.1}) == Approx(1).epsilon(0.05));
}

// In speeds of its waves, sqrt(sigma / rho R).
TEST_CASE("flip: a still drop with surface tension stays still") {
  const Drop d;
  Running r(d.scene().text(), Exec::cpu(2));
  const double m = r.measure("water.mass"), c = d.capillary_speed();
  double most = 0, energy = 0, momentum = 0;
  while (r.time() < 3 * d.period()) {
    r.advance(5);
    most = std::max(most, r.measure("water.max_speed") / c);
    energy = std::max(energy, r.measure("water.kinetic_energy") / (m * c * c));
    for (const char* axis : {"x", "y"})
      momentum =
          std::max(momentum, std::abs(r.measure(std::string("water.momentum.") + axis)) / (m * c));
  }
  CHECK(most < 0.2);
  CHECK(energy < 5e-4);
  CHECK(momentum < 3e-3);
}

// What is level has no curvature, and walls are met at right angles.
TEST_CASE("flip: surface tension leaves water at rest") {
  for (const char* min : {"[0, 0]", "[-0.03, -0.07]"}) {
    LiquidScene s{.dt = 0.02, .cell = 0.1, .min = min};
    s.max = std::string(min) == "[0, 0]" ? "[1, 1]" : "[1.17, 1.03]";
    s.objects = R"(, {"name": "tank", "kind": "boundary",
      "shape": {"box": {"min": [0, 0], "max": [1, 3]}, "inside": true}})";
    s.more = R"(, "boundary": ["tank"], "surface_tension": 72, "pressure": {"tolerance": 1e-6})";
    Running r(s.text(), Exec::cpu(1));
    r.advance(200);
    CHECK(r.measure("water.max_speed") < 2e-6);
  }
}

// sqrt(rho h^3 / (2 pi sigma)) is the longest substep, and of what has one substep that is said.
TEST_CASE("flip: waves of surface tension bound the substeps") {
  Drop d{.cells_a_radius = 6};
  LiquidScene s = d.scene();
  s.dt = 4.5 * d.dt();
  Running r(s.text(), Exec::cpu(1));
  r.advance(1);
  CHECK(r.measure("water.substeps") == 5);
  d.more = R"(, "substeps": 2)";
  Running given(d.scene().text(), Exec::cpu(1));
  CHECK(given.sim.pipeline.back().stage->stable_dt(given.world()) == Approx(2 * d.dt()));
  s.dt = 2000 * d.dt();
  CHECK_THROWS_WITH(Running(s.text(), Exec::cpu(1)).advance(1),
                    Catch::Matchers::Contains("use shorter steps"));
}

TEST_CASE("flip: what is too small for its surface tension is told") {
  const auto told = [](double cells) {
    Running r(Drop{.dim = 3, .cells_a_radius = cells}.scene().text(), Exec::cpu(2));
    r.advance(1);
    return r.sim.pipeline.back().stage->warning(r.world());
  };
  CHECK(told(12) == "");
  CHECK_THAT(told(4), Catch::Matchers::Contains("surface tension is wrong"));
}
