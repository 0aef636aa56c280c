#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <string>

#include "mass_spring/spring.h"
#include "mass_spring/steps.h"

// The steps of every explicit integrator, in double, on x'' = -x - g x'.
using namespace rtsim;
using mass_spring::Tableau;

namespace {

constexpr double pi = 3.14159265358979323846;

struct Motion {
  double x = 1, v = 0;
  double energy() const { return 0.5 * (x * x + v * v); }
};

struct Oscillator {
  double damping = 0;
  double operator()(double x, double v) const { return -x - damping * v; }
};

using Stepper = std::function<void(Motion&, double h, bool first)>;

Stepper runge_kutta(const Tableau& t, Oscillator a = {}) {
  return [=](Motion& m, double h, bool) {
    auto s = mass_spring::first_stage(m.x, m.v);
    for (int k = 0; k < t.stages; ++k)
      s = mass_spring::next_stage(m.x, m.v, a(s.x, s.v), h * t.b[k],
                                  k + 1 < t.stages ? h * t.c[k + 1] : 0, s);
    m.x += s.sum_x, m.v += s.sum_v;
  };
}
Stepper symplectic_euler(Oscillator a = {}) {
  return
      [=](Motion& m, double h, bool) { mass_spring::symplectic_euler(m.x, m.v, a(m.x, m.v), h); };
}
Stepper verlet(bool jakobsen = false) {
  return [=](Motion& m, double h, bool first) {
    const Oscillator a;
    if (first && !jakobsen) m.v = mass_spring::verlet_start(m.v, a(m.x, m.v), h);
    mass_spring::symplectic_euler(m.x, m.v, a(m.x, m.v), h);
  };
}
Stepper velocity_verlet(Oscillator a = {}) {
  return [=](Motion& m, double h, bool) {
    double predicted = 0;
    mass_spring::half_kick_and_drift(m.x, m.v, predicted, a(m.x, m.v), h);
    mass_spring::half_kick(m.v, a(m.x, predicted), h);
  };
}

// Greatest error of x against sin t in ten periods of n steps each, or against cos t.
double error(const Stepper& step, int n, bool from_rest = false) {
  const double h = 2 * pi / n;
  Motion m;
  if (!from_rest) m = {0, 1};
  double worst = 0;
  for (int k = 1; k <= 10 * n; ++k) {
    step(m, h, k == 1);
    worst = std::max(worst, std::abs(m.x - (from_rest ? std::cos(k * h) : std::sin(k * h))));
  }
  return worst;
}

double order(const Stepper& step, int n, bool from_rest = false) {
  return std::log2(error(step, n, from_rest) / error(step, 2 * n, from_rest));
}

bool stays(const Stepper& step, double h) {
  Motion m;
  for (int k = 0; k < 20000; ++k) {
    step(m, h, k == 0);
    if (!(std::abs(m.x) < 1e3)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("mass_spring: integrators have their errors and orders after ten periods") {
  // Leading terms, t = 20 pi, h = 2 pi / 100: Verlet's phase is off by h^2 t / 24, that of midpoint
  // and Heun by h^2 t / 6, RK4's by h^4 t / 120; Euler's amplitude grows to exp(h t / 2).
  CHECK(error(velocity_verlet(), 100) == Approx(1.033e-2).epsilon(2e-3));
  CHECK(error(velocity_verlet(), 200) == Approx(2.584e-3).epsilon(2e-3));
  CHECK(error(velocity_verlet(), 400) == Approx(6.46e-4).epsilon(2e-3));
  CHECK(error(runge_kutta(mass_spring::midpoint), 100) == Approx(4.138e-2).epsilon(2e-3));
  CHECK(error(runge_kutta(mass_spring::heun), 100) == Approx(4.138e-2).epsilon(2e-3));
  CHECK(error(runge_kutta(mass_spring::rk4), 100) == Approx(8.16e-6).epsilon(2e-3));
  CHECK(error(runge_kutta(mass_spring::explicit_euler), 100, true) == Approx(6.2).epsilon(0.01));
  CHECK(error(verlet(), 100) == Approx(1.033e-2).epsilon(2e-3));

  CHECK(order(velocity_verlet(), 400) == Approx(2).margin(0.01));
  CHECK(order(verlet(), 400) == Approx(2).margin(0.01));
  CHECK(order(runge_kutta(mass_spring::midpoint), 400) == Approx(2).margin(0.01));
  CHECK(order(runge_kutta(mass_spring::heun), 400) == Approx(2).margin(0.01));
  CHECK(order(runge_kutta(mass_spring::rk4), 100) == Approx(4).margin(0.01));
  // Amplitudes of exp(h t / 2) - 1 approach first order from above.
  CHECK(order(runge_kutta(mass_spring::explicit_euler), 12800, true) == Approx(1).margin(0.02));
}

TEST_CASE("mass_spring: symplectic Euler is of first order, but not at whole periods") {
  // From rest the error is h sin t / 2 and a phase of h^2 t / 24; set off from x = 0 its velocity
  // is right half a step later, and positions are of second order.
  CHECK(order(symplectic_euler(), 6400, true) == Approx(1).margin(0.01));
  CHECK(order(symplectic_euler(), 400, false) == Approx(2).margin(0.01));
  const auto at_ten_periods = [](int n) {
    Motion m;
    for (int k = 0; k < 10 * n; ++k) symplectic_euler()(m, 2 * pi / n, false);
    return std::abs(m.x - 1);
  };
  CHECK(std::log2(at_ten_periods(400) / at_ten_periods(800)) > 1.9);
}

TEST_CASE("mass_spring: Verlet from x0 - h v0 is of first order, from half a kick less of second") {
  CHECK(order(verlet(true), 6400, true) == Approx(1).margin(0.01));
  CHECK(order(verlet(false), 400, true) == Approx(2).margin(0.01));
}

TEST_CASE("mass_spring: velocity Verlet keeps its second order under damping") {
  const double g = 0.1, w = std::sqrt(1 - g * g / 4);
  const auto off = [&](const Stepper& step, int n) {
    Motion m;
    double worst = 0;
    for (int k = 1; k <= 10 * n; ++k) {
      const double h = 2 * pi / n, t = k * h;
      step(m, h, k == 1);
      const double exact = std::exp(-g * t / 2) * (std::cos(w * t) + g / (2 * w) * std::sin(w * t));
      worst = std::max(worst, std::abs(m.x - exact));
    }
    return worst;
  };
  const Stepper step = velocity_verlet({g});
  CHECK(std::log2(off(step, 400) / off(step, 800)) == Approx(2).margin(0.02));
}

TEST_CASE("mass_spring: a step multiplies the energy by what theory says") {
  const auto growth = [](const Stepper& step, double h) {
    Motion m{0.6, 0.8};
    const double before = m.energy();
    step(m, h, true);
    return m.energy() / before - 1;
  };
  for (const double h : {0.1, 0.01}) {
    CHECK(growth(runge_kutta(mass_spring::explicit_euler), h) == Approx(h * h).epsilon(1e-10));
    const double second = std::pow(h, 4) / 4;
    CHECK(growth(runge_kutta(mass_spring::midpoint), h) == Approx(second).epsilon(1e-6));
    CHECK(growth(runge_kutta(mass_spring::heun), h) == Approx(second).epsilon(1e-6));
  }
  // 1 - h^6 / 72 + h^8 / 576
  CHECK(growth(runge_kutta(mass_spring::rk4), 0.1) ==
        Approx(-std::pow(0.1, 6) / 72 + std::pow(0.1, 8) / 576).epsilon(1e-6));
}

TEST_CASE("mass_spring: integrators are stable up to their limits of omega h") {
  for (const Stepper& step : {symplectic_euler(), verlet(), velocity_verlet()}) {
    CHECK(stays(step, 1.999));
    CHECK(!stays(step, 2.001));
  }
  CHECK(stays(runge_kutta(mass_spring::rk4), 2.828));
  CHECK(!stays(runge_kutta(mass_spring::rk4), 2.83));
  for (const Tableau& t : {mass_spring::explicit_euler, mass_spring::midpoint, mass_spring::heun})
    CHECK(!stays(runge_kutta(t), 0.3));
}

TEST_CASE("mass_spring: symplectic Euler bounds the energy over a million periods") {
  // It keeps (x^2 + v^2 - h x v) / 2 exactly, so the energy stays within h / 2 of its mean;
  // rounding walks at random, by 1e-16 sqrt(2e7).
  const int n = 20;
  const double h = 2 * pi / n;
  Motion m;
  const auto kept = [&] { return 0.5 * (m.x * m.x + m.v * m.v - h * m.x * m.v); };
  const double start = kept();
  double low = m.energy(), high = low;
  for (long k = 0; k < 1000000L * n; ++k) {
    mass_spring::symplectic_euler(m.x, m.v, Oscillator{}(m.x, m.v), h);
    low = std::min(low, m.energy()), high = std::max(high, m.energy());
  }
  CHECK(kept() == Approx(start).epsilon(1e-9));
  CHECK(low >= start / (1 + h / 2) - 1e-9);
  CHECK(high <= start / (1 - h / 2) + 1e-9);
}

TEST_CASE("mass_spring: symplectic Euler's energy is off by 3.24 % at 100 steps a period") {
  double worst = 0;
  Motion m;
  for (int k = 0; k < 1000; ++k) {
    symplectic_euler()(m, 2 * pi / 100, false);
    worst = std::max(worst, std::abs(m.energy() / 0.5 - 1));
  }
  CHECK(worst == Approx(3.24e-2).epsilon(5e-3));
}
