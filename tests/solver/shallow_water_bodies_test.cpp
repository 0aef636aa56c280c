#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "cache/checkpoint.h"
#include "support/running.h"
#include "support/temporary_folder.h"

// Bodies that push water aside, and edges that change over time.
using namespace rtsim;

namespace {

// A basin filled to 1 m with one body.
std::string basin(const std::string& shape, const std::string& motion, double size, double spacing,
                  double dt, const std::string& more = "") {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 3, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "w", "kind": "height_field", "spacing": {}, "min": [0, 0, 0], "max": [{}, 0, {}],
                  "fill": {{"plane": {{"point": [0, 1, 0], "normal": [0, 1, 0]}}}}}},
                {{"name": "body", "kind": "boundary", "shape": {{{}}}, "motion": {{{}}}}}],
    "stages": [{{"type": "shallow_water", "water": "w", "boundary": ["body"]{}}}]}})",
      dt, spacing, size, size, shape, motion, more);
}

double mean_surface(Running& r) {
  const auto bed = r.world().table("w").download<Real>("bed"),
             depth = r.world().table("w").download<Real>("depth");
  double sum = 0;
  for (std::size_t c = 0; c < bed.size(); ++c) sum += double(bed[c]) + double(depth[c]);
  return sum / double(bed.size());
}

}  // namespace

TEST_CASE("shallow_water: a ball that dives pushes its volume aside, and no water is lost") {
  for (const char* scheme : {"finite_volumes", "traced"}) {
    INFO(scheme);
    Running r(basin(R"("sphere": {"centre": [1, 1.3, 1.03], "radius": 0.25})",
                    R"("velocity": [0.02, -1, 0])", 2, 0.05, 0.01,
                    fmt::format(R"(, "scheme": "{}")", scheme)),
              Exec::cpu(2));
    const double mass = r.measure("w.mass"), volume = 4 * std::numbers::pi / 3 * std::pow(0.25, 3);
    CHECK(r.measure("w.displaced") == 0);
    // Of a map of distances five cells to the radius, linear between: 2 % short.
    r.advance(30);  // half below the surface
    CHECK(r.measure("w.displaced") == Approx(volume / 2).epsilon(0.03));
    r.advance(30);
    CHECK(r.measure("w.displaced") == Approx(volume).epsilon(0.03));
    CHECK(mean_surface(r) == Approx((mass / 1000 + r.measure("w.displaced")) / 4)
                                 .epsilon(std::string(scheme) == "traced" ? 0.01 : 1e-6));
    if (std::string(scheme) == "finite_volumes")
      CHECK(r.measure("w.mass") == Approx(mass).epsilon(1e-6));  // Real's rounding
    r.advance(100);                                              // into the ground, bit by bit
    CHECK(r.measure("w.displaced") < 1e-3 * volume);
  }
}

TEST_CASE("shallow_water: a body that slides keeps its volume") {
  Running r(basin(R"("box": {"min": [0.51, 0.2, 0.6], "max": [1.01, 0.5, 1.13]})",
                  R"("velocity": [0.37, 0, 0.11])", 2, 0.05, 0.02),
            Exec::cpu(2));
  const double volume = 0.5 * 0.3 * 0.53;
  for (int k = 0; k < 40; ++k) {
    r.advance(1);
    CHECK(r.measure("w.displaced") ==
          Approx(volume).epsilon(0.06));  // rays lie a quarter cell apart
  }
}

namespace {

// A slab rises by `height` at once from the ground of a channel 1 m deep.
Running uplift(double height) {
  Running r(
      fmt::format(
          R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.02, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "w", "kind": "height_field", "spacing": 0.1, "min": [0, 0, 0], "max": [40, 0, 0.2],
                  "fill": {{"plane": {{"point": [0, 1, 0], "normal": [0, 1, 0]}}}}}},
                {{"name": "slab", "kind": "boundary", "shape": {{"box": {{"min": [17, -1, -1], "max": [23, 0, 1.2]}}}},
                  "motion": {{"keyframes": [{{"time": 0}}, {{"time": 0.02, "translate": [0, {}, 0]}}]}}}}],
    "stages": [{{"type": "shallow_water", "water": "w", "boundary": ["slab"],
                 "probes": [{{"name": "right", "at": [32, 0, 0.1]}}]}}]}})",
          height),
      Exec::cpu(2));
  return r;
}

}  // namespace

// Linear waves of a ground that rises at once: two of half the height go apart at sqrt(g h)
// (Hammack, "A note on tsunamis", J. Fluid Mech. 60, 1973).
TEST_CASE("shallow_water: a slab that rises sends out two waves of half its height") {
  const double height = 0.002, c = std::sqrt(9.81);
  Running r = uplift(height);
  double before = 0;
  while (r.measure("w.right.surface") < 1 + height / 4 && r.time() < 5)
    before = r.time(), r.advance(1);
  CHECK(before == Approx((32 - 23) / c).epsilon(0.01));
  r.advance(50);  // the middle of the wave passes 0.96 s after its front
  CHECK(r.measure("w.right.surface") - 1 == Approx(height / 2).epsilon(0.02));
}

TEST_CASE(
    "shallow_water: bodies give the same bytes on any number of threads, and after a checkpoint") {
  const std::string scene = basin(
      R"("sphere": {"centre": [1, 1.1, 1], "radius": 0.3})",
      R"("velocity": [0.2, -0.8, 0], "spin": 2)", 2, 0.1, 0.02,
      R"(, "x_max": {"type": "level", "hydrograph": {"times": [0, 0.1], "values": [1, 1.2]}})");
  Running one(scene, Exec::cpu(1)), five(scene, Exec::cpu(5));
  one.advance(5), five.advance(5);
  const TemporaryFolder folder;
  save_checkpoint(folder.path, one.world(), {.step = 5});
  Running resumed(scene, Exec::cpu(2));
  std::string warnings;
  load_checkpoint(find_checkpoint(folder.path, warnings)->file, resumed.world());
  resumed.steps = 5;
  resumed.refresh();
  one.advance(5), five.advance(5), resumed.advance(5);
  CHECK(five.world().state_hash() == one.world().state_hash());
  CHECK(resumed.world().state_hash() == one.world().state_hash());
}

namespace {

std::string channel(const std::string& edges) {
  return R"({"rtsim": 1, "dim": 3, "time": {"dt": 0.02, "steps_per_frame": 1, "frames": 1},
    "objects": [{"name": "w", "kind": "height_field", "spacing": 0.1, "min": [0, 0, 0], "max": [20, 0, 0.2],
                 "fill": {"plane": {"point": [0, 1, 0], "normal": [0, 1, 0]}}}],
    "stages": [{"type": "shallow_water", "water": "w", )" +
         edges + R"(, "probes": [{"name": "far", "at": [10, 0, 0.1]}]}]})";
}

}  // namespace

TEST_CASE("shallow_water: a hydrograph lets in the volume below its curve") {
  Running r(channel(R"("x_min": {"type": "inflow", "hydrograph":
                       {"times": [0, 1, 2, 3], "values": [0, 0.1, 0.1, 0]}})"),
            Exec::cpu(2));
  const double mass = r.measure("w.mass");
  r.advance(200);
  // Trapezoid of 0.2 m^2 over a width of 0.2 m; what passes the edge is the flux of the ghost
  // cell's state, which has the discharge to first order.
  CHECK((r.measure("w.mass") - mass) / 1000 == Approx(0.2 * 0.2).epsilon(0.01));
}

TEST_CASE("shallow_water: what hydrographs and bodies cannot do is refused") {
  const auto refuses = [](const std::string& text, const char* words) {
    CHECK_THROWS_WITH(Running(text, Exec::cpu(1)), Catch::Contains(words));
  };
  const auto edge = [](const char* text) { return channel(R"("x_min": )" + std::string(text)); };
  refuses(edge(R"({"type": "inflow"})"), "hydrograph");
  refuses(edge(R"({"type": "outflow", "hydrograph": {"times": [0], "values": [1]}})"),
          "is for edges");
  refuses(edge(R"({"type": "level", "level": 1, "hydrograph": {"times": [0], "values": [1]}})"),
          "leave out");
  refuses(edge(R"({"type": "level", "hydrograph": {"times": [0, 1], "values": [1]}})"), "entries");
  refuses(edge(R"({"type": "level", "hydrograph": {"times": [1, 0], "values": [1, 2]}})"),
          "does not come after");
  refuses(edge(R"({"type": "inflow", "hydrograph": {"times": [0], "values": [-1]}})"), "below 0");
  refuses(basin(R"("plane": {"point": [0, 0, 0], "normal": [0, 1, 0]})", "", 2, 0.1, 0.1),
          "is infinite");
}
