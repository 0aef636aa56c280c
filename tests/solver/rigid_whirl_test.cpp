#include <catch2/catch.hpp>
#include <cmath>

#include "support/joined.h"

using namespace rtsim;

namespace {

// What turns by a radian in a part of a substep of fourth order, a quarter of it, is off by its
// fourth power; coefficients of the composition are below a tenth.
constexpr double swing = 0.1 * 0.25 * 0.25 * 0.25 * 0.25;
// Of numbers that are written down.
constexpr double rounding = sizeof(Real) == 4 ? 6e-8 : 1e-15;

// Two unlike boxes, joined at the origin, off the centres of both, that turn about z by w [rad/s],
// the second by `more` of that besides; nothing else moves them, and their centre of mass rests.
struct Whirled : Joined {
  static constexpr double fps = 60, substeps = 4;
  static std::string vec(const Vec3d& v, int dim) {
    return dim == 2 ? fmt::format("[{}, {}]", v[0], v[1])
                    : fmt::format("[{}, {}, {}]", v[0], v[1], v[2]);
  }
  static std::string body(const char* name, int dim, double mass, const Vec3d& at,
                          const Vec3d& size, const Vec3d& v, const Vec3d& w) {
    return fmt::format(
        R"({{"name": "{}", "mass": {}, "shape": {{"box": {{"min": {}, "max": {}}}}}, "velocity": {},
             "angular_velocity": {}}})",
        name, mass, vec(at - 0.5 * size, dim), vec(at + 0.5 * size, dim), vec(v, dim),
        dim == 2 ? fmt::format("[{}]", w[2]) : vec(w, dim));
  }
  static std::string bodies(int dim, const Vec3d& w, double more) {
    const Vec3d a{{-0.3, 0, 0}}, b{{0.2, 0.1, dim == 2 ? 0 : 0.05}};
    const Vec3d va = cross(w, a), vb = cross((1 + more) * w, b);  // about the joint
    const Vec3d v = (1.0 / 3) * (va + 2.0 * vb);
    return body("p", dim, 1, a, {{0.5, 0.2, 0.1}}, va - v, w) + "," +
           body("q", dim, 2, b, {{0.4, 0.15, 0.3}}, vb - v, (1 + more) * w);
  }
  Whirled(int dim, const std::string& kind, const Vec3d& w, double more, int threads = 1)
      : Joined(
            dim, dim == 2 ? "[0, 0]" : "[0, 0, 0]", bodies(dim, w, more),
            fmt::format(R"({{"name": "j", "kind": "{}", "a": "p", "b": "q", "at": {}{}}})", kind,
                        vec({}, dim), kind == "hinge" && dim == 3 ? R"(, "axis": [0, 0, 1])" : ""),
            1 / fps, "", threads) {}
  double gap() { return measure("b.joint_error"); }
};

// How far off they are at worst, over so many frames.
struct Drift {
  double energy = 0, spin = 0, momentum = 0, gap = 0;
  Drift(Whirled& r, int frames) {
    const double start = r.energy(), size = norm(r.spin());
    const Vec3d spin_of_start = r.spin();
    for (int n = 0; n < frames; ++n) {
      r.advance(1);
      energy = std::max(energy, std::abs(r.energy() / start - 1));
      spin = std::max(spin, norm(r.spin() - spin_of_start) / size);
      momentum = std::max(
          {momentum, std::abs(r.measure("b.momentum.x")), std::abs(r.measure("b.momentum.y"))});
      gap = std::max(gap, r.gap());
    }
  }
};

struct Coupling {
  int dim;
  const char* name;
  Vec3d axis;
  double more;
};
const Coupling kinds[] = {{3, "fixed", {{0, 0, 1}}, 0},    {3, "fixed", {{0.3, 0.1, 1}}, 0},
                          {3, "ball", {{0.2, 0, 1}}, 0.3}, {3, "hinge", {{0, 0, 1}}, 0.3},
                          {2, "fixed", {{0, 0, 1}}, 0},    {2, "hinge", {{0, 0, 1}}, 0.3}};

void check(const Coupling& k, double w, int frames) {
  Whirled r(k.dim, k.name, w * k.axis, k.more);
  const Drift d(r, frames);
  CAPTURE(k.dim, k.name, w, frames, d.energy, d.spin, d.momentum, d.gap);
  // Velocities are written down once in a substep; before, in each of five steps of each part of a
  // quarter radian, some ten impulses round in doubles.
  const double parts = w / 60 / 0.25 * (1 + k.more) + 4;
  const double rounded = (rounding * 4 + 1.1e-16 * 10 * 5 * parts) * frames;
  CHECK(d.energy < swing + 4 * rounded);
  CHECK(d.spin < 4 * rounded);
  // Of masses of 3 kg whose joint is a third of a metre off.
  CHECK(d.momentum < rounded * 3 * w / 3);
  // Places are written down once in a substep, within a metre of the origin.
  CHECK(d.gap < 10 * rounding + 1e-9);
}

void check_blows(double w) {
  // Blows shift bodies by themselves, so that joints are off by centimetres until they are closed.
  for (const char* kind : {R"("ball")", R"("hinge", "axis": [0, 0, 1])"}) {
    Running r(fmt::format(R"({{"rtsim": 1, "dim": 3, "time": {{"fps": 60, "frames": 30}},
          "objects": [{{"name": "b", "kind": "bodies", "bodies": [
              {{"name": "p", "mass": 1, "shape": {{"box": {{"min": [-0.55, 0.5, -0.05], "max": [-0.05, 0.7, 0.05]}}}},
                "velocity": [0, {}, 0], "angular_velocity": [0, 0, {}]}},
              {{"name": "q", "mass": 2, "shape": {{"box": {{"min": [0, 0.525, -0.15], "max": [0.3, 0.675, 0.15]}}}},
                "velocity": [0, {}, 0], "angular_velocity": [0, 0, {}]}}],
            "joints": [{{"kind": {}, "a": "p", "b": "q", "at": [0, 0.6, 0]}}]}},
            {{"name": "floor", "kind": "boundary", "shape": {{"plane": {{"point": [0, 0, 0]}}}}}}],
          "stages": [{{"type": "rigid", "bodies": "b", "boundary": ["floor"], "restitution": 0.8}}]}})",
                          -0.33 * w, w, 0.165 * w, 1.3 * w, kind),
              Exec::cpu(1));
    const auto energy = [&] {
      return r.measure("b.kinetic_energy") + r.measure("b.potential_energy");
    };
    const double start = energy();
    double most = 0, gap = 0;
    for (int n = 0; n < 30; ++n) {
      r.advance(1);
      most = std::max(most, energy()), gap = std::max(gap, r.measure("b.joint_error"));
    }
    CAPTURE(kind, w, start, most / start, gap);
    CHECK(most < (1 + swing) * start);
    // As long as they turn by more than a quarter of a radian in a substep, joints hold; below it
    // to (w h)^2 / 2 of arms of 0.3 m.
    CHECK(gap < 0.25 * 0.25 / 2 * 0.3);
  }
}

}  // namespace

TEST_CASE("rigid_whirl: off-centre joints hold at 1e4 rad/s and keep energy and momenta") {
  // 167 rad in a frame.
  for (const Coupling& k : kinds) check(k, 1e4, 1);
}

TEST_CASE("rigid_whirl: so they do where substeps are of a half to four radians") {
  for (const Coupling& k : kinds)
    for (const double w : {120.0, 300.0, 1000.0}) check(k, w, 4);
}

TEST_CASE("rigid_whirl: bodies at the ends of a bar circle at 1e4 rad/s, and do not turn") {
  // It holds them at their centres: they keep the speed of w L / 2, and each pulls with m v^2 / r.
  Joined r(
      3, "[0, 0, 0]",
      R"({"name": "p", "mass": 1, "shape": {"sphere": {"centre": [-0.5, 0, 0], "radius": 0.1}}, "velocity": [0, -5000, 0]},
              {"name": "q", "mass": 1, "shape": {"sphere": {"centre": [0.5, 0, 0], "radius": 0.1}}, "velocity": [0, 5000, 0]})",
      R"({"name": "bar", "kind": "distance", "a": "p", "b": "q", "at": [-0.5, 0, 0], "to": [0.5, 0, 0]})",
      1.0 / 60);
  const double start = r.energy();
  r.advance(1);
  CHECK(r.energy() == Approx(start).epsilon(swing));
  CHECK(norm(r.at("velocity")) == Approx(5000).epsilon(swing));
  // Anchors at centres are off them by what doubles round, 1e-16 m: 1e-15 of v over m r^2 / I, in
  // each of some 3000 parts.
  CHECK(norm(r.at("angular_velocity")) < 1e-15 * 5000 * 250 * 3000);
  CHECK(r.measure("b.bar.length") == Approx(1).epsilon(10 * rounding + 1e-9));
}

TEST_CASE("rigid_whirl: what hits the ground as it spins gains nothing, and holds") {
  check_blows(100), check_blows(300);
}

TEST_CASE("rigid_whirl: so it does at 1e4 rad/s", "[slow]") { check_blows(1e4); }

TEST_CASE("rigid_whirl: and over a second at 1e4 rad/s", "[slow]") {
  for (const Coupling& k : kinds) check(k, 1e4, 60);
}
