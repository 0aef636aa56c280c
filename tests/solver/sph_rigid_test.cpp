#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "bodies/body_samples.h"
#include "support/particle_scenes.h"

using namespace rtsim;
using Catch::Contains;

namespace {

constexpr double eps = double(std::numeric_limits<Real>::epsilon());

struct Scenery {
  int dim;
  double spacing, dt;
  std::string gravity, fill, velocity, bodies, walls, fluid;

  Running run() const {
    return Running(
        fmt::format(
            R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": {}, "frames": 10}},
  "objects": [
    {{"name": "water", "kind": "particles", "spacing": {}, "velocity": {}, "fill": {}}},
    {{"name": "b", "kind": "bodies", "density": 500, "bodies": {}}}{}],
  "stages": [{{"fluid": "water", {}}},
    {{"type": "sph_rigid", "fluid": "water", "bodies": "b"}},
    {{"type": "rigid", "bodies": "b"}}]}})",
            dim, gravity, dt, spacing, velocity, fill, bodies, walls, fluid),
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
  // Rounding of velocities a step, at random, of all rows and the body: DESIGN's
  // 4 eps sqrt(N) m max|v|, which is 2 m/s here at most, over 100 steps of two substeps; the body
  // weighs as much as some rows do together.
  const double body = 500 * (D == 2 ? 0.08 : 0.024);
  const double bound = 100 * 2 * 4 * eps * 2 * (std::sqrt(n) * m + body);
  CHECK(norm(total() - start) < bound);
  CHECK(norm(total() - start) < 1e-4 * norm(start));
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

TEST_CASE("sph_rigid: what the fluid loses the body gets") {
  for (const char* type : {"wcsph", "dfsph"}) {
    INFO(type);
    check_momentum<2>(type);
    check_momentum<3>(type);
  }
}

TEST_CASE("sph_rigid: a body hit off its middle turns away") {
  Running r = collision(2, "wcsph").run();
  r.advance(100);  // below the middle, from the left: counter-clockwise
  CHECK(r.world().table("b").download<Real>("angular_velocity")[0] > 0.3);
}

TEST_CASE("sph_rigid: a block half as dense as water floats half immersed") {
  const double spacing = 0.04;
  Running r = pool(2, spacing).run();
  r.advance(3000);
  double height = 0;
  for (int k = 0; k < 100; ++k) r.advance(10), height += r.measure("b.block.position.y") / 100;
  // It started where it belongs: half immersed at 0.3 m. The law is kept to 0.3 spacings.
  CHECK(height == Approx(0.3).margin(0.3 * spacing));
}

TEST_CASE("sph_rigid: samples go where their bodies go") {
  Running r = collision(3, "wcsph").run();
  Table& samples = r.world().table("b.samples@water");
  const auto before = samples.download<Vec<3>>("position");
  r.advance(60);
  const Vec<3> v = r.world().table("b").download<Vec<3>>("velocity")[0];
  place_body_samples(r.world(), "b", "b.samples@water");
  const auto after = samples.download<Vec<3>>("position");
  CHECK(double(v[0]) > 0);
  // Rigid: distances stay, but for rounding.
  for (std::size_t i = 1; i < before.size(); i += 7)
    CHECK(norm(widen(after[i] - after[0])) ==
          Approx(norm(widen(before[i] - before[0]))).margin(1e-5));
}

TEST_CASE("sph_rigid: says what it needs in front of it") {
  Scenery s = collision(2, "wcsph");
  s.fluid = R"("type": "wcsph")";
  CHECK_THROWS_WITH(s.run(), Contains("name 'b' in its \"boundary\""));
}
