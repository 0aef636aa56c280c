#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "support/running.h"

// Walls of samples at supports that reach past their first layer.
using namespace rtsim;

namespace {

const char* const solvers[] = {"dfsph", "iisph", "pcisph"};

std::string tank(const std::string& type, double support, const std::string& more = "") {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": 1500}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05, "fill": {{"box": {{"min": [0, 0], "max": [1, 1]}}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [1, 1.5]}}, "inside": true}}}}],
    "stages": [{{"type": "{}", "fluid": "water", "boundary": ["tank"], "support": {}{}}}], "output": []}})",
      type, support, more);
}

// Rows that are further in the walls of the tank than half their first layer is thick.
int lost(Running& r) {
  int n = 0;
  for (const auto& x : r.world().table("water").download<Vec<2>>("position")) {
    const double x0 = double(x[0]), y = double(x[1]);
    n += !(std::min({x0, 1 - x0, y}) > -0.025);
  }
  return n;
}

// A tank that a sheet divides, with water on the left, or on both sides.
std::string divided(const char* type, double support, double thick, bool both) {
  const double right = 0.5 + thick;
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": 1200}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05,
        "fill": [{{"box": {{"min": [0, 0], "max": [0.5, 0.8]}}}}{}]}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [{}, 1.2]}}, "inside": true}}}},
      {{"name": "sheet", "kind": "boundary", "shape": {{"box": {{"min": [0.5, -0.1], "max": [{}, 1.2]}}}}}}],
    "stages": [{{"type": "{}", "fluid": "water", "boundary": ["tank", "sheet"], "support": {}}}], "output": []}})",
      both ? fmt::format(R"(, {{"box": {{"min": [{}, 0], "max": [{}, 0.8]}}}})", right, right + 0.5)
           : "",
      right + 0.5, right, type, support);
}

}  // namespace

TEST_CASE("wall layers: a lattice that touches a wall has the density of one that goes on") {
  for (const double support : {2.0, 2.5, 3.0, 4.0}) {
    INFO(support);
    Running r(tank("dfsph", support), Exec::cpu(1));
    r.refresh();
    Table& t = r.world().table("water");
    const auto x = t.download<Vec<2>>("position");
    const auto rho = t.download<Real>("density");
    std::map<std::pair<int, int>, double> at;
    for (std::size_t i = 0; i < x.size(); ++i)
      at[{int(double(x[i][0]) / 0.05), int(double(x[i][1]) / 0.05)}] = double(rho[i]);
    const double inside = at[{10, 10}];
    for (int k = 0; k < 5; ++k) {
      CHECK(at[{10, k}] == Approx(inside).epsilon(1e-5));
      CHECK(at[{k, 10}] == Approx(inside).epsilon(1e-5));
      CHECK(at[{19 - k, 10}] == Approx(inside).epsilon(1e-5));
    }
    // Akinci's volumes take samples in an edge, where they see those of both walls, for dense: 0.7
    // % is missing at support 2, 3.7 % at 4.
    CHECK(at[{0, 0}] == Approx(inside).epsilon(0.01 * support));
  }
}

TEST_CASE("wall layers: a column of water stays in its tank at every support", "[long]") {
  for (const std::string type : solvers)
    for (const double support : {2.0, 2.5, 3.0}) {
      INFO(type << " at " << support);
      Running r(tank(type, support), Exec::cpu(2));
      r.advance(1200);
      CHECK(lost(r) == 0);
      CHECK(r.measure("water.rows_in_walls") == 0);
    }
}

namespace {

// The heights, in spacings and sorted, of water that fell into twice its room, where a layer has 10
// x 10 rows.
std::vector<double> fallen_heights(const std::string& stage) {
  Running r(
      fmt::format(
          R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": 600}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05, "fill": {{"box": {{"min": [0, 0, 0], "max": [0.25, 0.6, 0.5]}}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0, 0], "max": [0.5, 1, 0.5]}}, "inside": true}}}}],
    "stages": [{{{}, "fluid": "water", "boundary": ["tank"], "pressure_boundaries": "all"}}], "output": []}})",
          stage),
      Exec::cpu(2));
  r.advance(600);
  std::vector<double> heights;
  for (const auto& x : r.world().table("water").download<Vec<3>>("position"))
    heights.push_back(double(x[1]) / 0.05);
  std::sort(heights.begin(), heights.end());
  return heights;
}

}  // namespace

TEST_CASE("wall layers: water that fell together stands half a spacing off the floor") {
  for (const std::string type : solvers) {
    INFO(type);
    const auto heights =
        fallen_heights(fmt::format(R"("type": "{}", "kinematic_viscosity": 0.005)", type));
    const auto end = std::lower_bound(heights.begin(), heights.end(), 1.0);
    const double rows = double(end - heights.begin());
    // With samples that only rows' own pressure minds it lies at 0.1 spacings.
    CHECK(std::accumulate(heights.begin(), end, 0.0) / rows == Approx(0.5).margin(0.1));
    CHECK(rows == Approx(100).margin(10));
  }
}

// Rows of pbf lie in no layers: of as many as make one, half are to lie below half a spacing.
// Samples that have no limit let them down to 0.30 to 0.36.
TEST_CASE("wall layers: water of pbf that fell together stands half a spacing off the floor",
          "[long]") {
  const char* stage = GENERATE(R"("type": "pbf", "iterations": 8)",
                               R"("type": "pbf", "iterations": 20, "xsph": 0.01)");
  INFO(stage);
  CHECK(fallen_heights(stage)[50] == Approx(0.5).margin(0.1));
}

// Nor do those of sph_bodin. Samples that have no limit let them down to 0.13 to 0.31.
TEST_CASE(
    "wall layers: water of sph_bodin that fell together stands half a spacing off the floor") {
  const char* stage =
      GENERATE(R"("type": "sph_bodin")", R"("type": "sph_bodin", "density_kernel": "poly6h")");
  INFO(stage);
  CHECK(fallen_heights(stage)[50] == Approx(0.5).margin(0.1));
}

TEST_CASE("wall layers: in space, too, where one layer lost half of a column") {
  for (const double support : {2.5, 3.0}) {
    INFO(support);
    Running r(
        fmt::format(
            R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.002, "steps_per_frame": 1, "frames": 400}},
    "objects": [
      {{"name": "water", "kind": "particles", "spacing": 0.05, "fill": {{"box": {{"min": [0, 0, 0], "max": [0.4, 0.6, 0.4]}}}}}},
      {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0, 0], "max": [0.4, 1, 0.4]}}, "inside": true}}}}],
    "stages": [{{"type": "dfsph", "fluid": "water", "boundary": ["tank"], "support": {}}}], "output": []}})",
            support),
        Exec::cpu(2));
    r.advance(400);
    int out = 0;
    for (const auto& x : r.world().table("water").download<Vec<3>>("position"))
      for (int a = 0; a < 3; ++a)
        out += !(double(x[a]) > -0.025 && (a == 1 || double(x[a]) < 0.425));
    CHECK(out == 0);
  }
}

TEST_CASE("wall layers: water at rest presses with rho g depth at every support", "[long]") {
  for (const std::string type : solvers)
    for (const double support : {2.5, 3.0}) {
      INFO(type << " at " << support);
      Running r(tank(type, support, R"(, "kinematic_viscosity": 0.05, "probes": [
        {"name": "floor", "quantity": "wall_pressure", "at": [0.5, 0], "radius": 0.3},
        {"name": "side", "quantity": "wall_pressure", "at": [1, 0.5], "radius": 0.2}])"),
                Exec::cpu(2));
      r.advance(1000);
      double floor = 0, side = 0;
      for (int k = 0; k < 500; ++k) {
        r.advance(1);
        floor += r.measure("water.floor") / 500, side += r.measure("water.side") / 500;
      }
      // As the gauges at support 2 are held.
      CHECK(floor == Approx(9810).epsilon(0.03));
      CHECK(side == Approx(4905).margin(0.03 * 9810));
    }
}

TEST_CASE("wall layers: a sheet of one layer, or two, keeps water on its side", "[long]") {
  for (const double support : {2.0, 2.5, 3.0})
    for (const double thick : {0.05, 0.1})
      for (const bool both : {false, true}) {
        INFO("support " << support << ", thick " << thick << ", both sides " << both);
        Running r(divided("dfsph", support, thick, both), Exec::cpu(2));
        const auto side = [&] {
          std::map<std::uint32_t, bool> right;
          Table& t = r.world().table("water");
          const auto id = t.download<std::uint32_t>("id");
          const auto x = t.download<Vec<2>>("position");
          for (std::size_t i = 0; i < x.size(); ++i)
            right[id[i]] = double(x[i][0]) > 0.5 + 0.5 * thick;
          return right;
        };
        const auto start = side();
        r.advance(1200);
        CHECK(side() == start);
      }
}
