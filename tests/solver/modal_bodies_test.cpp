#include <algorithm>

#include "rigid/body.h"
#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

// A bar "m" of 12 kg and a body "b".
struct Struck {
  std::string body, held = "";
  double dt = 0.002, E = 1e6, friction = 0.3;
  std::string gravity = "[0, 0, 0]";

  std::string text() const {
    return fmt::format(
        R"({{"rtsim": 1, "dim": 3, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1,
             "frames": 1000000}}, "objects": [
               {{"name": "m", "kind": "mesh", "density": 1000,
                 "mesh": {{"block": {{"min": [0, 0, 0], "max": [0.6, 0.1, 0.2], "cells": [6, 1, 2]}}}}}},
               {{"name": "b", "kind": "bodies", "bodies": [{}]}}],
             "stages": [{} {{"type": "modal", "mesh": "m", "youngs_modulus": {}, "modes": 12,
                 "damping_ratio": 0.02, "boundary": ["b"], "thickness": 0.002, "friction": {}}},
               {{"type": "body_contact", "mesh": "m", "bodies": "b"}},
               {{"type": "rigid", "bodies": "b"}}], "output": []}})",
        gravity, dt, body, held, E, friction);
  }
};

std::string ball(double density) {
  return fmt::format(R"({{"density": {}, "velocity": [0.3, -2, 0.1],
                          "shape": {{"sphere": {{"centre": [0.45, 0.22, 0.13], "radius": 0.1}}}}}})",
                     density);
}

struct Whole {
  Vec3d momentum, moment;
  double energy;
};
Whole whole(Running& r) {
  Table& t = r.world().table("b");
  const auto of = [&](const char* c) { return widen(t.download<Vec<3>>(c)[0]); };
  const double mass = double(t.download<Real>("mass")[0]), inertia = of("inertia")[0];
  const Vec3d x = of("position"), v = of("velocity"), w = of("angular_velocity"), p = mass * v;
  Vec3d momentum, moment;
  const char* const axes[] = {"x", "y", "z"};
  for (int a = 0; a < 3; ++a) {
    momentum[a] = r.measure(std::string("m.momentum.") + axes[a]);
    moment[a] = r.measure(std::string("m.angular_momentum.") + axes[a]);
  }
  const double energy = r.measure("m.kinetic_energy") + r.measure("m.elastic_energy") +
                        0.5 * mass * dot(v, v) + 0.5 * inertia * dot(w, w);
  return {momentum + p, moment + cross(x, p) + inertia * w, energy};
}

}  // namespace

// Momentum as exact as the body's places in float; its moment to the way of a step, within which
// the body is pushed where it was at the beginning.
TEST_CASE("modal: what a free bar gets from a ball that hits it, the ball loses", "[long]") {
  for (const double density : {3., 700., 40000.})
    for (const double dt : {0.0007, 0.013})
      for (const double E : {1e5, 1e8})
        for (const double friction : {0., 0.7}) {
          INFO(density << " " << dt << " " << E << " " << friction);
          Running r(Struck{.body = ball(density), .dt = dt, .E = E, .friction = friction}.text(),
                    Exec::cpu(1));
          const Whole start = whole(r);
          double most = 0;
          for (int k = 0; k < std::lround(0.5 / dt); ++k)
            r.advance(1), most = std::max(most, whole(r).energy);
          const Whole end = whole(r);
          CHECK(norm(end.momentum - start.momentum) < 1e-4 * norm(start.momentum));
          CHECK(norm(end.moment - start.moment) < (1e-3 + dt) * norm(start.moment));
          CHECK(most <= (1 + 1e-5) * start.energy);
          CHECK(end.energy < 0.99 * start.energy);  // it was hit
        }
}

TEST_CASE("modal: a box that lies on a held bar presses on it with its weight") {
  const std::string box = R"({"density": 700,
      "shape": {"box": {"min": [0.2, 0.11, 0.02], "max": [0.4, 0.2, 0.18]}}})";
  const std::string held = R"(
      {"type": "attach", "name": "l", "mesh": "m", "inside": {"box": {"min": [-1, -1, -1], "max": [0.01, 1, 1]}}},
      {"type": "attach", "name": "r", "mesh": "m", "inside": {"box": {"min": [0.59, -1, -1], "max": [1, 1, 1]}}},)";
  for (const double dt : {0.002, 1. / 60}) {
    INFO(dt);
    Running r(Struck{.body = box, .held = held, .dt = dt, .gravity = "[0, -9.81, 0]"}.text(),
              Exec::cpu(1));
    r.advance(int(std::lround(4 / dt)));
    const int steps = int(std::lround(2 / dt));
    double push = 0;
    for (int k = 0; k < steps; ++k) r.advance(1), push += r.measure("b.push.y") / steps;
    CHECK(push == Approx(700 * 0.2 * 0.09 * 0.16 * 9.81).epsilon(0.01));
  }
}
