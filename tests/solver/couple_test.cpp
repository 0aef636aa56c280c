#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "rigid/body.h"
#include "support/particle_scenes.h"

using namespace rtsim;
using Catch::Contains;

namespace {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());

struct Scenery {
  int dim;
  double spacing, dt;
  std::string gravity, fill, velocity, bodies, walls, fluid;
  std::string behind = R"({"type": "couple", "fluid": "water", "solid": "b"},
    {"type": "rigid", "bodies": "b"})";  // the fluid's stage

  Running run() const {
    return Running(
        fmt::format(
            R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": {}, "frames": 10}},
  "objects": [
    {{"name": "water", "kind": "particles", "spacing": {}, "velocity": {}, "fill": {}}},
    {{"name": "b", "kind": "bodies", "density": 500, "bodies": {}}}{}],
  "stages": [{{"fluid": "water", {}}}, {}]}})",
            dim, gravity, dt, spacing, velocity, fill, bodies, walls, fluid, behind),
        Exec::cpu(2));
  }
};

// A drop that flies at a resting block, off its middle, where nothing else is.
Scenery collision(int dim, const std::string& type) {
  const bool plane = dim == 2;
  return {dim,
          0.05,
          0.002,
          plane ? "[0, 0]" : "[0, 0, 0]",
          plane ? R"({"box": {"min": [0, 0], "max": [0.3, 0.3]}})"
                : R"({"box": {"min": [0, 0, 0], "max": [0.3, 0.3, 0.2]}})",
          plane ? "[1, 0]" : "[1, 0, 0]",
          plane ? R"([{"shape": {"box": {"min": [0.31, 0.1], "max": [0.51, 0.5]}}}])"
                : R"([{"shape": {"box": {"min": [0.31, 0.1, 0], "max": [0.51, 0.5, 0.3]}}}])",
          "",
          R"("boundary": ["b"], )" + fmt::format(R"("type": "{}", "substeps": 2)", type)};
}

template <int D>
Vec3d momentum_of(World& w, const std::string& table, double mass) {
  Table& t = w.table(table);
  const auto v = t.download<Vec<D>>("velocity");
  std::vector<Real> own(v.size(), Real(mass));
  if (t.has("mass")) own = t.download<Real>("mass");
  Vec3d sum;
  for (std::size_t i = 0; i < v.size(); ++i) sum = sum + double(own[i]) * widen(v[i]);
  return sum;
}

template <int D>
void check_momentum(const std::string& type) {
  Running r = collision(D, type).run();
  const double m = 1000 * std::pow(0.05, D), n = r.world().table("water").rows();
  const auto total = [&] {
    return momentum_of<D>(r.world(), "water", m) + momentum_of<D>(r.world(), "b", 0);
  };
  const Vec3d start = total();
  r.advance(100);
  CHECK(momentum_of<D>(r.world(), "b", 0)[0] > 0.1 * start[0]);
  // Rounding of velocities, at random: 4 eps sqrt(N) m max|v| in each change of all N rows, where v
  // is 2 m/s at most, over 100 steps of two substeps; the body weighs as much as some rows do
  // together.
  const double body = 500 * (D == 2 ? 0.08 : 0.024);
  const double bound = 100 * 2 * 4 * eps * 2 * (std::sqrt(n) * m + body);
  CHECK(norm(total() - start) < bound);
  CHECK(norm(total() - start) < 1e-4 * norm(start));
}

// About z, through the origin.
double spin_of_all(Running& r, double mass) {
  Vec3d sum;
  for (const char* table : {"water", "b"}) {
    Table& t = r.world().table(table);
    const auto x = t.download<Vec<2>>("position"), v = t.download<Vec<2>>("velocity");
    std::vector<Real> own(x.size(), Real(mass));
    if (t.has("mass")) own = t.download<Real>("mass");
    for (std::size_t i = 0; i < x.size(); ++i)
      sum = sum + double(own[i]) * cross(widen(x[i]), widen(v[i]));
  }
  Table& b = r.world().table("b");
  return sum[2] +
         double(b.download<Real>("inertia")[0]) * double(b.download<Real>("angular_velocity")[0]);
}

// Half as dense as the water and twice as wide as high, so that it floats upright.
Scenery pool(int dim, double spacing) {
  const bool plane = dim == 2;
  const std::string box = plane ? R"({"box": {"min": [0.25, 0.2], "max": [0.65, 0.4]}})"
                                : R"({"box": {"min": [0.2, 0.2, 0.2], "max": [0.6, 0.4, 0.6]}})";
  const std::string pond = plane ? R"({"box": {"min": [0, 0], "max": [0.9, 0.3]}})"
                                 : R"({"box": {"min": [0, 0, 0], "max": [0.8, 0.3, 0.8]}})";
  return {
      dim,
      spacing,
      0.001,
      plane ? "[0, -9.81]" : "[0, -9.81, 0]",
      fmt::format(R"({{"difference": [{}, {}]}})", pond, box),
      plane ? "[0, 0]" : "[0, 0, 0]",
      fmt::format(R"([{{"name": "block", "shape": {}}}])", box),
      fmt::format(
          R"(, {{"name": "tank", "kind": "boundary", "shape": {{"box": {}, "inside": true}}}})",
          plane ? R"({"min": [0, 0], "max": [0.9, 0.8]})"
                : R"({"min": [0, 0, 0], "max": [0.8, 0.8, 0.8]})"),
      R"("boundary": ["b", "tank"], "type": "wcsph", "kinematic_viscosity": 0.01, "substeps": 2)"};
}

}  // namespace

TEST_CASE("couple: what the fluid loses the body gets") {
  for (const char* type :
       {"wcsph", "dfsph", "iisph", "pcisph", "pbf", "sph_mueller", "sph_clavet", "sph_bodin"}) {
    INFO(type);
    check_momentum<2>(type);
    check_momentum<3>(type);
  }
}

TEST_CASE("couple: a body hit off its middle turns away") {
  Running r = collision(2, "wcsph").run();
  r.advance(100);  // below the middle, from the left: counter-clockwise
  CHECK(r.world().table("b").download<Real>("angular_velocity")[0] > 0.3);
}

// Not pbf and sph_clavet, which do not keep that of the fluid alone; nor Mueller's viscosity.
TEST_CASE("couple: angular momentum goes over to a body that moves and spins") {
  for (const char* fluid : {"wcsph", "dfsph", "iisph", "pcisph", "sph_bodin",
                            R"(sph_mueller", "dynamic_viscosity": 0, "name": "fluid)"}) {
    INFO(fluid);
    Scenery scene = collision(2, fluid);
    scene.bodies.insert(2, R"("velocity": [-0.5, 1], "angular_velocity": [2], )");
    Running r = scene.run();
    const double m = 1000 * 0.05 * 0.05, n = r.world().table("water").rows();
    const auto spin = [&] {
      Table& b = r.world().table("b");
      return double(b.download<Real>("inertia")[0]) *
             double(b.download<Real>("angular_velocity")[0]);
    };
    const double start = spin_of_all(r, m), turned = spin();
    r.advance(100);
    // Velocities and places round at random, 4 eps sqrt(N) m max|v| at arms of a metre in each of
    // 200 substeps; the body weighs 40 kg.
    const double bound = std::sqrt(200) * 4 * eps * 2 * (std::sqrt(n) * m + 40);
    CHECK(std::abs(spin_of_all(r, m) - start) < bound);
    CHECK(std::abs(spin() - turned) > 100 * bound);
  }
}

TEST_CASE("couple: a block half as dense as water floats half immersed") {
  const double spacing = 0.04;
  Running r = pool(2, spacing).run();
  r.advance(3000);
  double height = 0;
  for (int k = 0; k < 100; ++k) r.advance(10), height += r.measure("b.block.position.y") / 100;
  // It belongs at the level of the water that was filled in and half the block. The law is kept to
  // 0.3 spacings.
  const double level = (r.measure("water.mass") / 1000 + 0.4 * 0.2 / 2) / 0.9;
  CHECK(height == Approx(level).margin(0.3 * spacing));
}

// A ball of three spacings' radius and half the water's density, half immersed to begin with. Of a
// ball 0.1 of the fraction immersed, 0.6 spacings over its diameter, is 0.4 spacings of depth.
TEST_CASE("couple: in space a ball half as dense as water floats half immersed", "[long]") {
  for (const char* type : {"dfsph", "iisph", "pcisph"}) {
    INFO(type);
    const double spacing = 0.05;
    Scenery s = pool(3, spacing);
    const std::string ball = R"({"sphere": {"centre": [0.25, 0.25, 0.25], "radius": 0.15}})";
    s.fill = fmt::format(
        R"({{"difference": [{{"box": {{"min": [0, 0, 0], "max": [0.5, 0.25, 0.5]}}}}, {}]}})",
        ball);
    s.bodies = fmt::format(R"([{{"name": "ball", "shape": {}}}])", ball);
    s.walls = R"(, {"name": "tank", "kind": "boundary",
      "shape": {"box": {"min": [0, 0, 0], "max": [0.5, 0.8, 0.5]}, "inside": true}})";
    s.fluid = fmt::format(
        R"("boundary": ["b", "tank"], "type": "{}", "pressure_boundaries": "all", "kinematic_viscosity": 0.005)",
        type);
    s.dt = 0.002;
    Running r = s.run();
    r.advance(500);
    double height = 0;
    for (int k = 0; k < 20; ++k) r.advance(10), height += r.measure("b.ball.position.y") / 20;
    // The level: of what rows there are, and half a ball.
    const double rows = r.world().table("water").rows(), pi = 3.14159265358979;
    const double level =
        (rows * std::pow(spacing, 3) + 2 * pi / 3 * std::pow(0.15, 3)) / (0.5 * 0.5);
    CHECK(height == Approx(level).margin(0.4 * spacing));
  }
}

TEST_CASE("couple: samples stand where their bodies were at the start of the step") {
  Scenery scene = collision(3, "wcsph");
  scene.bodies.insert(2, R"("velocity": [0.5, 0, 0], "angular_velocity": [1, 2, 3], )");
  Running r = scene.run();
  r.advance(59);
  Table& b = r.world().table("b");
  const auto x = b.download<Vec<3>>("position")[0], v = b.download<Vec<3>>("velocity")[0];
  const auto q = b.download<rigid::Orientation<3>>("orientation")[0];
  const auto w = b.download<Vec<3>>("angular_velocity")[0];
  r.advance(1);
  CHECK(norm(widen(b.download<Vec<3>>("position")[0] - x)) > 0.5 * 0.5 * r.dt());
  Table& samples = r.world().table("b.samples@water");
  const auto local = samples.download<Vec<3>>("local"), at = samples.download<Vec<3>>("position"),
             speed = samples.download<Vec<3>>("velocity");
  REQUIRE(at.size() > 50);
  double off = 0, slip = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Vec<3> arm = turned(q, local[i]);
    off = std::max(off, norm(widen(at[i] - x - arm)));
    slip = std::max(slip, norm(widen(speed[i] - v - cross(w, arm))));
  }
  CHECK(off < 4 * eps);  // of places below 1 m, and speeds below 4 m/s
  CHECK(slip < 16 * eps);
}

TEST_CASE("couple: says what it needs in front of it") {
  Scenery s = collision(2, "wcsph");
  s.fluid = R"("type": "wcsph")";
  CHECK_THROWS_WITH(s.run(), Contains("name 'b' in its \"boundary\""));
}

TEST_CASE("couple: bodies do not stand in a box that repeats") {
  Scenery s = collision(2, "wcsph");
  s.fluid += R"(, "periodic": {"min": [0, -1], "max": [1, 1], "axes": ["x"]})";
  CHECK_THROWS_WITH(s.run(), Contains("/stages/0") && Contains("\"periodic\": 'b' moves freely"));
}

TEST_CASE("couple: passes a push on once, to a stage behind it that moves the bodies") {
  const std::string pass = R"({"type": "couple", "fluid": "water", "solid": "b"})";
  const std::string move = R"({"type": "rigid", "bodies": "b"})";
  Scenery s = collision(2, "wcsph");
  std::string again = pass;
  s.behind = pass + ", " + again.insert(1, R"("name": "again", )") + ", " + move;
  CHECK_THROWS_WITH(s.run(), Contains("both write b.forces@water.force"));
  for (const std::string& behind : {pass, move + ", " + pass}) {
    s.behind = behind;
    CHECK_THROWS_WITH(s.run(), Contains("pushes 'b', and no stage behind it moves them"));
  }
}
