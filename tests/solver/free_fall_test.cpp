#include <catch2/catch.hpp>
#include <cmath>

#include "support/particle_scenes.h"

using namespace rtsim;

namespace {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());

struct Case {
  std::string stage;
  int steps;               // of the longer step
  double position, speed;  // roundings: eps times so much a step, and a root of the steps
};

}  // namespace

TEMPLATE_TEST_CASE_SIG("free fall: is the scheme's own, and converges at first order", "",
                       ((int D), D), 2, 3) {
  const double end = 0.1, g = 9.81;
  // Of a position near 0.3 and of velocities near 1; sph_bodin adds the pair impulses of 15 sweeps.
  const Case cases[] = {{R"("type": "wcsph", "max_speed": 10)", 200, 0.02, 0.5},
                        {R"("type": "pbf")", 200, 0.02, 0.5},
                        {R"("type": "sph_clavet")", 200, 0.02, 0.5},
                        {R"("type": "sph_bodin")", 50, 0.1, 0}};
  for (const Case& c : cases) {
    INFO(c.stage);
    double error[2];
    for (int k = 0; k < 2; ++k) {
      const int n = c.steps << k;
      const double dt = end / n;
      Running r(block_scene(D, c.stage, dt, true), Exec::cpu(1));
      const double start = mean_height<D>(r);
      r.advance(n);
      const double fallen = start - mean_height<D>(r);
      // Symplectic Euler: g dt^2 n (n + 1) / 2.
      CHECK(fallen == Approx(0.5 * g * dt * dt * n * (n + 1))
                          .margin(c.speed * eps * std::sqrt(n) + c.position * n * eps));
      error[k] = fallen - 0.5 * g * end * end;
    }
    CHECK(std::log2(error[0] / error[1]) == Approx(1).margin(0.1));
  }
}
