#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "support/spring_scenes.h"

// One mass on one spring, and a pendulum: the whole stage against the exact motion.
using namespace rtsim;

namespace {

constexpr double amplitude = 0.1;

// 1 kg on 1 N/m, set off with a velocity: x = 1 + amplitude sin t. Greatest error of x, and
// of x' where steps end with it, over amplitude in ten periods of n steps.
double error(const std::string& integrator, int n) {
  Rope rope;
  rope.dt = 2 * pi / n;
  rope.velocity = fmt::format("[{}, 0, 0]", amplitude);
  rope.stage =
      fmt::format(R"(, "integrator": "{}", "newton_iterations": 5, "newton_tolerance": 1e-9,
      "cg_tolerance": 1e-9)",
                  integrator);
  Running r(rope.text(), Exec::cpu(1));
  double worst = 0;
  for (int k = 1; k <= 10 * n; ++k) {
    r.advance(1);
    const double x = (double(positions(r, "rope")[1][0]) - 1) / amplitude;
    worst = std::max(worst, std::abs(x - std::sin(k * rope.dt)));
    if (integrator == "verlet") continue;
    const double v = r.measure("rope.momentum.x") / amplitude;
    worst = std::max(worst, std::abs(v - std::cos(k * rope.dt)));
  }
  return worst;
}

double order(const std::string& integrator, int n) {
  return std::log2(error(integrator, n) / error(integrator, 2 * n));
}

}  // namespace

TEST_CASE("mass_spring: every integrator of the stage has its error and order") {
  // Figures as for the steps alone; the phase lag of the implicit midpoint rule is h^2 t / 12.
  CHECK(error("velocity_verlet", 100) == Approx(1.033e-2).epsilon(0.01));
  CHECK(error("verlet", 100) == Approx(1.033e-2).epsilon(0.01));
  CHECK(error("midpoint", 100) == Approx(4.138e-2).epsilon(0.01));
  CHECK(error("heun", 100) == Approx(4.138e-2).epsilon(0.01));
  CHECK(error("implicit_midpoint", 100) == Approx(2.066e-2).epsilon(0.01));
  // 40 steps a period: float's rounding, about 1e-6 after 400 steps, is far below.
  CHECK(error("rk4", 40) == Approx(std::pow(2 * pi / 40, 4) / 120 * 20 * pi).epsilon(0.02));

  for (const char* second :
       {"velocity_verlet", "verlet", "midpoint", "heun", "implicit_midpoint"}) {
    INFO(second);
    CHECK(order(second, 100) == Approx(2).margin(0.05));
  }
  CHECK(order("rk4", 20) == Approx(4).margin(0.1));
  CHECK(order("symplectic_euler", 100) == Approx(1).margin(0.05));
  // Amplitudes of exp(+-h t / 2), 1.06 at 3200 steps a period: first order from above and below.
  CHECK(order("explicit_euler", 1600) == Approx(1).margin(0.06));
  CHECK(order("implicit_euler", 1600) == Approx(1).margin(0.06));
}

TEST_CASE("mass_spring: implicit Euler divides the energy by 1 + h^2, the midpoint rule by 1") {
  for (const double h : {0.01, 0.1, 1.0, 10.0}) {
    for (const bool middle : {false, true}) {
      Rope rope;
      rope.dt = h;
      rope.velocity = "[0.1, 0, 0]";
      rope.stage = fmt::format(R"(, "integrator": "{}", "cg_tolerance": 1e-9)",
                               middle ? "implicit_midpoint" : "implicit_euler");
      Running r(rope.text(), Exec::cpu(1));
      const double before = 0.005;
      r.advance(1);
      const double after = r.measure("rope.kinetic_energy") + r.measure("rope.elastic_energy");
      // In float a length near 1 m is known to 1e-7 of 1e-3 to 1e-1 m.
      CHECK(after / before == Approx(middle ? 1 : 1 / (1 + h * h)).epsilon(2e-4));
    }
  }
}

TEST_CASE("mass_spring: explicit integrators are stable up to the step that the stage names") {
  for (const char* integrator : {"symplectic_euler", "velocity_verlet", "rk4"})
    for (const double damping : {0.0, 0.5, 3.0}) {
      INFO(integrator << ", damping " << damping);
      const auto greatest = [&](double dt) {
        Rope rope;
        rope.dt = dt;
        rope.velocity = "[0.001, 0, 0]";
        rope.stage = fmt::format(R"(, "integrator": "{}", "damping": {})", integrator, damping);
        Running r(rope.text(), Exec::cpu(1));
        double x = 0;
        for (int k = 0; k < 300; ++k) {
          r.advance(1);
          x = std::max(x, std::abs(double(positions(r, "rope")[1][0]) - 1));
          if (x > 1) break;
        }
        return x;
      };
      Rope rope;
      rope.stage = fmt::format(R"(, "integrator": "{}", "damping": {})", integrator, damping);
      Running r(rope.text(), Exec::cpu(1));
      r.advance(1);  // so that the point is held
      const double stable = r.sim.pipeline.back().stage->stable_dt(r.world());
      CHECK(greatest(0.98 * stable) < 0.1);
      if (damping == 0) {
        CHECK(stable == Approx(std::strcmp(integrator, "rk4") == 0 ? 2.828427 : 2));
        CHECK(greatest(1.05 * stable) > 1);
      }
    }
}

TEST_CASE("mass_spring: a pendulum swings with the period of its amplitude") {
  // A mass on a spring of 1 m, so stiff that it stretches by 1e-4; T0 = 2 pi / sqrt(g), g = 1.
  // T / T0 from the complete elliptic integral.
  const double cases[][2] = {{10, 1.0019072}, {45, 1.0399733}, {90, 1.1803406}, {150, 1.7622037}};
  for (const auto& [degrees, ratio] : cases) {
    INFO(degrees);
    Rope rope;
    rope.dt = 0.002;
    rope.gravity = "[0, -1, 0]";
    rope.stiffness = 30000;
    rope.stage = R"(, "integrator": "velocity_verlet")";
    Running r(rope.text(), Exec::cpu(1));
    const double a = degrees * pi / 180;
    set<Vec<3>>(r, "rope", "position", {{{0, 0, 0}}, {{Real(std::sin(a)), Real(-std::cos(a)), 0}}});
    // A quarter of a period from rest to the lowest place.
    double before = std::sin(a), quarter = 0;
    while (quarter == 0 && r.time() < 20) {
      r.advance(1);
      const double x = double(positions(r, "rope")[1][0]);
      if (x <= 0) quarter = r.time() - rope.dt * x / (x - before);
      before = x;
    }
    CHECK(4 * quarter / (2 * pi) == Approx(ratio).epsilon(1e-3));
  }
}

TEST_CASE("mass_spring: drag slows a free rope at its rate, and falls reach their speed") {
  Rope rope;
  rope.held = "[]";
  rope.segments = 3;
  rope.gravity = "[0, -2, 0]";
  for (const char* integrator : {"rk4", "implicit_midpoint", "implicit_euler"}) {
    rope.stage = fmt::format(R"(, "drag": 0.5, "integrator": "{}")", integrator);
    Running r(rope.text(), Exec::cpu(1));
    r.advance(200);
    // v = g / d (1 - exp(-d t)); implicit Euler is off by half a step's change.
    const double exact = -2 / 0.5 * (1 - std::exp(-0.5 * 2)) * 4;
    CHECK(r.measure("rope.momentum.y") == Approx(exact).epsilon(3e-3));
    CHECK(r.measure("rope.momentum.x") == Approx(0).margin(1e-5));
  }
}
