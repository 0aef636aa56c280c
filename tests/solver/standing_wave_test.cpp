#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "sim/build/settle.h"
#include "support/running.h"

using namespace rtsim;

namespace {

constexpr double pi = 3.14159265358979323846;

// Half a wave length of 2 m on water 1 m deep in a tank 1 m long: eta = a cos(k x), k = pi. Airy's
// theory has omega^2 = g k tanh(k H), a period of 1.13392 s.
std::string wave(const std::string& stage, double spacing, double amplitude) {
  std::string points;
  for (int k = 0; k <= 40; ++k)
    points += fmt::format("[{}, {}], ", k / 40.0, 1 + amplitude * std::cos(pi * k / 40.0));
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": 2000}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": {},
        "fill": {{"polygon": {{"points": [{}[1, 0], [0, 0]]}}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [1, 2]}}, "inside": true}}}}],
    "stages": [{{"fluid": "water", "boundary": ["tank"], {}}}], "output": []}})",
      spacing, points, stage);
}

// Mass under the crest less that under the trough, up to a factor.
double tilt(World& world) {
  double sum = 0;
  for (const auto& x : world.table("water").download<Vec<2>>("position"))
    sum += std::cos(pi * double(x[0]));
  return sum;
}

// From every second zero of the tilt, by straight lines.
double period(Running& r, double until) {
  double first = 0, last = 0, before = tilt(r.world());
  int zeros = 0;
  while (r.time() < until) {
    r.advance(2);
    const double now = tilt(r.world());
    if (before * now < 0) {
      last = r.time() - 2 * r.dt() * now / (now - before);
      if (++zeros == 1) first = last;
    }
    before = now;
  }
  return 2 * (last - first) / (zeros - 1);
}

// Airy's theory.
void check_period(const std::string& type) {
  INFO(type);
  Running r(wave(fmt::format(R"("type": "{}")", type), 0.025, 0.05), Exec::cpu(2));
  settle(r.sim, r.dt()), r.refresh();
  CHECK(period(r, 3) == Approx(1.13392).epsilon(0.02));
}

}  // namespace

TEST_CASE("standing wave: dfsph has the period of Airy's theory within 2 %") {
  check_period("dfsph");
}
TEST_CASE("standing wave: so do iisph and pcisph", "[long]") {
  for (const std::string type : {"iisph", "pcisph"}) check_period(type);
}
