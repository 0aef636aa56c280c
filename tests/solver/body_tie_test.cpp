#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "rigid/body.h"
#include "support/running.h"

// Points of a mesh that are tied to a rigid body.
using namespace rtsim;

namespace {

// A rope of springs k [N] that hangs from its first point, a ball at its end.
struct Hung {
  double length = 1, weight = 2, rope = 0.05, k = 2000;
  int segments = 10;
  double dt = 0.005;
  Vec3d along{{0, -1, 0}};  // at the start
  double off = 0;           // of the ball's centre, beyond the end
  std::string solver = R"("integrator": "implicit_euler", "damping": 1, "drag": 2)";
  bool held = true;
  Vec3d velocity{};  // of the ball
  std::string gravity = "[0, -9.81, 0]";
  std::string coupler = R"({"type": "body_contact", "mesh": "rope", "bodies": "b"},)";
  std::string body = "ball";

  Vec3d end() const { return length * along; }
  std::string text() const {
    const Vec3d x = end(), c = (length + off) * along;
    return fmt::format(
        R"({{"rtsim": 1, "dim": 3, "gravity": {}, "time": {{"dt": {}, "frames": 100000}},
    "objects": [{{"name": "rope", "kind": "mesh", "density": {},
        "mesh": {{"line": {{"from": [0, 0, 0], "to": [{}, {}, {}], "segments": {}}}}}}},
      {{"name": "b", "kind": "bodies", "bodies": [{{"name": "ball", "mass": {},
        "velocity": [{}, {}, {}],
        "shape": {{"sphere": {{"centre": [{}, {}, {}], "radius": 0.1}}}}}}]}}],
    "stages": [{} {{"type": "attach", "name": "tie", "mesh": "rope", "points": [{}],
        "tie": {{"bodies": "b", "body": "{}"}}}},
      {{"type": "mass_spring", "mesh": "rope", "law": "relative", "stiffness": {}, {}}},
      {} {{"type": "rigid", "bodies": "b"}}], "output": []}})",
        gravity, dt, rope / length, x[0], x[1], x[2], segments, weight, velocity[0], velocity[1],
        velocity[2], c[0], c[1], c[2],
        held ? R"({"type": "attach", "name": "top", "mesh": "rope", "points": [0]},)" : "",
        segments, body, k, solver, coupler);
  }
  // Each segment bears what is below it: sum of T l / k.
  double reach() const {
    double sum = length;
    for (int j = 0; j < segments; ++j)
      sum += 9.81 * (weight + rope * (segments - j - 0.5) / segments) * length / (segments * k);
    return sum;
  }
};

Vec3d ball(Running& r) { return widen(r.world().table("b").download<Vec<3>>("position")[0]); }
double pull_of_tie(Running& r) {
  for (const Measurement& m : rtsim::measure(r.sim))
    if (m.name == "tie.rope.pull.y") return m.value;
  return 0;
}
Vec3d end_of(Running& r) {
  return widen(r.world().table("rope").download<Vec<3>>("position").back());
}

}  // namespace

TEST_CASE("body tie: a weight at a rope's end stretches it as it should, whatever the step") {
  Hung scenes[5];
  scenes[1].dt = 0.013, scenes[1].weight = 7.3, scenes[1].segments = 6;
  scenes[2].rope = 1.7, scenes[2].length = 0.61, scenes[2].k = 900;
  scenes[3].solver = R"("integrator": "symplectic_euler", "substeps": 40, "damping": 1, "drag": 2)";
  scenes[4].along = {{0.6, 0, 0.8}}, scenes[4].dt = 0.003;  // it falls, swings and comes to rest
  for (Hung& h : scenes) {
    INFO(h.dt << " s, " << h.weight << " kg, " << h.solver);
    Running r(h.text(), Exec::cpu(2));
    r.advance(int(12 / h.dt));
    CHECK(-ball(r)[1] == Approx(h.reach()).epsilon(1e-3));
    CHECK(pull_of_tie(r) == Approx(9.81 * h.weight).epsilon(0.01));
    CHECK(norm(ball(r) - end_of(r)) < 1e-4);
    CHECK(r.measure("rope.mass") == Approx(h.rope));
  }
}

TEST_CASE("body tie: a ball tied at its side hangs below the rope") {
  Hung h;
  h.off = 0.1;
  Running r(h.text(), Exec::cpu(2));
  r.advance(2400);
  // For the point the ball weighs less than it does, and gives way by g h^2 (M / m - 1): 7/2 of it
  // answer at the side of a ball.
  const double more = 9.81 * h.dt * h.dt * 2.5;
  CHECK(-ball(r)[1] == Approx(h.reach() + 0.1 + more).margin(1e-3));
  CHECK(pull_of_tie(r) == Approx(9.81 * h.weight).epsilon(0.01));
}

TEST_CASE("body tie: a weight on a light rope swings with the period of a pendulum") {
  for (const double length : {0.7, 1.9}) {
    Hung h;
    h.length = length, h.rope = 0.01 * length, h.dt = 0.002;
    h.along = {{std::sin(0.1), -std::cos(0.1), 0}};
    h.solver = R"("integrator": "symplectic_euler", "substeps": 40, "damping": 0.05)";
    Running r(h.text(), Exec::cpu(1));
    // As one stiff rod of moment M L^2 + m L^2 / 3, of which M L + m L / 2 pulls down; of an
    // amplitude a the period is longer by a^2 / 16.
    const double l = h.reach(), moment = l * l * (h.weight + h.rope / 3),
                 pull = 9.81 * l * (h.weight + h.rope / 2);
    const double period = 2 * 3.14159265358979 * std::sqrt(moment / pull) * (1 + 0.01 / 16);
    std::vector<double> crossings;
    double before = ball(r)[0];
    for (int k = 1; crossings.size() < 5; ++k) {
      REQUIRE(k * h.dt < 4 * period);
      r.advance(1);
      const double x = ball(r)[0];
      if ((x < 0) != (before < 0)) crossings.push_back((k - x / (x - before)) * h.dt);
      before = x;
    }
    CHECK(0.5 * (crossings[4] - crossings[0]) == Approx(period).epsilon(0.005));
  }
}

TEST_CASE("body tie: momentum of a rope and the body that it is tied to is kept") {
  for (const double off : {0., 0.1})
    for (const char* integrator : {"implicit_euler", "velocity_verlet"}) {
      INFO(integrator << ", " << off);
      Hung h;
      h.off = off, h.held = false, h.gravity = "[0, 0, 0]", h.velocity = {{0.7, 0.3, -0.2}};
      h.solver = fmt::format(R"("integrator": "{}", "substeps": 20, "damping": 0.1)", integrator);
      Running r(h.text(), Exec::cpu(2));
      const char* const axes[] = {"x", "y", "z"};
      r.advance(300);
      for (int a = 0; a < 3; ++a) {
        const double sum = r.measure(fmt::format("rope.momentum.{}", axes[a])) +
                           r.measure(fmt::format("b.momentum.{}", axes[a]));
        // Each step rounds the momenta of both, and the force between them.
        const double eps = std::numeric_limits<Real>::epsilon();
        CHECK(sum == Approx(2 * h.velocity[a]).margin(300 * 4 * eps * 1.6));
      }
      CHECK(std::abs(r.measure("rope.momentum.x")) > 0.03);  // the ball has drawn it along
    }
}

TEST_CASE("body tie: a point that is tied twice is refused, for it would gain mass in every step") {
  Hung twice;
  twice.coupler = R"({"type": "attach", "name": "again", "mesh": "rope", "points": [9, 10],
      "tie": {"bodies": "b", "body": "ball"}},)" +
                  twice.coupler;
  CHECK_THROWS_WITH(Running(twice.text(), Exec::cpu(1)),
                    Catch::Contains("point 10 of 'rope' is tied to a body of 'b' already"));
}

TEST_CASE("body tie: what cannot be passed on, and bodies that are not there, are named") {
  Hung h;
  h.coupler = "";
  Running alone(h.text(), Exec::cpu(1));
  CHECK_THROWS_WITH(alone.advance(1), Catch::Contains("nothing tells 'b' how 'rope' pulls at it") &&
                                          Catch::Contains("body_contact"));
  Hung misspelt;
  misspelt.body = "bal";
  CHECK_THROWS_WITH(
      Running(misspelt.text(), Exec::cpu(1)),
      Catch::Contains("no body of 'b' has the \"name\" 'bal'; did you mean \"ball\"?"));
}
