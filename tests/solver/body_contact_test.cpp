#include <algorithm>
#include <random>

#include "rigid/body.h"
#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;
using Catch::Contains;

namespace {

// A mesh "m" and bodies "b".
struct Meeting {
  std::string mesh, weight, solver, bodies;
  double dt = 0.002;
  std::string gravity = "[0, 0, 0]";
  std::string before = "";  // stages

  std::string text() const {
    return fmt::format(
        R"({{"rtsim": 1, "dim": 3, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1,
             "frames": 1000000}}, "objects": [
               {{"name": "m", "kind": "mesh", "mesh": {{{}}}, {}}},
               {{"name": "b", "kind": "bodies", "bodies": [{}]}}],
             "stages": [{} {{"mesh": "m", "boundary": ["b"], {}}},
               {{"type": "body_contact", "mesh": "m", "bodies": "b"}},
               {{"type": "rigid", "bodies": "b"}}], "output": []}})",
        gravity, dt, mesh, weight, bodies, before, solver);
  }
};

struct Body {
  Vec3d x, v, w;
  double mass, inertia;  // of a ball
};
Body body(Running& r) {
  Table& t = r.world().table("b");
  const auto of = [&](const char* c) { return widen(t.download<Vec<3>>(c)[0]); };
  return {of("position"), of("velocity"), of("angular_velocity"),
          double(t.download<Real>("mass")[0]), of("inertia")[0]};
}

Vec3d push(Running& r) { return r.world().table("b.forces@m").download<Vec3d>("force")[0]; }

// Of the mesh and the ball together.
struct Whole {
  Vec3d momentum, moment;
};
Whole whole(Running& r) {
  const Motion m = motion(r);
  const Body b = body(r);
  const Vec3d p = b.mass * b.v;
  return {m.momentum + p, m.moment + cross(b.x, p) + b.inertia * b.w};
}

const std::string ball_at = R"({{"name": "ball", "density": {},
    "shape": {{"sphere": {{"centre": [{}, {}, {}], "radius": {}}}}}, "velocity": [{}, {}, {}]}})";

std::string ball(double density, const Vec3d& x, double radius, const Vec3d& v = {}) {
  return fmt::format(fmt::runtime(ball_at), density, x[0], x[1], x[2], radius, v[0], v[1], v[2]);
}

const std::vector<std::string> solvers{
    R"("type": "xpbd", "stretch_compliance": 1e-4, "substeps": 4, "thickness": 0.01)",
    R"("type": "pbd", "stretch_stiffness": 0.2, "substeps": 2, "thickness": 0.01)",
    R"("type": "mass_spring", "network": "cloth", "stiffness": 100, "thickness": 0.01)",
    R"("type": "mass_spring", "integrator": "symplectic_euler", "network": "cloth",
       "stiffness": 100, "substeps": 4, "thickness": 0.01)",
    R"("type": "verlet", "iterations": 4, "drag": 0, "thickness": 0.01)",
    // Its tolerance is of energy: momentum is left out by more than that share.
    R"("type": "cloth_implicit", "stretch_stiffness": 100, "thickness": 0.01, "cg_tolerance": 1e-4)"};

}  // namespace

TEST_CASE("body_contact: what a free sheet loses to a ball that hits it, the ball gets") {
  for (const std::string& touch : {std::string("points"), std::string("faces")})
    for (const std::string& solver : solvers) {
      INFO(solver << " by " << touch);
      const double speed = 2;
      Meeting s{sheet(1, 10), R"("density": 0.5)",
                solver + fmt::format(R"(, "friction": 0.5, "touch": "{}")", touch),
                ball(30, {{0.63, 0.25, 0.42}}, 0.2, {{0.3, -speed, 0}})};
      Running r(s.text(), Exec::cpu(2));
      const Whole start = whole(r);
      const double mass = body(r).mass, fast = body(r).v[1];
      const int steps = 80;
      r.advance(steps);
      const Whole end = whole(r);
      CHECK(motion(r).momentum[1] < -0.1 * mass * speed);  // it was hit
      CHECK(body(r).v[1] > 0.9 * fast);
      // Rounding of velocities, at random: 4 eps sqrt(N) m max|v| in each of up to 20 changes of
      // all N points a step; the ball weighs as much as some of them do together.
      const double n = double(r.world().table("m").rows());
      const double rounding = steps * 20 * 4 * eps * speed * (0.5 / std::sqrt(n) + mass);
      // A solve in which points are held leaves up to its tolerance of what it passes on.
      const double pushed = norm(motion(r).momentum);
      const bool solves = solver.find("cloth_implicit") != std::string::npos;
      const double bound = rounding + (solves ? 1e-3 * pushed : 0);
      CHECK(norm(end.momentum - start.momentum) < bound);
      CHECK(norm(end.momentum - start.momentum) < 1e-3 * norm(start.momentum));
      // A push that acts through a step while its place moves by v dt: |J| v dt in all, and the
      // ball's path within a step, half of that.
      CHECK(norm(end.moment - start.moment) < 1.5 * pushed * speed * s.dt + bound);
    }
}

TEST_CASE("body_contact: a ball that lies in a sheet presses on it with its weight", "[long]") {
  const std::string corners =
      hold(R"("nearest": [[0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1]])") + ", ";
  // Few passes over sticks are soft: the ball swings for long, but for the drag.
  for (const std::string solver :
       {R"("type": "xpbd", "stretch_compliance": 1e-5, "substeps": 10, "damping": 100,
           "thickness": 0.01)",
        R"("type": "mass_spring", "network": "cloth", "stiffness": 3000, "substeps": 4, "drag": 100,
           "thickness": 0.01)",
        R"("type": "verlet", "iterations": 20, "drag": 400, "thickness": 0.01)",
        R"("type": "cloth_implicit", "stretch_stiffness": 3000, "drag": 100, "thickness": 0.01)"}) {
    INFO(solver);
    Meeting s{sheet(1, 16), R"("density": 0.3)", solver, ball(60, {{0.5, 0.22, 0.5}}, 0.2)};
    s.gravity = "[0, -9.81, 0]", s.before = corners;
    Running r(s.text(), Exec::cpu(2));
    r.advance(int(2 / s.dt));
    const double height = body(r).x[1], weight = body(r).mass * g;
    Vec3d mean;
    const int steps = 250;
    for (int k = 0; k < steps; ++k) r.advance(1), mean = mean + 1. / steps * push(r);
    // The momentum that it has left, over the time of the mean.
    const double rest = body(r).mass * norm(body(r).v) / (steps * s.dt);
    CHECK(std::abs(mean[1] - weight) < 0.005 * weight + 2 * rest);
    CHECK(std::hypot(mean[0], mean[2]) < 0.01 * weight + 2 * rest);
    CHECK(std::abs(body(r).x[1] - height) < 0.005);
    CHECK(height < 0.2);  // it has sunk in
    double nearest = 1;
    for (const Vec3d& x : places(r)) nearest = std::min(nearest, norm(x - body(r).x));
    CHECK(nearest > 0.2);
  }
}

TEST_CASE("body_contact: what cannot be passed on is refused, and said") {
  const auto message = [](const std::string& solver) -> std::string {
    try {
      Meeting s{sheet(1, 2), R"("density": 1)", solver, ball(30, {{0, 1, 0}}, 0.2)};
      Running r(s.text(), Exec::cpu(1));
    } catch (const Error& e) {
      CHECK(e.code() == ExitCode::bad_input);
      return e.what();
    }
    return {};
  };
  CHECK(message(R"("type": "cloth_implicit", "newton_iterations": 3)").find("take 1") !=
        std::string::npos);
}

namespace {

// Boxes and balls, light and heavy, in a row above a sheet that hangs by two or four corners over a
// floor: they push one another through it, and what lies on the floor.
struct Heap {
  std::mt19937 random;
  double size;

  double in(double from, double to) {
    return from + (to - from) * double(random() >> 8) / double(1 << 24);
  }
  std::string body(int k, double mass) {
    const double r = size * in(0.08, 0.2), x = size * in(-0.25, 0.25), z = size * in(-0.25, 0.25),
                 y = size * (0.6 + 0.45 * k);
    const std::string shape =
        in(0, 1) < 0.4
            ? fmt::format(R"("sphere": {{"centre": [{}, {}, {}], "radius": {}}})", x, y, z, r)
            : fmt::format(R"("box": {{"min": [{0}, {1}, {2}], "max": [{3}, {4}, {5}]}},
                             "transform": {{"translate": [{6}, {7}, {8}], "angle": {9},
                                            "axis": [{10}, {11}, 1]}})",
                          -r, -0.6 * r, -0.8 * r, r, 0.6 * r, 0.8 * r, x, y, z, in(-80, 80),
                          in(-1, 1), in(-1, 1));
    return fmt::format(R"({{"mass": {}, "velocity": [{}, 0, 0], "shape": {{{}}}}})", mass,
                       in(-1, 1) * std::sqrt(size), shape);
  }
  std::string scene(const std::string& solver, double dt) {
    const int cells = 8, corner = cells + 1;
    std::string bodies;
    for (int k = 0; k < 3; ++k)
      bodies += (k > 0 ? ", " : "") + body(k, 0.5 * cube(size) * std::pow(10, in(-1.5, 0.7)));
    const std::string held =
        in(0, 1) < 0.5 ? fmt::format("[0, {}]", cells)
                       : fmt::format("[0, {}, {}, {}]", cells, cells * corner, corner * corner - 1);
    return fmt::format(
        R"({{"rtsim": 1, "dim": 3, "time": {{"dt": {0}, "steps_per_frame": 1, "frames": 1000}},
             "objects": [
               {{"name": "m", "kind": "mesh", "density": {1}, "mesh": {{"sheet": {{
                 "corner": [{2}, {3}, {2}], "u": [{4}, 0, 0], "v": [0, 0, {4}],
                 "cells": [{5}, {5}]}}}}}},
               {{"name": "b", "kind": "bodies", "bodies": [{6}]}},
               {{"name": "floor", "kind": "boundary", "shape": {{"plane": {{"point": [0, 0, 0]}}}}}}],
             "stages": [{7},
               {{{8}, "mesh": "m", "boundary": ["floor", "b"], "touch": "faces"}},
               {{"type": "body_contact", "mesh": "m", "bodies": "b"}},
               {{"type": "rigid", "bodies": "b", "boundary": ["floor"]}}], "output": []}})",
        dt, 0.5 * size, -0.5 * size, 0.3 * size, size, cells, bodies,
        hold(fmt::format(R"("points": {})", held)), solver);
  }
  static double cube(double a) { return a * a * a; }
};

}  // namespace

// Each push of a body, and each stop of a point at one, takes energy from both; what the sheet
// stretches by gives it back, so that energy may rise again, but never above the first.
TEST_CASE("body_contact: a heap of bodies on one held sheet gets no energy from it", "[long]") {
  for (unsigned seed = 1; seed <= 4; ++seed)
    for (const std::string solver :
         {R"("type": "pbd")", R"("type": "xpbd", "stretch_compliance": 1e-5, "substeps": 5)",
          R"("type": "verlet")"}) {
      INFO("seed " << seed << ", " << solver);
      const double size = seed % 3 == 0 ? 0.13 : seed % 3 == 1 ? 1 : 7.7;
      const double dt = std::sqrt(size) / (seed % 2 == 0 ? 60 : 130);
      Running r(Heap{std::mt19937(seed), size}.scene(solver, dt), Exec::cpu(2));
      const auto energy = [&] {
        return r.measure("m.kinetic_energy") + r.measure("m.potential_energy") +
               r.measure("b.kinetic_energy") + r.measure("b.potential_energy");
      };
      const double first = energy();
      double most = first;
      while (r.time() < 2.2 * std::sqrt(2 * size / g))
        r.advance(1), most = std::max(most, energy());
      CHECK(most <= first * (1 + 1e-3));
    }
}

// It gave the sheet its velocity and took that of as heavy a part of the sheet, step by step.
// Without "recovery", which leads what is too near out with a speed that costs nothing.
TEST_CASE("body_contact: a light ball that pins a sheet to the floor does not swing with it",
          "[long]") {
  for (const int cells : {8, 11, 16})
    for (const Vec3d& place :
         {Vec3d{{0.27, 0.8, -0.2}}, Vec3d{{-0.5, 0.8, 0.2}}, Vec3d{{0.13, 0.8, 0.31}}}) {
      INFO(cells << " cells, at " << place[0] << ", " << place[2]);
      Running r(fmt::format(
                    R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.0079, "frames": 60}}, "objects": [
              {{"name": "m", "kind": "mesh", "density": 4.3, "mesh": {{"sheet": {{
                "corner": [-2.15, 0.03, -2.15], "u": [4.3, 0, 0], "v": [0, 0, 4.3],
                "cells": [{0}, {0}]}}}}}},
              {{"name": "floor", "kind": "boundary",
                "shape": {{"plane": {{"point": [0, 0, 0], "normal": [0, 1, 0]}}}}}},
              {{"name": "b", "kind": "bodies", "bodies": [{1}]}}],
            "stages": [{{"type": "cloth_implicit", "mesh": "m", "boundary": ["floor", "b"],
                "touch": "faces", "friction": 0, "recovery": 0}},
              {{"type": "body_contact", "mesh": "m", "bodies": "b"}},
              {{"type": "rigid", "bodies": "b", "boundary": ["floor"]}}], "output": []}})",
                    cells, ball(8.5, place, 0.6, {{0, -9, 0}})),
                Exec::cpu(2));
      double least = std::numeric_limits<double>::infinity(), rise = 0;
      const double first = r.measure("b.kinetic_energy");
      for (int step = 0; step < 60; ++step) {
        r.advance(1);
        const double now = r.measure("m.kinetic_energy") + r.measure("m.potential_energy") +
                           r.measure("m.elastic_energy") + r.measure("b.kinetic_energy") +
                           r.measure("b.potential_energy");
        least = std::min(least, now), rise = std::max(rise, now - least);
      }
      CHECK(rise < 1e-5 * first);  // of sums of floats, over 60 steps
    }
}
