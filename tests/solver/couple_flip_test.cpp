#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <numbers>

#include "support/resumed.h"

// Rigid bodies that float in flip: draught by Archimedes, added masses by potential flow, what all
// together must keep.
using namespace rtsim;

namespace {

// Water in a tank whose sides are those of the grid; bodies as a list, cut out of the fill.
struct Pool {
  int dim = 2;
  double spacing = 0.0625, dt = 0.01, density = 500;
  std::string gravity = "[0, -9.81]", min = "[0, 0]", max = "[2, 2]";
  std::string fill, bodies, tank = R"({"box": {"min": [0, 0], "max": [2, 4]}, "inside": true})";
  std::string flow = {}, coupling = "strong", objects = {}, boundary = {};

  std::string text() const {
    return fmt::format(
        R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "water", "kind": "particles", "spacing": {}, "fill": {}}},
      {{"name": "room", "kind": "grid", "spacing": {}, "min": {}, "max": {}}},
      {{"name": "tank", "kind": "boundary", "shape": {}}}{},
      {{"name": "b", "kind": "bodies", "density": {}, "bodies": [{}]}}],
    "stages": [{{"type": "flip", "fluid": "water", "grid": "room", "boundary": [{}"b"]{}}},
      {{"type": "couple", "fluid": "water", "solid": "b", "coupling": "{}"}},
      {{"type": "rigid", "bodies": "b", "boundary": ["tank"]}}], "output": []}})",
        dim, gravity, dt, spacing / 2, fill, spacing, min, max, tank, objects, density, bodies,
        boundary, flow, coupling);
  }
};

template <int D>
Vec<D> position(Running& r, std::size_t body = 0) {
  return r.world().table("b").download<Vec<D>>("position")[body];
}
template <int D>
Vec<D> velocity(Running& r, std::size_t body = 0) {
  return r.world().table("b").download<Vec<D>>("velocity")[body];
}

// A box of 0.5 x 0.3 m at its draught in water that is 1 m deep where it is not.
Pool box_at_rest(double s, double spacing, double x) {
  Pool p;
  p.spacing = spacing, p.density = 1000 * s;
  const double y = 1 - 0.3 * s + 0.15;
  const std::string box = fmt::format(R"({{"box": {{"min": [{}, {}], "max": [{}, {}]}}}})",
                                      x - 0.25, y - 0.15, x + 0.25, y + 0.15);
  p.bodies = fmt::format(R"({{"shape": {}}})", box);
  p.fill = fmt::format(
      R"({{"difference": [{{"box": {{"min": [0, 0], "max": [2, 1]}}}}, {}]}})", box);
  return p;
}

}  // namespace

TEST_CASE("couple: a box floats in flip as deep as Archimedes says") {
  const double s = GENERATE(0.1, 0.5, 0.9);
  const double spacing = GENERATE(2.0 / 32, 2.0 / 37);
  const double x = GENERATE(1.0, 1.0173);
  CAPTURE(s, spacing, x);
  Running r(box_at_rest(s, spacing, x).text(), Exec::cpu(1));
  double mean = 0;
  for (int k = 0; k < 200; ++k) {
    r.advance(1);
    if (k >= 100) mean += 0.01 * double(position<2>(r)[1]);
  }
  const double water = r.measure("water.mass") / 1000, level = (water + 0.15 * s) / 2;
  const double off = (mean - (level - 0.3 * s + 0.15)) / spacing;
  fmt::print("draught s {} h {:.4f} x {} off {:.3f} kin {:.3g}\n", s, spacing, x, off, r.measure("water.kinetic_energy"));
  CHECK(std::abs(off) < 0.15);
}

// The double body of a half-immersed cylinder: rho pi R^2 / 2 in heave, where p = 0 on the surface.
TEST_CASE("couple: a cylinder half in flip's water takes half of its added mass along") {
  const double s = GENERATE(0.01, 0.5, 2.0);
  const double spacing = GENERATE(0.05, 0.025);
  const double R = 0.25, y = GENERATE(1.0, 1.013);
  Pool p;
  p.spacing = spacing, p.density = 1000 * s, p.gravity = "[0, 0]";
  p.max = "[4, 3]", p.tank = R"({"box": {"min": [0, 0], "max": [4, 4]}, "inside": true})";
  const std::string disc = fmt::format(R"({{"sphere": {{"centre": [2.007, {}], "radius": {}}}}})", y, R);
  p.bodies = fmt::format(R"({{"shape": {}, "velocity": [0, -1]}})", disc);
  p.fill = fmt::format(R"({{"difference": [{{"box": {{"min": [0, 0], "max": [4, {}]}}}}, {}]}})", y, disc);
  Running r(p.text(), Exec::cpu(1));
  r.advance(1);
  const double v = double(velocity<2>(r)[1]);
  fmt::print("half cylinder s {} h {} y {}: v {:.4f} want {:.4f}\n", s, spacing, y, v, -s / (s + 0.5));
  CHECK(v == Approx(-s / (s + 0.5)).epsilon(0.05));
}

TEST_CASE("couple: a cylinder in a closed tube full of flip's water falls with its added mass") {
  const double s = GENERATE(0.001, 0.1, 0.5, 2.0, 10.0);
  const double spacing = GENERATE(0.1, 0.05);
  Pool p;
  p.spacing = spacing, p.density = 1000 * s, p.dt = 1e-3, p.gravity = "[0, -10]";
  p.min = "[-1.2, -1.2]", p.max = "[1.2, 1.2]", p.boundary = "\"tank\", ";
  p.tank = R"({"sphere": {"centre": [0.013, -0.007], "radius": 1}, "inside": true})";
  const std::string disc = R"({"sphere": {"centre": [0.013, -0.007], "radius": 0.5}})";
  p.bodies = fmt::format(R"({{"shape": {}}})", disc);
  p.fill = fmt::format(R"({{"difference": [{{"sphere": {{"centre": [0.013, -0.007], "radius": 1}}}}, {}]}})", disc);
  Running r(p.text(), Exec::cpu(1));
  r.advance(1);
  const double v = double(velocity<2>(r)[1]), want = -(s - 1) / (s + 5. / 3) * 10 * 1e-3;
  fmt::print("ring s {} h {}: v {:.6f} want {:.6f} x {:.2g}\n", s, spacing, v, want, double(velocity<2>(r)[0]));
  CHECK(v == Approx(want).epsilon(0.05));
}

TEST_CASE("couple: light rises") {
  const double s = GENERATE(1e-3, 0.1, 0.5);
  const int kv = GENERATE(0, 1);
  Pool p;
  p.density = 1000 * s;
  if (kv) p.flow = R"(, "keep_volume": true)";
  const std::string disc = R"({"sphere": {"centre": [1.03, 0.4], "radius": 0.2}})";
  p.bodies = fmt::format(R"({{"shape": {}}})", disc);
  p.fill = fmt::format(R"({{"difference": [{{"box": {{"min": [0, 0], "max": [2, 1]}}}}, {}]}})", disc);
  Running r(p.text(), Exec::cpu(1));
  const double n = r.world().table("water").rows();
  const auto total = [&] {
    return r.measure("water.kinetic_energy") + r.measure("water.potential_energy") + r.measure("b.kinetic_energy") + r.measure("b.potential_energy");
  };
  r.advance(1);
  const double first = total(), pi = std::numbers::pi;
  double most = first, top = 0;
  for (int k = 0; k < 200; ++k) {
    r.advance(1);
    most = std::max(most, total());
    top = std::max(top, double(position<2>(r)[1]));
    if (k % 20 == 0) fmt::print("light s {} kv {} t {:.2f} y {:.3f} v {:.3f} E {:.3f} kin {:.3f} vol {:.4f}\n", s, kv, 0.01 * k, double(position<2>(r)[1]), double(velocity<2>(r)[1]), total() - first, r.measure("water.kinetic_energy"), r.measure("water.volume_error"));
  }
  fmt::print("light s {} kv {} most {:.3f} of {:.3f} top {:.3f} work {:.3f}\n", s, kv, most - first, first, top, pi * 0.04 * 1000 * (1 - s) * 9.81 * 0.6);
  CHECK(r.world().table("water").rows() == n);
}
