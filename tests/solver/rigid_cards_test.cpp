#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <tuple>

#include "rigid/body.h"
#include "support/running.h"

using namespace rtsim;

namespace {

constexpr double degree = std::numbers::pi / 180;

// Boxes, and a floor.
struct Cards {
  double size, friction, rate;
  std::string bodies = {}, walls = {};

  // Of `size` times so much, turned about z by an angle [degrees].
  void add(double thick, double high, double deep, double x, double y, double angle) {
    bodies += fmt::format(
        R"({}{{"shape": {{"box": {{"min": [{}, {}, {}], "max": [{}, {}, {}]}}, "transform":
           {{"axis": [0, 0, 1], "angle": {}, "translate": [{}, {}, 0]}}}}}})",
        bodies.empty() ? "" : ", ", -0.5 * thick * size, -0.5 * high * size, -0.5 * deep * size,
        0.5 * thick * size, 0.5 * high * size, 0.5 * deep * size, angle, x * size, y * size);
  }
  Running run() const {
    return {
        fmt::format(
            R"({{"rtsim": 1, "dim": 3, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 100000}},
        "objects": [{{"name": "b", "kind": "bodies", "density": 900, "bodies": [{}]}},
                    {{"name": "floor", "kind": "boundary", "shape": {{"plane": {{}}}}}}{}],
        "stages": [{{"type": "rigid", "bodies": "b", "boundary": ["floor"{}], "friction": {}}}],
        "output": []}})",
            1 / rate, bodies, walls, walls.empty() ? "" : R"(, "wall")", friction),
        Exec::cpu(2)};
  }
  int steps(double seconds) const { return int(seconds * std::sqrt(size) * rate); }
};

// Against the wall x = 0, as thick as makes no difference.
double kept_by_ladder(double angle, Cards cards) {
  constexpr double thin = 0.004;
  const double c = std::cos(angle * degree), s = std::sin(angle * degree);
  cards.add(thin, 1, 0.7, -0.5 * (s + thin * c), 0.5 * (c + thin * s), -angle);
  cards.walls =
      R"(, {"name": "wall", "kind": "boundary", "shape": {"plane": {"normal": [-1, 0, 0]}}})";
  Running r = cards.run();
  const double start = r.measure("b.potential_energy");
  r.advance(cards.steps(5));
  return r.measure("b.potential_energy") / start;
}

}  // namespace

// With friction mu at both ends a ladder stands that leans by less than 2 atan(mu) from the
// vertical: the forces at its ends lie on the sides of the cones, and meet over its middle.
TEST_CASE("rigid_cards: a ladder leans on a wall where friction is tan(a / 2) and more") {
  for (const double angle : {20.0, 37.0})
    for (const auto& [size, rate] : {std::pair{1.0, 60.0}, {0.09, 240.0}, {5.0, 47.0}}) {
      INFO(angle << " degrees, " << size << " m, " << rate << " Hz");
      const double limit = std::tan(0.5 * angle * degree);
      CHECK(kept_by_ladder(angle, {size, 1.1 * limit, rate}) == Approx(1).margin(0.01));
      CHECK(kept_by_ladder(angle, {size, 0.9 * limit, rate}) < 0.2);
    }
}

TEST_CASE("rigid_cards: a row of dominoes falls, gains nothing, and comes to rest", "[long]") {
  for (const auto& [size, gap, rate] :
       {std::tuple{0.05, 0.5, 240.0}, {0.05, 0.27, 113.0}, {1.7, 0.4, 60.0}}) {
    INFO(size << " m, " << gap << ", " << rate << " Hz");
    constexpr int count = 20;
    Cards row{size, 0.3, rate};
    // The first leans by more than its diagonal does.
    const double angle = 1.5 * std::atan(0.15) / degree;
    row.add(0.15, 1, 0.5, -0.5 * std::sin(angle * degree), 0.5 * std::cos(angle * degree) + 0.01,
            -angle);
    for (int k = 1; k < count; ++k) row.add(0.15, 1, 0.5, k * (gap + 0.15), 0.5, 0);
    Running r = row.run();
    const double start = r.measure("b.potential_energy");
    double before = start, rise = 0;
    for (int n = 0; n < row.steps(20); ++n) {
      r.advance(1);
      const double now = r.measure("b.potential_energy") + r.measure("b.kinetic_energy");
      rise = std::max(rise, now - before), before = now;
    }
    CHECK(rise < 5e-4 * start);
    CHECK(before < 0.5 * start);
    CHECK(r.measure("b.kinetic_energy") < 1e-6 * start);
    const auto q = r.world().table("b").download<rigid::Orientation<3>>("orientation");
    for (const auto& turn : q) CHECK(std::abs(turn[2]) > std::sin(0.5 * 20 * degree));
  }
}
