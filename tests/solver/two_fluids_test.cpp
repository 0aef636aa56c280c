#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "cache/checkpoint.h"
#include "support/running.h"
#include "support/temporary_folder.h"

// Fluids of different density and viscosity in one stage.
using namespace rtsim;

namespace {

constexpr double eps = double(std::numeric_limits<Real>::epsilon()), pi = 3.14159265358979;
const char* const solvers[] = {"dfsph", "iisph", "pcisph", "wcsph"};

// A tank of water with oil on it, or the other way round.
struct Tank {
  std::string type = "dfsph";
  double spacing = 0.05, width = 0.6, lower = 0.3, upper = 0.3;  // [m]
  double rest_density = 1000, phase_density = 800;               // [kg/m^2]
  bool phase_above = true;
  double dt = 0.002;
  std::string more, phase_more, stages;

  std::string text() const {
    const auto layer = [&](const char* name, double from, double to) {
      return fmt::format(
          R"({{"name": "{}", "kind": "particles", "spacing": {}, "fill": {{"box": {{"min": [0, {}], "max": [{}, {}]}}}}}},)",
          name, spacing, from, width, to);
    };
    const char* below = phase_above ? "water" : "oil";
    const char* above = phase_above ? "oil" : "water";
    return fmt::format(
        R"({{"rtsim": 1, "dim": 2, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
      "objects": [{}{}{{"name": "tank", "kind": "boundary",
        "shape": {{"box": {{"min": [0, 0], "max": [{}, {}]}}, "inside": true}}}}],
      "stages": [{{"type": "{}", "fluid": "water", "boundary": ["tank"], "rest_density": {}{},
        "phases": [{{"fluid": "oil", "rest_density": {}{}}}]}}{}], "output": []}})",
        dt, layer(below, 0, lower), layer(above, lower, lower + upper), width, 2 * (lower + upper),
        type, rest_density, more, phase_density, phase_more, stages);
  }
};

std::vector<Vec<2>> column(Running& r, const char* object, const char* name) {
  return r.world().table(object).download<Vec<2>>(name);
}

// Two fluids, each of a stage of its own, in boxes from x = 0 to 0.4 and from `begin` to 1.
std::string two_stages(double begin, const std::string& objects, const std::string& oil_walls,
                       const std::string& water_walls, const std::string& velocity = "[0, 0]") {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "gravity": [0, 0],
      "time": {{"dt": 0.01, "steps_per_frame": 1, "frames": 1}},
    "objects": [{}
      {{"name": "oil", "kind": "particles", "spacing": 0.05, "velocity": {},
        "fill": {{"box": {{"min": [0, 0], "max": [0.4, 0.4]}}}}}},
      {{"name": "water", "kind": "particles", "spacing": 0.05, "fill": {{"box": {{"min": [{}, 0], "max": [1, 0.4]}}}}}}],
    "stages": [{{"type": "dfsph", "name": "a", "fluid": "oil", "boundary": [{}]}},
               {{"type": "iisph", "name": "b", "fluid": "water", "boundary": [{}]}}], "output": []}})",
      objects, velocity, begin, oil_walls, water_walls);
}

std::string box(const char* name, double from, double to) {
  return fmt::format(
      R"({{"name": "{}", "kind": "boundary", "shape": {{"box": {{"min": [{}, 0], "max": [{}, 1]}}, "inside": true}}}},)",
      name, from, to);
}
const std::string shared = box("tank", 0, 1), its_name = "\"tank\"";

}  // namespace

TEST_CASE("two_fluids: stages whose fluids touch are refused, with the place and a remedy") {
  CHECK_THROWS_WITH(
      Running(two_stages(0.4, shared, its_name, its_name), Exec::cpu(1)),
      Catch::Contains("'oil' of stage 'a' and 'water' of stage 'b' touch at (0.375") &&
          Catch::Contains("\"phases\": [{\"fluid\": \"water\""));
  // So they are without a tank, and where one lies in the other.
  CHECK_THROWS_WITH(Running(two_stages(0.4, "", "", ""), Exec::cpu(1)),
                    Catch::Contains("touch at"));
  CHECK_THROWS_WITH(Running(two_stages(0.213, shared, its_name, its_name), Exec::cpu(1)),
                    Catch::Contains("touch at"));
}

TEST_CASE("two_fluids: stages whose fluids a wall or a gap parts are not refused") {
  Running gap(two_stages(0.6, shared, its_name, its_name), Exec::cpu(1));
  gap.advance(2);
  // A wall of a fifth of a spacing: across it rows are nearer than the rows of a lattice.
  const std::string wall =
      R"({"name": "wall", "kind": "boundary", "shape": {"box": {"min": [0.4, -1], "max": [0.41, 1]}}},)";
  const std::string names = R"("tank", "wall")";
  Running parted(two_stages(0.41, shared + wall, names, names), Exec::cpu(1));
  parted.advance(2);
  CHECK(parted.measure("oil.mass") == Approx(160));
}

TEST_CASE("two_fluids: a run ends when fluids of two stages come to touch") {
  Running r(two_stages(0.6, shared, its_name, its_name, "[1, 0]"), Exec::cpu(1));
  r.advance(10);
  CHECK_THROWS_WITH(r.advance(15),
                    Catch::Contains("'_meeting_fluids'") && Catch::Contains("'oil' of stage 'a'"));
}

namespace {

// A block of 0.6 m that strikes a corner: two fluids in two halves of it, or one in both.
std::string falling(const std::string& type, bool two, const std::string& more = "") {
  const auto half = [](double from, double to) {
    return fmt::format(R"({{"box": {{"min": [{}, 0], "max": [{}, 0.6]}}}})", from, to);
  };
  const auto object = [](const char* name, const std::string& fill) {
    return fmt::format(
        R"({{"name": "{}", "kind": "particles", "spacing": 0.05, "velocity": [-0.5, -1], "fill": [{}]}},)",
        name, fill);
  };
  const std::string left = half(0, 0.3), right = half(0.3, 0.6);
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 1}},
    "objects": [{}{{"name": "tank", "kind": "boundary",
      "shape": {{"box": {{"min": [0, 0], "max": [2, 2]}}, "inside": true}}}}],
    "stages": [{{"type": "{}", "fluid": "water", "boundary": ["tank"], "kinematic_viscosity": 0{}{}}}], "output": []}})",
      two ? object("water", left) + object("oil", right) : object("water", left + "," + right),
      type, more,
      two ? R"(, "phases": [{"fluid": "oil", "rest_density": 1000, "kinematic_viscosity": 0}])"
          : "");
}

double sum(Running& r, const std::string& quantity) {
  return r.measure("water." + quantity) + r.measure("oil." + quantity);
}

}  // namespace

TEST_CASE("two_fluids: phases that are alike move as one fluid does") {
  for (const std::string type : solvers) {
    INFO(type);
    // Rows of wcsph are pushed by what the same numbers give in another order of operations.
    const std::string more = type == "wcsph" ? R"(, "artificial_viscosity": 0, "substeps": 8)" : "";
    Running one(falling(type, false, more), Exec::cpu(1)),
        two(falling(type, true, more), Exec::cpu(2));
    one.advance(30), two.advance(30);
    auto x = column(one, "water", "position");
    auto ids = one.world().table("water").download<std::uint32_t>("id");
    std::vector<Vec<2>> by_id(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) by_id[ids[i]] = x[i];
    double apart = 0;
    for (const char* name : {"water", "oil"}) {
      const auto y = column(two, name, "position");
      ids = two.world().table(name).download<std::uint32_t>("id");
      for (std::size_t i = 0; i < y.size(); ++i)
        apart = std::max(apart, double(norm(y[i] - by_id[ids[i]])));
    }
    // iisph and pcisph have the same operations in the same order; dfsph and wcsph round otherwise,
    // which the impact makes a thousand times as much.
    CHECK(apart <= 1000 * eps);
  }
}

TEST_CASE("two_fluids: drops of different densities keep their momentum when they collide") {
  for (const std::string type : solvers)
    for (const double heavy : {1.3, 11.0}) {
      INFO(type << ' ' << heavy);
      Running r(
          fmt::format(
              R"({{"rtsim": 1, "dim": 2, "gravity": [0, 0], "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 1}},
        "objects": [
          {{"name": "water", "kind": "particles", "spacing": 0.1, "velocity": [1, 0.5], "fill": {{"sphere": {{"centre": [0, 0], "radius": 0.4}}}}}},
          {{"name": "oil", "kind": "particles", "spacing": 0.1, "velocity": [-1.5, 0], "fill": {{"sphere": {{"centre": [0.85, 0.2], "radius": 0.4}}}}}}],
        "stages": [{{"type": "{}", "fluid": "water", {} "kinematic_viscosity": 0.01,
          "phases": [{{"fluid": "oil", "rest_density": {}, "kinematic_viscosity": 0.1}}]}}], "output": []}})",
              type, type == "wcsph" ? R"("max_speed": 4,)" : "", 1000 * heavy),
          Exec::cpu(2));
      const double before[2] = {sum(r, "momentum.x"), sum(r, "momentum.y")},
                   part = r.measure("oil.momentum.x"), mass = sum(r, "mass");
      r.advance(120);
      CHECK(std::abs(r.measure("oil.momentum.x") - part) > 100);  // of some 500 kg m/s: they met
      // Of each step's change of each row, to half a last place of a velocity of 1 m/s or so.
      const double bound = 120 * 4 * eps * mass;
      CHECK(std::abs(sum(r, "momentum.x") - before[0]) < bound);
      CHECK(std::abs(sum(r, "momentum.y") - before[1]) < bound);
      CHECK(sum(r, "mass") == Approx(mass));
    }
}

TEST_CASE("two_fluids: layers at rest have the pressure of what stands on them") {
  for (const std::string type : solvers)
    for (const bool above : {true, false}) {
      INFO(type << (above ? ", the second above" : ", the first above"));
      Tank t;
      t.type = type, t.phase_above = above, t.dt = 0.001;
      t.rest_density = above ? 1000 : 300, t.phase_density = above ? 300 : 1000;
      t.more = fmt::format(
          R"(, "kinematic_viscosity": 0.02, "probes": [
          {{"name": "floor", "quantity": "wall_pressure", "at": [0.3, 0], "radius": 0.2}},
          {{"name": "middle", "at": [0.3, 0.3]}}]{})",
          type == "wcsph" ? R"(, "substeps": 5)" : "");
      t.phase_more = R"(, "kinematic_viscosity": 0.02)";
      Running r(t.text(), Exec::cpu(2));
      double floor = 0, middle = 0;
      r.advance(300);
      for (int i = 0; i < 200; ++i) {
        r.advance(1);
        floor += r.measure("water.floor") / 200, middle += r.measure("water.middle") / 200;
      }
      const double g = 9.81, light = 300 * 0.3 * g, both = light + 1000 * 0.3 * g;
      CHECK(floor == Approx(both).epsilon(0.03));
      // Between the rows of a spacing below and above the interface.
      CHECK(middle > light - 300 * 0.05 * g);
      CHECK(middle < light + 1000 * 0.05 * g);
    }
}

namespace {

// Lets a lattice find its place: velocities are taken away every so many steps.
void settle(Running& r, int times, int steps) {
  for (int i = 0; i < times; ++i) {
    r.advance(steps);
    for (const char* name : {"water", "oil"}) {
      const auto v = r.world().table(name).column<Vec<2>>("velocity");
      r.world().exec.zero(v.data, std::size_t(v.size) * sizeof v.data[0]);
    }
  }
}

// What a drop of radius 0.2 m in a tank of 1.2 m gains of momentum per mass and time at its start
// [m/s^2].
double start_of_drop(const std::string& type, double density) {
  const double dt = 0.0005, spacing = 0.05;
  Running r(fmt::format(
                R"({{"rtsim": 1, "dim": 2, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
        "objects": [
          {{"name": "oil", "kind": "particles", "spacing": {}, "fill": {{"sphere": {{"centre": [0.6, 0.6], "radius": 0.2}}}}}},
          {{"name": "water", "kind": "particles", "spacing": {}, "fill": {{"difference": [
            {{"box": {{"min": [0, 0], "max": [1.2, 1.2]}}}}, {{"sphere": {{"centre": [0.6, 0.6], "radius": 0.2}}}}]}}}},
          {{"name": "tank", "kind": "boundary", "shape": {{"box": {{"min": [0, 0], "max": [1.2, 4]}}, "inside": true}}}}],
        "stages": [{{"type": "{}", "fluid": "water", "boundary": ["tank"] {},
          "phases": [{{"fluid": "oil", "rest_density": {}}}]}}], "output": []}})",
                dt, spacing, spacing, type,
                type == "wcsph" ? R"(, "substeps": 4)"
                                : R"(, "density_error_mean": 1e-6, "density_error_max": 1e-4)",
                density),
            Exec::cpu(2));
  const long n = 40;
  type == "wcsph" ? settle(r, 25, 20) : settle(r, 60, 1);
  const double before = r.measure("oil.momentum.y");
  r.advance(n);
  return (r.measure("oil.momentum.y") - before) / (r.measure("oil.mass") * double(n) * dt);
}

}  // namespace

// Since fills fit what they are cut to, pcisph and heavy drops start otherwise: not understood.
TEST_CASE("two_fluids: a light drop starts to rise as added mass lets it, a heavy one to sink",
          "[!mayfail]") {
  // A cylinder of rho_d at rest in a fluid of rho_w: pressure inside is that of a body, so
  // a = g (rho_w - rho_d) / (rho_d + C rho_w). In a boundless fluid C = 1 (Lamb, "Hydrodynamics",
  // 1932, art. 68); the images of its doublet in two walls W apart along its way add
  // 2 R^2 sum 2 / (n W)^2 = (2 pi^2 / 3) (R / W)^2, and those in floor and surface cancel. What the
  // lattice does to any fluid when it settles is taken away.
  const double added = 1 + 2 * pi * pi / 3 / 36;
  for (const std::string type : {"dfsph", "iisph", "pcisph", "wcsph"}) {
    const double alike = start_of_drop(type, 1000);
    for (const double density : {800.0, 370.0, 2700.0}) {
      INFO(type << ' ' << density);
      CHECK(start_of_drop(type, density) - alike ==
            Approx(9.81 * (1000 - density) / (density + added * 1000))
                .epsilon(0.1)
                .margin(0.015 * 9.81));
    }
  }
}

TEST_CASE("two_fluids: what is added to and taken from a phase comes and goes in the mixture") {
  for (const std::string type : {"dfsph", "wcsph"}) {
    INFO(type);
    Tank t;
    t.type = type;
    t.more = type == std::string("wcsph") ? R"(, "substeps": 10)" : "";
    t.stages = R"(, {"type": "emit", "fluid": "oil", "velocity": [0, -1], "max_particles": 1000,
        "shape": {"box": {"min": [0.2, 0.8], "max": [0.4, 0.85]}}},
      {"type": "remove", "fluid": "water", "shape": {"box": {"min": [0, 0], "max": [0.2, 0.1]}}})";
    Running one(t.text(), Exec::cpu(1)), five(t.text(), Exec::cpu(5));
    one.advance(50), five.advance(50);
    const TemporaryFolder folder;
    save_checkpoint(folder.path, one.world(), {.step = 50});
    Running resumed(t.text(), Exec::cpu(2));
    std::string warnings;
    load_checkpoint(find_checkpoint(folder.path, warnings)->file, resumed.world());
    resumed.steps = 50, resumed.refresh();
    one.advance(30), five.advance(30), resumed.advance(30);
    CHECK(five.world().state_hash() == one.world().state_hash());
    CHECK(resumed.world().state_hash() == one.world().state_hash());

    one.refresh();  // what the last step removed is in the mixture until its stage looks again
    const double volume = 0.05 * 0.05;
    CHECK(one.measure("oil.mass") == Approx(800 * volume * one.world().table("oil").rows()));
    CHECK(one.measure("water.mass") == Approx(1000 * volume * one.world().table("water").rows()));
    CHECK(one.world().table("oil").rows() > 72);
    CHECK(one.world().table("water").rows() < 72);
    CHECK(one.world().table("water.mixture").rows() ==
          one.world().table("water").rows() + one.world().table("oil").rows());
  }
}

TEST_CASE("two_fluids: as many rows out as in within a step go on after a checkpoint") {
  Tank t;
  t.stages =
      R"(, {"type": "remove", "fluid": "oil", "shape": {"box": {"min": [0, 0.55], "max": [0.2, 0.65]}}},
      {"type": "emit", "fluid": "oil", "velocity": [0, -1], "max_particles": 1000, "pattern": "layers",
        "shape": {"box": {"min": [0.2, 0.8], "max": [0.4, 0.85]}}})";
  Running whole(t.text(), Exec::cpu(1));
  const Index before = whole.world().table("oil").rows();
  whole.advance(1);
  REQUIRE(whole.world().table("oil").rows() == before);
  REQUIRE(whole.measure("oil.removed") > 0);
  const TemporaryFolder folder;
  save_checkpoint(folder.path, whole.world(), {.step = 1});
  Running resumed(t.text(), Exec::cpu(2));
  std::string warnings;
  load_checkpoint(find_checkpoint(folder.path, warnings)->file, resumed.world());
  resumed.steps = 1, resumed.refresh();
  whole.advance(20), resumed.advance(20);
  CHECK(resumed.world().state_hash() == whole.world().state_hash());
}

TEST_CASE("two_fluids: what several fluids cannot have is refused, and why") {
  const auto refused = [](const std::string& more) {
    Tank t;
    t.more = more;
    try {
      Running r(t.text(), Exec::cpu(1));
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK_THAT(refused(R"(, "shifting": {})"), Catch::Contains("leave them out"));
  CHECK_THAT(refused(R"(, "cohesion": {})"), Catch::Contains("leave them out"));
  CHECK_THAT(refused(R"(, "boundary_method": "volume_map")"), Catch::Contains("volume maps"));
  Tank t;
  const std::string text = t.text();
  std::string other = text;
  other.replace(other.find("\"spacing\": 0.05"), 15, "\"spacing\": 0.06");
  CHECK_THROWS_WITH(Running(other, Exec::cpu(1)), Catch::Contains("need the same"));
}

namespace {

// A heavy fluid on a light one in a box that repeats after a wave length of 40 spacings, with an
// interface of h + a cos kx. Lengths times `scale`, times times its root.
struct RayleighTaylor {
  std::string type = "dfsph";
  double scale = 1, ratio = 3;
  bool heavy_first = false;

  double length() const { return 0.5 * scale; }
  double spacing() const { return length() / 40; }
  double depth() const { return length() / 2; }  // of each
  double wave() const { return 2 * pi / length(); }
  double viscosity() const { return 1e-3 * scale * std::sqrt(scale); }
  double dt() const { return 0.0005 * std::sqrt(scale); }

  // sigma_0^2 = g k (rho_2 - rho_1) / (rho_1 coth k h + rho_2 coth k h): Lamb, "Hydrodynamics",
  // 1932, art. 231; with viscosity sigma = sqrt(sigma_0^2 + nu^2 k^4) - nu k^2: Duff, Harlow &
  // Hirt, "Effects of diffusion on interface instability between gases", Phys. Fluids 5, 1962. The
  // surface is too far away to matter.
  double rate() const {
    const double k = wave(), damping = viscosity() * k * k,
                 ideal2 = 9.81 * k * (ratio - 1) / (ratio + 1) * std::tanh(k * depth());
    return std::sqrt(ideal2 + damping * damping) - damping;
  }
  // Of the wave, which begins with a spacing at rest, when sigma t = 2: (rho_1 + rho_2) coth(kh)
  // L a'^2 / (4 k).
  double energy() const {
    const double speed = spacing() * rate() * std::sinh(2);
    return 1000 * (1 + ratio) / std::tanh(wave() * depth()) * length() * speed * speed /
           (4 * wave());
  }

  std::string text() const {
    std::string interface, reversed;
    for (int i = 0; i <= 80; ++i) {
      const double x = length() * i / 80, y = depth() + spacing() * std::cos(wave() * x);
      const std::string point = fmt::format("[{}, {}]", x, y);
      interface += ", " + point, reversed = point + ", " + reversed;
    }
    const auto object = [&](const char* name, const std::string& points) {
      return fmt::format(
          R"({{"name": "{}", "kind": "particles", "spacing": {}, "fill": {{"polygon": {{"points": [{}]}}}}}},)",
          name, spacing(), points);
    };
    const std::string light = fmt::format("[{}, 0], [0, 0]{}", length(), interface),
                      heavy = fmt::format("{} [0, {}], [{}, {}]", reversed, length(), length(),
                                          length());
    return fmt::format(
        R"({{"rtsim": 1, "dim": 2, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
      "objects": [{}{}{{"name": "floor", "kind": "boundary", "shape": {{"plane": {{"point": [0, 0], "normal": [0, 1]}}}}}}],
      "stages": [{{"type": "{}", "fluid": "water", "boundary": ["floor"], "rest_density": {}{},
        "kinematic_viscosity": {}, "periodic": {{"axes": ["x"], "min": [0, 0], "max": [{}, 0]}},
        "phases": [{{"fluid": "oil", "rest_density": {}, "kinematic_viscosity": {}}}]}}], "output": []}})",
        dt(), object(heavy_first ? "oil" : "water", light),
        object(heavy_first ? "water" : "oil", heavy), type, heavy_first ? 1000 * ratio : 1000.0,
        type == "wcsph" ? R"(, "substeps": 4)" : R"(, "support": 3)", viscosity(), length(),
        heavy_first ? 1000.0 : 1000 * ratio, viscosity());
  }

  // When the wave has the energy that it should have at sigma t = 2, over that time. What the
  // lattice stirs up in its first steps is as much, and gone at sigma t = 1.2.
  double lateness() const {
    Running r(text(), Exec::cpu(2));
    const double due = 2 / rate();
    r.advance(std::lround(0.6 * due / dt()));
    while (sum(r, "kinetic_energy") < energy() && r.time() < 2 * due) r.advance(5);
    return r.time() / due;
  }
};

}  // namespace

// A rate that is off by 15 % brings the wave to this energy 26 % later, or 17 % sooner.
TEST_CASE("two_fluids: a heavy fluid falls into a light one at the rate of Rayleigh and Taylor",
          "[slow]") {
  const RayleighTaylor cases[] = {{"dfsph", 1, 3, false},   {"dfsph", 0.37, 3, true},
                                  {"iisph", 2.9, 3, false}, {"iisph", 1, 1.8, true},
                                  {"pcisph", 1, 3, true},   {"wcsph", 0.37, 3, false}};
  for (const RayleighTaylor& c : cases) {
    INFO(c.type << ", scale " << c.scale << ", densities 1 : " << c.ratio);
    CHECK(c.lateness() == Approx(1).margin(0.15));
  }
}
