#include <catch2/catch.hpp>
#include <cmath>

#include "support/liquid_scenes.h"

using namespace rtsim;

namespace {

double weight(Running& r) { return 9.81 * r.measure("water.mass"); }

}  // namespace

// Wherever the surface stands in its cells, and beside a boundary that stands on the floor.
TEST_CASE("flip sides: bear the weight of still water") {
  for (const double top : {0.5, 0.53, 0.56})
    for (const char* wall : {"", R"("boundary": ["pier"])"}) {
      LiquidScene s{.dt = 0.02,
                    .fill = fmt::format(R"("box": {{"min": [0, 0], "max": [1.2, {}]}})", top)};
      s.max = "[1.2, 1]";
      if (*wall) {
        s.fill = fmt::format(R"("box": {{"min": [0, 0], "max": [0.8, {}]}})", top);
        s.more = fmt::format(", {}", wall);
        s.objects = R"(, {"name": "pier", "kind": "boundary",
      "shape": {"box": {"min": [0.8, -1], "max": [2, 2]}}})";
      }
      Running r(s.text(), Exec::cpu(1));
      r.advance(200);
      INFO("top " << top << ", " << wall);
      CHECK(r.measure("room.force.y") == Approx(-weight(r)).epsilon(2e-3));
      const double pressed = *wall ? r.measure("pier.force.x") : 0;
      CHECK(std::abs(r.measure("room.force.x") + pressed) < 2e-3 * weight(r));
    }
}

// What water gains is what gravity gives, less what the sides bear.
TEST_CASE("flip sides: with them the momentum of water that sloshes is complete") {
  for (const double cell : {0.0625, 0.05}) {
    LiquidScene s{.dt = 0.005, .cell = cell, .max = "[1, 1]"};
    s.fill = R"("polygon": {"points": [[0, 0], [1, 0], [1, 0.45], [0, 0.55]]})";
    Running r(s.text(), Exec::cpu(2));
    double x = r.measure("water.momentum.x"), y = r.measure("water.momentum.y"), most = 0;
    double worst_x = 0, worst_y = 0;
    for (int k = 0; k < 300; ++k) {
      r.advance(1);
      x -= s.dt * r.measure("room.force.x");
      y -= s.dt * (r.measure("room.force.y") + weight(r));
      most = std::max(most, std::abs(r.measure("water.momentum.x")));
      worst_x = std::max(worst_x, std::abs(r.measure("water.momentum.x") - x));
      worst_y = std::max(worst_y, std::abs(r.measure("water.momentum.y") - y));
    }
    CAPTURE(cell, most, worst_x, worst_y);
    CHECK(worst_x < 0.02 * most);
    CHECK(worst_y < 0.002 * 300 * s.dt * weight(r));
  }
}
