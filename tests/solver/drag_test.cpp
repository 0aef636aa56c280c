#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "support/still_particles.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

// Half the air density times C_d A / (rho0 V) of one drop of the volume d^D [1/m].
double drag_rate(int dim, double d) {
  const double D = dim == 3 ? d * std::cbrt(6 / pi) : d * std::sqrt(4 / pi);
  return 1.2 * 0.47 / 2000 * (dim == 3 ? 1.5 / D : 4 / (pi * D));
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("drag: a lone drop reaches its terminal velocity", "", ((int D), D), 2, 3) {
  const double d = 0.002;
  Running r(drop_scene(D,
                       D == 2 ? R"("box": {"min": [0, 0], "max": [0.002, 0.002]})"
                              : R"("box": {"min": [0, 0, 0], "max": [0.002, 0.002, 0.002]})",
                       d, 0.01, R"("substeps": 4, "drag": {})", "",
                       D == 2 ? "[0, -9.81]" : "[0, -9.81, 0]"),
            Exec::cpu(1));
  REQUIRE(r.world().table("water").rows() == 1);
  const double terminal = std::sqrt(9.81 / drag_rate(D, d));
  r.advance(int(8 * terminal / 9.81 / 0.01));
  // Gravity acts after the drag of a substep of 2.5 ms.
  CHECK(r.measure("water.max_speed") == Approx(terminal).epsilon(0.002));
}

TEST_CASE("drag: a lone drop slows down by the closed form, to the wind's own velocity") {
  SphForcesParams p;
  p.drag = {.air_density = 1.2, .drag_coefficient = 0.47, .wind = {{3, -1, 2}}};
  const double d = 0.002, k = drag_rate(3, d);
  Still<3> s({{{0, 0, 0}}}, d, 2, p);
  s.set_velocity([](const Vec<3>&) { return Vec<3>{{13, -1, 2}}; });
  for (int i = 0; i < 100; ++i) s.apply(0.01);
  CHECK(double(s.velocity()[0][0]) == Approx(3 + 10 / (1 + 10 * k)).epsilon(1e-5));
  CHECK(double(s.velocity()[0][1]) == Approx(-1).epsilon(1e-5));
}

TEST_CASE("drag: the inside of a fluid feels nothing of the wind, its corners the most") {
  SphForcesParams p;
  p.drag = {.air_density = 1.2, .drag_coefficient = 0.47, .wind = {{10, 0, 0}}};
  Still<3> s(block<3>(6, 0.002), 0.002, 2, p);
  s.apply(0.01);
  const auto x = s.position(), v = s.velocity();
  double corner = 0, face = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    int outer = 0;
    for (int a = 0; a < 3; ++a) outer += std::abs(double(x[i][a]) - 0.006) > 0.0045;
    if (outer == 0 && norm(widen(x[i]) - Vec3d{{0.006, 0.006, 0.006}}) < 0.003) CHECK(v[i][0] == 0);
    if (outer == 3) corner = v[i][0];
    if (outer == 1) face = v[i][0];
  }
  CHECK(corner > face);
  CHECK(face > 0);
}
