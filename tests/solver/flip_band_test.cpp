#include <catch2/catch.hpp>
#include <cmath>

#include "support/liquid_scenes.h"
#include "support/resumed.h"

using namespace rtsim;

namespace {

// The stage with a band of four cells, or with particles everywhere.
LiquidScene banded(LiquidScene s, bool band = true) {
  if (band) s.more += R"(, "band": 4)";
  return s;
}
double rows(Running& r) { return r.world().table("water").rows(); }
double energy(Running& r) {
  return r.measure("water.kinetic_energy") + r.measure("water.potential_energy");
}
double drained(Running& r) { return r.measure("water.drained"); }
// Of what there was at the start and came since.
double accounted(Running& r, double poured = 0) {
  return rows(r) - poured - r.measure("water.seeded") + r.measure("water.absorbed") + drained(r);
}

LiquidScene dam(int dim) {
  LiquidScene s{.dim = dim, .dt = 0.005, .cell = dim == 2 ? 0.0125 : 0.025};
  s.fill = dim == 2 ? R"("box": {"min": [0, 0], "max": [0.6, 0.8]})"
                    : R"("box": {"min": [0, 0, 0], "max": [0.6, 0.8, 0.4]})";
  s.min = dim == 2 ? "[0, 0]" : "[0, 0, 0]", s.max = dim == 2 ? "[1.6, 1.2]" : "[1.6, 1.2, 0.4]";
  if (dim == 3) s.gravity = "[0, -9.81, 0]", s.velocity = "[0, 0, 0]";
  return s;
}
LiquidScene tank(double height, int cells) {
  LiquidScene s{.dt = 0.01, .cell = 1.0 / cells, .max = "[1, 0.75]"};
  std::string surface;
  for (int i = 0; i <= cells; ++i)
    surface +=
        fmt::format(", [{}, {}]", i / double(cells), 0.5 + height * std::cos(M_PI * i / cells));
  s.fill = fmt::format(R"("polygon": {{"points": [[1, 0], [0, 0]{}]}})", surface);
  return s;
}

}  // namespace

// Until the front is at the wall; what splashes afterwards is another each time.
TEST_CASE("flip: a dam that breaks does so alike with particles in a band alone", "[long]") {
  for (const int dim : {2, 3}) {
    Running full(dam(dim).text(), Exec::cpu(2)), band(banded(dam(dim)).text(), Exec::cpu(2));
    const double start = energy(full), reach = full.measure("water.front");
    CHECK(energy(band) == Approx(start).epsilon(1e-6));
    double fewest = 1;
    for (int i = 0; i < 8; ++i) {
      full.advance(10), band.advance(10);
      INFO(dim << "D, after " << band.time() << " s");
      const double way = full.measure("water.front") - reach;
      CHECK(band.measure("water.front") - reach == Approx(way).margin(0.01 * 1.6));
      CHECK(energy(band) == Approx(energy(full)).epsilon(0.01));
      CHECK(band.measure("water.volume") == Approx(full.measure("water.volume")).epsilon(0.01));
      CHECK(band.measure("water.mass") == Approx(full.measure("water.mass")).epsilon(1e-9));
      fewest = std::min(fewest, rows(band) / rows(full));
    }
    CHECK(fewest < (dim == 2 ? 0.6 : 0.8));
  }
}

// Walls among the cells, and as the sides of the grid.
TEST_CASE("flip: water at rest stays at rest with a band") {
  for (const bool solid : {false, true}) {
    LiquidScene s{.dt = 0.02, .cell = 0.05};
    s.fill = R"("box": {"min": [0, 0], "max": [1, 0.7]})";
    if (solid) {
      s.min = "[-0.03, -0.07]", s.max = "[1.17, 1.03]";
      s.objects = R"(, {"name": "tank", "kind": "boundary",
        "shape": {"box": {"min": [0, 0], "max": [1, 3]}, "inside": true}})";
      s.more = R"(, "boundary": ["tank"])";
    }
    s.more += R"(, "pressure": {"tolerance": 1e-6})";
    Running r(banded(s).text(), Exec::cpu(1));
    const double volume = r.measure("water.volume");
    r.advance(500);
    INFO((solid ? "a tank" : "sides"));
    CHECK(r.measure("water.deep_cells") > 40);
    CHECK(r.measure("water.max_speed") < 2e-4);
    CHECK(r.measure("water.volume") == Approx(volume).epsilon(1e-5));
    if (solid) CHECK(r.measure("water.rows_in_walls") == 0);
  }
}

TEST_CASE("flip: water with a band sloshes at its frequency and gains no energy") {
  const auto frequency = [](bool band) {
    Running r(banded(tank(0.03, 32), band).text(), Exec::cpu(2));
    std::vector<double> turns;
    double before = 0, start = energy(r), most = start;
    for (int i = 0; i < 490; ++i) {
      r.advance(1);
      const double p = r.measure("water.momentum.x");
      if (i > 5 && before * p < 0)
        turns.push_back((double(r.steps) - 1 + before / (before - p)) * r.dt());
      before = p, most = std::max(most, energy(r));
    }
    CHECK(most < start * 1.001);
    REQUIRE(turns.size() >= 6);
    return double(turns.size() - 1) / (2 * (turns.back() - turns.front()));
  };
  const double full = frequency(false);
  CHECK(frequency(true) == Approx(full).epsilon(0.01));
}

TEST_CASE("flip: water with a band keeps its mass and its volume for ten seconds") {
  LiquidScene s = tank(0.05, 32);
  s.more = R"(, "keep_volume": true)";
  Running r(banded(s).text(), Exec::cpu(2));
  const double mass = r.measure("water.mass"), before = rows(r);
  double worst = 0;
  while (r.time() < 10) {
    r.advance(10);
    worst = std::max(worst, std::abs(r.measure("water.volume_error")));
    CHECK(accounted(r) == before);
    CHECK(r.measure("water.mass") == Approx(mass).epsilon(1e-9));
  }
  CHECK(worst < 0.01);
  CHECK(r.measure("water.seeded") > 100);
}

// A jet that comes out under water and a drain at the bottom: each takes particles where it is.
TEST_CASE("flip: what is poured into deep water, drained and taken out is accounted for") {
  LiquidScene s{.dt = 0.01, .cell = 0.05, .max = "[2, 1.5]"};
  s.fill = R"("box": {"min": [0, 0], "max": [2, 0.9]})";
  s.more = R"(, "sides": {"x_high": {"kind": "open"}, "y_high": {"kind": "open"}})";
  s.stages = R"(, {"type": "emit", "fluid": "water", "max_particles": 9000,
      "velocity": [1.5, 0], "shape": {"box": {"min": [0.7, 0.4], "max": [0.75, 0.6]}}},
    {"type": "remove", "fluid": "water", "shape": {"box": {"min": [0.3, 0], "max": [0.6, 0.1]}}})";
  Running r(banded(s).text(), Exec::cpu(1));
  const double before = rows(r), tile = 4;
  double momentum = 0;
  for (int i = 0; i < 60; ++i) {
    r.advance(1);
    const double poured = r.measure("water.emitted") - r.measure("water.removed");
    CHECK(accounted(r, poured) == before);
    const double all = rows(r) + tile * r.measure("water.deep_cells") + r.measure("water.owed");
    CHECK(all == Approx(before + poured - drained(r)).margin(1e-6));
    momentum = std::max(momentum, r.measure("water.momentum.x"));
  }
  CHECK(r.measure("water.emitted") > 50);
  CHECK(r.measure("water.removed") > 100);
  CHECK(drained(r) > 10);
  CHECK(r.measure("water.deep_cells") > 0);
}

// A paddle a cell and a half thick amid deep water.
TEST_CASE("flip: a band goes round boundaries that move") {
  LiquidScene s{.dt = 0.005, .cell = 0.025, .min = "[0, 0]", .max = "[1, 0.9]"};
  s.fill = R"("difference": [{"box": {"min": [0, 0], "max": [1, 0.6]}},
                             {"box": {"min": [0.45, -1], "max": [0.55, 2]}}])";
  s.objects = R"(, {"name": "paddle", "kind": "boundary",
    "shape": {"box": {"min": [0.48, 0.1], "max": [0.52, 1.2]}},
    "motion": {"keyframes": [{"time": 0}, {"time": 0.3, "translate": [0.35, 0]},
      {"time": 0.75, "translate": [-0.35, 0]}, {"time": 1.2, "translate": [0.3, 0]},
      {"time": 1.3, "translate": [0.3, 0]}]}})";
  s.more = R"(, "boundary": ["paddle"])";
  Running r(banded(s).text(), Exec::cpu(2));
  const double before = rows(r), mass = r.measure("water.mass");
  for (int i = 0; i < 25; ++i) {
    r.advance(10);
    CHECK(r.measure("water.rows_in_walls") == 0);
    CHECK(accounted(r) == before);
    CHECK(r.measure("water.mass") == Approx(mass).epsilon(1e-9));
  }
  CHECK(drained(r) == 0);
}

// A full box without walls has no surface: all of it is on the grid. The vortices of Taylor and
// Green stand still; what they lose, the cubic polynomials between faces do, h^3 |u| k^4 a second.
TEST_CASE("flip: without a surface there are no particles, and vortices stay") {
  const auto left = [](bool band) {
    const int n = 32;
    LiquidScene s{.dt = 0.01, .cell = 1.0 / n, .fill = R"("box": {"min": [0, 0], "max": [1, 1]})"};
    s.gravity = "[0, 0]";
    const std::string wave = R"({"kind": "periodic"})";
    s.more = fmt::format(
        R"(, "sides": {{"x_low": {0}, "x_high": {0}, "y_low": {0}, "y_high": {0}}})", wave);
    Running r(banded(s, band).text(), Exec::cpu(1));
    auto u = particles<2>(r, "position");
    const auto x = u;
    std::vector<Vec<4>> c(u.size());
    const Real k = Real(2 * M_PI);
    for (std::size_t i = 0; i < u.size(); ++i) {
      const Real sx = std::sin(k * x[i][0]), cx = std::cos(k * x[i][0]), sy = std::sin(k * x[i][1]),
                 cy = std::cos(k * x[i][1]);
      u[i] = {{sx * cy, -cx * sy}};
      c[i] = {{k * cx * cy, -k * sx * sy, k * sx * sy, -k * cx * cy}};
    }
    set_particles<2>(r, "velocity", u);
    r.world().exec.upload(r.world().table("water").column<Vec<4>>("velocity_gradient").data,
                          c.data(), c.size() * sizeof c[0]);
    const double before = r.measure("water.kinetic_energy");
    r.advance(50);
    if (band) CHECK(rows(r) == 0);
    return r.measure("water.kinetic_energy") / before;
  };
  CHECK(left(true) > left(false));
  CHECK(left(true) < 1.001);
}

// Nothing is lost, and the flow goes as without a band, whatever else the stage does: for 0.15 s,
// in which particles everywhere keep their volume too, as they do not after the fronts met the
// walls.
TEST_CASE("flip: a band goes with every other parameter") {
  const std::string wave = R"({"kind": "periodic"})";
  for (const std::string& more :
       {std::string(R"(, "transfer": "flip")"), std::string(R"(, "transfer": "pic")"),
        std::string(R"(, "kinematic_viscosity": 0.001)"), std::string(R"(, "surface_tension": 2)"),
        std::string(R"(, "keep_volume": true)"), std::string(R"(, "trace": "midpoint")"),
        fmt::format(R"(, "sides": {{"x_low": {0}, "x_high": {0}}})", wave)}) {
    LiquidScene s{.dt = 0.005, .cell = 0.025, .max = "[1.6, 1.2]"};
    s.fill = R"("box": {"min": [0.1, 0], "max": [0.9, 0.8]})";
    s.velocity = "[0.3, 0]", s.more = more;
    Running full(s.text(), Exec::cpu(2)), band(banded(s).text(), Exec::cpu(2));
    const double before = rows(band), mass = band.measure("water.mass");
    const double start = energy(band), volume = band.measure("water.volume");
    full.advance(30), band.advance(30);
    INFO(more);
    CHECK(full.measure("water.volume") == Approx(volume).epsilon(0.005));
    CHECK(energy(band) == Approx(energy(full)).epsilon(0.01));
    CHECK(band.measure("water.momentum.x") ==
          Approx(full.measure("water.momentum.x")).margin(0.02 * mass));
    band.advance(60);
    CHECK(band.measure("water.deep_cells") > 0);
    CHECK(accounted(band) == before);
    CHECK(band.measure("water.mass") == Approx(mass).epsilon(1e-9));
    CHECK(energy(band) < 1.001 * start);
  }
}

// Particles that do not tile cells by a whole number: 3.2 along a side.
TEST_CASE("flip: a band keeps the mass of any spacing") {
  LiquidScene s{.dt = 0.005, .cell = 0.04, .spacing = 0.0125, .max = "[1.6, 1.2]"};
  s.fill = R"("box": {"min": [0, 0], "max": [0.7, 0.8]})";
  Running r(banded(s).text(), Exec::cpu(2));
  const double mass = r.measure("water.mass"), volume = r.measure("water.volume");
  r.advance(100);
  CHECK(r.measure("water.deep_cells") > 0);
  CHECK(r.measure("water.mass") == Approx(mass).epsilon(1e-9));
  CHECK(r.measure("water.volume") == Approx(volume).epsilon(0.02));
}

// The bodies that a device runs find the same but for roundings, which decide now and then whether
// a site gets a particle.
TEST_CASE("flip: a band is the same in both forms of its kernels") {
  for (const int dim : {2, 3}) {
    LiquidScene s = banded(dam(dim));
    s.cell = dim == 2 ? 0.025 : 0.05;
    Running cpu(s.text(), Exec::cpu(2)), device(s.text(), Exec::cpu(2).device_shaped());
    cpu.advance(30), device.advance(30);
    INFO(dim << "D");
    CHECK(device.measure("water.deep_cells") ==
          Approx(cpu.measure("water.deep_cells")).epsilon(0.02));
    CHECK(energy(device) == Approx(energy(cpu)).epsilon(1e-3));
    CHECK(rows(device) == Approx(rows(cpu)).epsilon(0.02));
  }
}

TEST_CASE("flip: a run with a band resumes with the same bytes on any number of threads") {
  for (const int dim : {2, 3}) {
    LiquidScene s = banded(dam(dim));
    s.cell = dim == 2 ? 0.025 : 0.05;
    CHECK(resumes_alike(s.text(), 12));
  }
}

TEST_CASE("flip: a band is refused where it cannot be, with what to change") {
  using Catch::Matchers::Contains;
  const auto said = [](LiquidScene s) { return refusal(s.text(), 1); };
  CHECK_THAT(said({.more = R"(, "band": 2)"}), Contains("3 cells"));
  CHECK_THAT(said({.more = R"(, "band": 4)", .stages = R"(, {"type": "force_field",
    "particles": "water", "constant": {"acceleration": [1, 0]}})"}),
             Contains("leave \"band\" out"));
}
