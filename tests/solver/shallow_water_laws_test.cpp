#include <algorithm>
#include <catch2/catch.hpp>
#include <numbers>

#include "shallow_water/edges.h"
#include "shallow_water/friction.h"
#include "shallow_water/riemann.h"
#include "support/water_scenes.h"

// The laws of shallow water one by one, and its two bodies against each other.
using namespace rtsim;
using namespace rtsim::shallow_water;

namespace {

constexpr Real g = Real(9.81);
constexpr double eps = std::numeric_limits<Real>::epsilon();

Side<Real> side(double h, double w, double n, double t) {
  return {Real(h), Real(w), Real(n), Real(t), std::sqrt(g * Real(h))};
}

}  // namespace

TEST_CASE("shallow_water: between equal sides flows their flux") {
  const Flux<Real> f = hll(side(2, 2, 1.5, 0.7), side(2, 2, 1.5, 0.7), g);
  CHECK(f.mass == Approx(3));
  CHECK(f.below == Real(4.5));  // less the pressure of either side
  CHECK(f.above == Real(4.5));
  CHECK(f.along == Approx(2.1));
}

// Beside a film that flows at 3 m/s away from it, in water of 1 mm to 10 m.
TEST_CASE("shallow_water: deep water drains nothing out of a film beside it") {
  for (const double film : {1e-16, 1e-12, 1e-7})
    for (double deep = 1e-3; deep < 10; deep *= 1.37)
      for (const double n : {-3.0, -0.65, 0.0, 2.1}) {
        const Flux<Real> f = hll(side(deep, 1, n, 0), side(film, 1, 0, 0), g);
        CAPTURE(film, deep, n, f.mass);
        CHECK(f.mass >= -film * std::sqrt(9.81 * film + 10 * deep));
      }
}

TEST_CASE(
    "shallow_water: over a step of the ground still water stays, and what stands above falls") {
  const Flux<Real> still = hll(side(2, 5, 0, 0), side(0.25, 5, 0, 0), g);
  CHECK(still.mass == 0);
  CHECK(still.along == 0);
  // The cell above pushes with the pressure of what meets, 0.25 m deep; the one below as well.
  CHECK(still.below == Approx(-0.5 * 9.81 * (0.25 * 0.25) + 0.5 * 9.81 * 0.0625).margin(1e-6));
  const Flux<Real> dry = hll(side(0, 6, 0, 0), side(1, 5, 0, 0), g);  // a shore
  CHECK(dry.mass == 0);
  const Flux<Real> fall = hll(side(1, 6, 0, 0), side(1, 2, 0, 0), g);
  CHECK(fall.mass > 0);
  CHECK(fall.below < -9.81);  // pulled over the edge by the whole fall of 3 m
}

TEST_CASE("shallow_water: mirrored sides mirror the flux") {
  const Flux<Real> a = hll(side(2, 3, 0.8, 0.3), side(1, 2.5, -0.2, 0.9), g),
                   b = hll(side(1, 2.5, 0.2, 0.9), side(2, 3, -0.8, 0.3), g);
  CHECK(a.mass == Approx(-b.mass).epsilon(20 * eps));
  CHECK(a.along == Approx(-b.along).epsilon(20 * eps));
  CHECK(a.below == Approx(b.above).epsilon(40 * eps));
}

TEST_CASE("shallow_water: the inverse cube root holds over all depths") {
  for (double h = 1e-12; h < 1e6; h *= 1.7) {
    INFO(h);
    CHECK(inverse_cube_root(Real(h)) ==
          Approx(1 / std::cbrt(double(Real(h)))).epsilon(1e-9 + 8 * eps));
  }
}

TEST_CASE("shallow_water: an inflow has its discharge and the outgoing invariant") {
  for (const double q : {1e-3, 0.5, 40.0})
    for (const double r : {-30.0, -3.0, 0.0, 2.0}) {
      INFO(q << " " << r);
      const double h = inflow_depth(Real(q), Real(r), g);
      CHECK(q / h - 2 * std::sqrt(9.81 * h) == Approx(r).epsilon(1e-4).margin(1e-4));
    }
}

namespace {

// Several tiles each way, and none of them whole; something at every edge.
WaterScene wide(const std::string& more) {
  WaterScene s{.nx = 531, .nz = 139, .spacing = 0.1, .dt = 0.01};
  s.stage = more;
  return s;
}
Standing rough(double x, double z) {
  const double bed = 0.3 * std::sin(2 * x) * std::cos(3 * z);
  return {bed, std::max(0.0, (x < 20 ? 0.9 : 0.1) - bed), 0.2, -0.1};
}
const char* const mixed =
    R"(, "manning": 0.02, "rain": 1e-3, "x_min": {"type": "inflow", "discharge": 0.3, "from": 2, "to": 9},
       "x_max": {"type": "absorbing", "layer": 1}, "z_min": {"type": "outflow"}, "z_max": {"type": "level", "level": 0.2})";
const char* const periodic =
    R"(, "x_min": {"type": "periodic"}, "x_max": {"type": "periodic"}, "z_min": {"type": "periodic"}, "z_max": {"type": "periodic"})";

}  // namespace

TEST_CASE("shallow_water: tiles agree with cells one by one, and threads with each other") {
  for (const char* edges : {mixed, periodic}) {
    Basin one(wide(edges), rough, Exec::cpu(1)), two(wide(edges), rough, Exec::cpu(2)),
        cells(wide(edges), rough, Exec::cpu(2).device_shaped());
    one.run.advance(10), two.run.advance(10), cells.run.advance(10);
    CHECK(one.run.world().state_hash() == two.run.world().state_hash());
    CHECK(cells.run.world().state_hash() == one.run.world().state_hash());  // the same operations
    for (const char* sum : {"mass", "momentum.x", "momentum.z", "kinetic_energy",
                            "potential_energy", "wet_area", "front", "max_speed"}) {
      INFO(sum);
      const std::string name = std::string("w.") + sum;
      CHECK(one.run.measure(name) == two.run.measure(name));
      // Rounding of sums of 74,000 numbers, in double.
      CHECK(one.run.measure(name) == Approx(cells.run.measure(name)).epsilon(1e-10));
    }
  }
}
