#include <catch2/catch.hpp>
#include <numbers>

#include "support/water_scenes.h"

// Shallow water at rest, at its edges, with sources, and asked too much.
using namespace rtsim;

namespace {

constexpr double g = 9.81, pi = std::numbers::pi;

// An island and a sunken hill in a lake, as the scene builds them.
std::string lake(const std::string& stage) {
  return R"({ "rtsim": 1, "dim": 3, "time": { "dt": 0.05, "steps_per_frame": 1, "frames": 1 },
    "objects": [ { "name": "w", "kind": "height_field", "spacing": 0.1, "min": [0, 0, 0], "max": [4, 0, 3],
      "bed": [ { "sphere": { "centre": [1, 0, 1.4], "radius": 0.77 } }, { "sphere": { "centre": [2.9, -0.2, 1.6], "radius": 0.63 } } ],
      "fill": { "box": { "min": [-1, -1, -1], "max": [5, 0.5123, 4] } } } ],
    "stages": [ { "type": "shallow_water", "water": "w")" +
         stage + " } ] }";
}

std::string edges(const std::string& edge) {
  return fmt::format(R"(, "x_min": {0}, "x_max": {0}, "z_min": {0}, "z_max": {0})", edge);
}

}  // namespace

TEST_CASE("shallow_water: a lake with an island stays at rest to the last bit") {
  for (const char* edge :
       {R"({"type": "reflecting"})", R"({"type": "outflow"})", R"({"type": "absorbing"})",
        R"({"type": "absorbing", "layer": 0.5})", R"({"type": "periodic"})"}) {
    INFO(edge);
    Running r(lake(edges(edge)), Exec::cpu(2));
    const auto before = r.world().table("w").download<Real>("depth");
    r.advance(100);
    CHECK(r.measure("w.max_speed") == 0);
    CHECK(r.world().table("w").download<Real>("depth") == before);
    CHECK(r.measure("w.wet_area") < 11.5);  // of 12 m^2: the island is dry
  }
}

TEST_CASE("shallow_water: walls keep the mass, and mirrors mirror") {
  // A dam in a basin with hills, and the same mirrored along x.
  const auto at = [](double x, double z) {
    const double bed = 0.2 * std::sin(3 * x) * std::cos(2 * z);
    return Standing{bed, std::max(0.0, (x < 2 ? 0.8 : 0.1) - bed)};
  };
  const WaterScene s{.nx = 40, .nz = 30, .spacing = 0.1, .dt = 0.05, .stage = ""};
  Basin w(s, at), mirrored(s, [&](double x, double z) { return at(4 - x, z); });
  const double before = w.mass();
  w.run_to(5), mirrored.run_to(5);
  // Float rounds each of the 1200 depths in each of some 1000 substeps.
  CHECK(w.mass() == Approx(before).epsilon(1e-5));
  double worst = 0;
  for (int k = 0; k < s.nz; ++k)
    for (int i = 0; i < s.nx; ++i)
      worst = std::max(worst, std::abs(w.depth(i, k) - mirrored.depth(s.nx - 1 - i, k)));
  CHECK(worst < 1e-3);
}

TEST_CASE("shallow_water: without ground, walls and friction momentum is kept") {
  WaterScene s{
      .nx = 32, .nz = 32, .spacing = 0.1, .dt = 0.02, .stage = edges(R"({"type": "periodic"})")};
  Basin w(s, [](double x, double z) {
    return Standing{0, 1 + 0.3 * std::sin(2 * pi * x / 3.2) * std::cos(2 * pi * z / 3.2), 0.5,
                    -0.2};
  });
  const double px = w.run.measure("w.momentum.x"), pz = w.run.measure("w.momentum.z");
  w.run_to(2);
  CHECK(w.run.measure("w.momentum.x") == Approx(px).epsilon(1e-5));
  CHECK(w.run.measure("w.momentum.z") == Approx(pz).epsilon(1e-5));
}

namespace {

// A packet of plane waves 1 m long at an angle to the normal of x_max, in water 1 m deep, periodic
// along z; without shear, which would stay where it is.
struct Packet {
  double angle, amplitude = 0.005, length = 14, middle = 9, width = 1.6;
  double k = 2 * pi, kx = k * std::cos(angle), kz = k * std::sin(angle), c = std::sqrt(g);

  Standing at(double x, double z) const {
    const double far = (x - middle) / width, phase = kx * x + kz * z,
                 envelope = amplitude * std::exp(-far * far), a = envelope * std::cos(phase),
                 b = -2 * far / width * envelope / k * std::sin(phase);
    return {0, 1 + a + b * std::cos(angle), c * (a * std::cos(angle) + b), c * a * std::sin(angle)};
  }
  // Of what is there when the reflected packet is where this one was.
  double energy(const std::string& edge) const {
    const int nz = int(std::lround(2 * pi / kz / 0.0625));
    const double spacing = 2 * pi / kz / nz;
    WaterScene s{.nx = int(length / spacing),
                 .nz = nz,
                 .spacing = spacing,
                 .dt = 0.02,
                 .stage = "",
                 .level = 1};
    s.stage = R"(, "z_min": {"type": "periodic"}, "z_max": {"type": "periodic"}, "x_max": )" + edge;
    Basin w(s, [&](double x, double z) { return at(x, z); });
    w.run_to(2 * (length - middle) / (c * std::cos(angle)));
    double sum = 0;
    for (int j = 0; j < s.nz; ++j)
      for (int i = 0; i < s.nx; ++i)
        sum += g * std::pow(w.depth(i, j) - 1, 2) + std::pow(w.flow_x(i, j), 2) +
               std::pow(w.flow_z(i, j), 2);
    return sum;
  }
};

}  // namespace

TEST_CASE("shallow_water: absorbing edges reflect as first-order Higdon does, layers less") {
  for (const double degrees : {15, 30, 45, 60}) {
    const Packet packet{degrees * pi / 180};
    const double wall = packet.energy(R"({"type": "reflecting"})"),
                 edge = std::sqrt(packet.energy(R"({"type": "absorbing"})") / wall),
                 layer = std::sqrt(packet.energy(R"({"type": "absorbing", "layer": 2})") / wall),
                 higdon = (1 - std::cos(packet.angle)) / (1 + std::cos(packet.angle));
    CAPTURE(degrees, edge, layer);
    // The packet holds a range of angles. Measured 0.019, 0.075, 0.178 and 0.345.
    CHECK(edge == Approx(higdon).epsilon(0.1).margin(0.003));
    CHECK(layer < 0.3 * higdon + 0.003);  // as wide as two waves are long
  }
}

TEST_CASE("shallow_water: rain, springs and drains change the mass by what they say") {
  WaterScene s{.nx = 40, .nz = 40, .spacing = 0.1, .dt = 0.02, .stage = ""};
  const auto dry = [](double, double) { return Standing{0, 0}; };
  s.stage = R"(, "rain": 1e-3)";
  Basin rain(s, dry);
  rain.run_to(1);
  CHECK(rain.mass() == Approx(1000 * 16 * 1e-3).epsilon(1e-4));
  s.stage =
      R"(, "sources": [ {"at": [2, 0, 2], "radius": 0.3, "discharge": 0.05, "start": 0.1, "end": 0.6} ])";
  Basin spring(s, dry);
  spring.run_to(1);
  CHECK(spring.mass() == Approx(1000 * 0.05 * 0.5).epsilon(1e-4));
  const auto pool = [](double, double) { return Standing{0, 0.2}; };
  s.stage = R"(, "sources": [ {"at": [2, 0, 2], "radius": 0.3, "discharge": -0.01} ])";
  Basin drain(s, pool);
  drain.run_to(1);
  CHECK(drain.mass() == Approx(3200 - 1000 * 0.01).epsilon(1e-5));
  s.stage = R"(, "sources": [ {"at": [2, 0, 2], "radius": 0.3, "discharge": -50} ])";
  Basin hole(s, pool);  // takes what comes to it
  hole.run_to(1);
  CHECK(hole.depth(20, 20) < 0.01);
  CHECK(hole.mass() > 2500);
  s.stage = R"(, "x_min": {"type": "inflow", "discharge": 0.1, "from": 1, "to": 3})";
  Basin inflow(s, dry);
  inflow.run_to(2);
  CHECK(inflow.mass() == Approx(1000 * 0.1 * 2 * 2).epsilon(0.02));  // onto dry ground
}

TEST_CASE("shallow_water: springs on dry ground and rain on a hill need no short steps") {
  WaterScene s{.nx = 40, .nz = 40, .spacing = 0.1, .dt = 0.2, .stage = ""};
  s.stage = R"(, "sources": [ {"at": [2, 0, 2], "radius": 0.3, "discharge": 0.05} ])";
  Basin spring(s, [](double, double) { return Standing{0, 0}; });
  spring.run_to(1);
  CHECK(spring.mass() == Approx(1000 * 0.05).epsilon(1e-4));
  s = {.nx = 40, .nz = 4, .spacing = 10, .dt = 5, .stage = R"(, "rain": 1e-4)"};
  Basin hill(s, [](double x, double) { return Standing{60 - 0.3 * std::abs(x - 200), 0}; });
  hill.run_to(200);
  CHECK(hill.mass() == Approx(1000 * 400 * 40 * 1e-4 * 200).epsilon(1e-4));
}

TEST_CASE("shallow_water: a level outside fills the basin up to it") {
  WaterScene s{.nx = 40, .nz = 4, .spacing = 0.1, .dt = 0.1, .stage = ""};
  s.stage = R"(, "manning": 0.3, "x_max": {"type": "level", "level": 0.3})";
  Basin w(s, [](double x, double) { return Standing{0.1 * std::cos(x), 0}; });
  w.run_to(200);
  for (int i = 0; i < s.nx; ++i)
    CHECK(w.depth(i) == Approx(0.3 - 0.1 * std::cos(w.x(i))).margin(2e-3));
}

TEST_CASE("shallow_water: everything dry, one cell, and steps far too long") {
  Basin dry({.nx = 7, .nz = 5}, [](double x, double) { return Standing{x, 0}; });
  dry.run_to(0.1);
  CHECK(dry.mass() == 0);
  Basin one({.nx = 1, .nz = 1}, [](double, double) { return Standing{0, 1}; });
  one.run_to(0.1);
  CHECK(one.depth(0) == 1);

  const auto dam = [](double x, double) { return Standing{0, x < 5 ? 1.0 : 0.0}; };
  WaterScene s{.nx = 100, .nz = 3, .spacing = 0.1, .dt = 0.2, .stage = ""};
  Basin finds(s, dam);  // ten times the Courant limit and more
  const double before = finds.mass();
  finds.run_to(2);
  CHECK(finds.mass() == Approx(before).epsilon(1e-5));
  s.stage = R"(, "substeps": 1)";
  Basin fixed(s, dam);
  CHECK(s.dt > fixed.run.sim.pipeline[0].stage->stable_dt(fixed.run.world()));
  CHECK_THROWS_WITH(fixed.run_to(2), Catch::Contains("try \"substeps\": "));
}

TEST_CASE("shallow_water: what it refuses, it says") {
  const auto refuses = [](const std::string& stage, const std::string& why) {
    INFO(stage);
    WaterScene s;
    s.stage = stage;
    CHECK_THROWS_WITH(Basin(s), Catch::Contains(why));
  };
  refuses(R"(, "x_min": {"type": "periodic"})", "both or none");
  refuses(R"(, "x_min": {"type": "inflow"})", "an inflow needs it");
  refuses(R"(, "x_min": {"type": "level"})", "needs it");
  refuses(R"(, "x_min": {"layer": 1})", "is for edges of type");
  refuses(R"(, "x_min": {"type": "absorbing", "layer": 1, "from": 1})", "is for whole edges");
  refuses(R"(, "x_min": {"discharge": 1})", "is for edges of type");
  refuses(R"(, "z_min": {"from": 30, "to": 40})", "no cell lies between");
  refuses(R"(, "probes": [{"name": "p", "at": [50, 0, 0]}])", "outside the grid");
  refuses(R"(, "sources": [{"at": [50, 0, 0], "radius": 1, "discharge": 1}])", "no cell's centre");
}
