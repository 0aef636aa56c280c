#include <algorithm>

#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

// A bar above, or on, a plane: `low` is its lowest point [m].
struct Falling {
  double low = 0.2, E = 1e6, angle = 0, friction = 0.3, slope = 0, damping = 0.02;
  int modes = 12;
  std::string velocity = "[0, 0, 0]";
  static constexpr double thickness = 0.002;

  std::string text(double dt) const {
    const double a = slope * std::acos(-1.) / 180;
    return fmt::format(
        R"({{"rtsim": 1, "dim": 3, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1000000}},
        "gravity": [{}, {}, 0],
        "objects": [{{"name": "m", "kind": "mesh", "density": 1000, "velocity": {},
          "mesh": {{"block": {{"min": [0, {}, 0], "max": [0.6, {}, 0.2], "cells": [6, 1, 2]}},
                    "transform": {{"axis": [0, 0, 1], "angle": {}}}}}}},
          {{"name": "floor", "kind": "boundary", "shape": {{"plane": {{}}}}}}],
        "stages": [{{"type": "modal", "mesh": "m", "youngs_modulus": {}, "modes": {},
          "damping_ratio": {}, "boundary": ["floor"], "friction": {}, "thickness": {}}}],
        "output": []}})",
        dt, 9.81 * std::sin(a), -9.81 * std::cos(a), velocity, low, low + 0.1, angle, E, modes,
        damping, friction, thickness);
  }
};

double lowest(Running& r) {
  double low = 1e30;
  for (const Vec3d& x : places(r)) low = std::min(low, x[1]);
  return low;
}
double energy(Running& r) {
  return r.measure("m.kinetic_energy") + r.measure("m.elastic_energy") +
         r.measure("m.potential_energy");
}

}  // namespace

TEST_CASE("modal: a bar that falls stays above the floor, never gains energy, and rests") {
  for (const double angle : {0., 20.})
    for (const double dt : {0.005, 1. / 60}) {
      INFO(angle << " " << dt);
      Running r(Falling{.low = 0.3, .angle = angle}.text(dt), Exec::cpu(1));
      double last = energy(r), rose = 0, low = 1;
      for (int k = 0; k < std::lround(3 / dt); ++k) {
        r.advance(1);
        const double now = energy(r);
        rose = std::max(rose, now - last), last = now;
        low = std::min(low, lowest(r));
      }
      const double fall = 12 * 9.81 * 0.3;
      CHECK(low > 0.9 * Falling::thickness);
      CHECK(rose < 80 * dt * dt * fall);  // turns are linearised within a step
      CHECK(r.measure("m.kinetic_energy") < 1e-3 * fall);
      CHECK(lowest(r) == Approx(Falling::thickness).margin(0.05 * Falling::thickness));
    }
}

// Its base stands, or goes down and up by keyframes, and bears what pushes the bar: it gets no
// speed of its own by it, which the next step would take for one of the holder.
TEST_CASE("modal: a bar that is held and strikes a floor gains nothing but what its base feeds") {
  const std::string moves = R"(, "motion": {"keyframes": [{"time": 0},
      {"time": 0.7, "translate": [0.1, -0.08, 0]}, {"time": 1.2, "translate": [0, 0, 0.1]}]})";
  for (const std::string& motion : {std::string(), moves})
    for (const double friction : {0., 0.5}) {
      CAPTURE(motion, friction);
      const double dt = 0.002;
      const MeshScene s{
          .mesh = R"("block": {"min": [0, 0, 0], "max": [1, 0.1, 0.1], "cells": [10, 1, 1]})",
          .weight = R"("density": 1000}, {"name": "floor", "kind": "boundary",
                       "shape": {"plane": {"point": [0, -0.05, 0]}})",  // and the next object
          .stages =
              hold(R"("inside": {"box": {"min": [-1, -1, -1], "max": [1e-3, 9, 9]}})", motion) +
              fmt::format(R"(, {{"type": "modal", "mesh": "m", "youngs_modulus": 1e7,
                                 "modes": 8, "boundary": ["floor"], "friction": {}}})",
                          friction),
          .dt = dt,
          .gravity = "[0, -9.81, 0]"};
      Running r(s.text(), Exec::cpu(1));
      double least = energy(r), rose = 0, most = 0, contacts = 0;
      for (int k = 0; k < std::lround(1.2 / dt); ++k) {
        r.advance(1);
        const double now = energy(r) - r.measure("m.fed_energy");
        least = std::min(least, now), rose = std::max(rose, now - least);
        most = std::max(most, r.measure("m.kinetic_energy"));
        contacts += r.measure("m.contacts");
        if (motion.empty()) CHECK(places(r)[0][1] == 0);
      }
      CHECK(contacts > 10);
      CHECK(rose < 0.01 * most);
    }
}

TEST_CASE("modal: a bar on a floor that is plucked rings on it") {
  Running r(Falling{.low = 0.002, .damping = 0}.text(0.001), Exec::cpu(1));
  r.advance(200);
  // Its middle is struck from below.
  auto v = r.world().table("m").download<Vec<3>>("velocity");
  const auto x = places(r);
  for (std::size_t k = 0; k < v.size(); ++k)
    if (std::abs(x[k][0] - 0.3) < 0.15) v[k][1] += Real(0.5);
  r.world().exec.upload(r.world().table("m").column<Vec<3>>("velocity").data, v.data(),
                        v.size() * sizeof(Vec<3>));
  const double still = r.measure("m.elastic_energy");
  r.advance(20);
  CHECK(r.measure("m.elastic_energy") > still + 1e-3);
  CHECK(lowest(r) > 0.9 * Falling::thickness);
}

TEST_CASE("modal: a bar slides as far as friction lets it, and sticks on a slope that it may") {
  // v^2 / (2 mu g), stiff: it does not tip over, but its front presses more than its back.
  const double v = 1;
  Running r(Falling{.low = 0.002, .E = 1e8, .velocity = "[1, 0, 0]"}.text(0.002), Exec::cpu(1));
  const double from = places(r)[0][0];
  r.advance(400);
  CHECK(places(r)[0][0] - from == Approx(v * v / (2 * 0.3 * g)).epsilon(0.02));
  for (const double slope : {14., 20.}) {  // atan 0.3 = 16.7 degrees
    Running s(Falling{.low = 0.002, .E = 1e8, .slope = slope}.text(0.002), Exec::cpu(1));
    const double start = places(s)[0][0];
    s.advance(250);
    const double a = slope * std::acos(-1.) / 180;
    const double way = std::max(0., 9.81 * (std::sin(a) - 0.3 * std::cos(a))) * 0.25 / 2;
    CHECK(places(s)[0][0] - start == Approx(way).margin(0.02 * way + 1e-4));
  }
}
