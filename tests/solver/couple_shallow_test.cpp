#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "solvers/shallow_water/hull_facets.h"
#include "support/resumed.h"

// Rigid bodies that float in shallow water.
using namespace rtsim;

namespace {

// A channel along x, filled to 1 m, with bodies.
struct Channel {
  double spacing = 0.1, dt = 0.01, length = 40, width = 0.2, gravity = 9.81;
  std::string bodies, edges = {}, bed = {}, coupling = "strong", rigid = {}, more = {};

  std::string text() const {
    return fmt::format(
        R"({{"rtsim": 1, "dim": 3, "gravity": [0, {}, 0], "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "w", "kind": "height_field", "spacing": {}, "min": [0, 0, 0], "max": [{}, 0, {}],
                  {} "fill": {{"plane": {{"point": [0, 1, 0], "normal": [0, 1, 0]}}}}}},
                {} {{"name": "b", "kind": "bodies", "bodies": [{}]}}],
    "stages": [{{"type": "shallow_water", "water": "w", "boundary": ["b"]{}}},
      {{"type": "couple", "fluid": "w", "solid": "b", "coupling": "{}"}},
      {{"type": "rigid", "bodies": "b"{}}}], "output": []}})",
        -gravity, dt, spacing, length, width, bed, more, bodies, edges, coupling, rigid);
  }
};

std::string box(double x0, double x1, double y0, double y1, double z0, double z1, double density,
                const std::string& more = "") {
  return fmt::format(
      R"({{"shape": {{"box": {{"min": [{}, {}, {}], "max": [{}, {}, {}]}}}}, "density": {}{}}})",
      x0, y0, z0, x1, y1, z1, density, more);
}

Vec3d place(Running& r, std::size_t body = 0) {
  return widen(r.world().table("b").download<Vec<3>>("position")[body]);
}
Vec3d speed(Running& r, std::size_t body = 0) {
  return widen(r.world().table("b").download<Vec<3>>("velocity")[body]);
}

}  // namespace

namespace {

// A tetrahedron by columns of 0.1 m, moved along x and z.
HullFacets tetrahedron(double x, double z) {
  const Vec3d at[4] = {{{0.31 + x, 0.2, 0.42 + z}},
                       {{0.93 + x, 0.37, 0.55 + z}},
                       {{0.48 + x, 0.11, 0.97 + z}},
                       {{0.52 + x, 0.83, 0.61 + z}}};
  GridShape g;
  g.cells[0] = g.cells[2] = 12, g.spans[1] = false, g.spacing = 0.1;
  HullFacets all;
  const int faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  for (const auto& f : faces) all.add(g, {at[f[0]], at[f[1]], at[f[2]]});
  return all;
}
double taken(const HullFacets& h, Index cell, double head) {
  double sum = 0;
  for (const HullFacet& f : h.facets)
    if (f.cell == cell) sum += f.area * (head - f.y);
  return sum;
}
double taken(const std::vector<HullSegment>& h, Index cell, double head) {
  double sum = 0;
  for (const HullSegment& f : h)
    if (f.cell == cell) sum += f.length * (head - f.y);
  return sum;
}

}  // namespace

TEST_CASE("couple: what hulls take of columns is their volume, and moves through the faces") {
  const HullFacets here = tetrahedron(0, 0);
  const Vec3d a{{0.62, 0.17, 0.13}}, b{{0.17, -0.09, 0.55}}, c{{0.21, 0.63, 0.19}};
  double volume = 0, area = 0;
  for (const HullFacet& f : here.facets) area += f.area, volume += f.area * (2 - f.y) * 0.01;
  CHECK(std::abs(area) < 1e-12);
  CHECK(volume == Approx(std::abs(dot(a, cross(b, c))) / 6).epsilon(1e-12));
  const double way = 1e-6;
  const HullFacets x = tetrahedron(way, 0), z = tetrahedron(0, way);
  for (Index cell = 0; cell < 144; ++cell) {
    if (cell % 12 == 0 || cell < 12) continue;
    const double flow_x = taken(here.across_x, cell - 1, 1) - taken(here.across_x, cell, 1),
                 flow_z = taken(here.across_z, cell - 12, 1) - taken(here.across_z, cell, 1);
    CHECK((taken(x, cell, 1) - taken(here, cell, 1)) / way * 0.1 == Approx(flow_x).margin(1e-4));
    CHECK((taken(z, cell, 1) - taken(here, cell, 1)) / way * 0.1 == Approx(flow_z).margin(1e-4));
  }
}

// (m + 2 rho R^3 / 3 h_w) y'' + (2 rho g R^2 / c) y' + 2 rho g R y = 0, a metre of a long box of
// half width R with h_w below it; waves of speed c leave (linear: a hundredth of the depth).
TEST_CASE("couple: a box on shallow water heaves with its added mass, and by the waves that leave",
          "[long]") {
  const bool fine = GENERATE(false, true);
  const double spacing = fine ? 0.05 : 0.1, step = fine ? 0.004 : 0.01;
  CAPTURE(spacing, step);
  const double R = 1, d = 0.5, g = 9.81, c = std::sqrt(g), lift = 0.01;
  Channel s;
  s.spacing = spacing, s.dt = step, s.width = 2 * spacing;
  s.bodies = box(19, 21, 0.5 + lift, 1.5 + lift, 0, s.width, 500);
  Running r(s.text(), Exec::cpu(2));
  const double mass = 2 * R * d + 2 * R * R * R / (3 * (1 - d)), stiff = 2 * g * R,
               damp = 2 * g * R * R / c;
  const double omega = std::sqrt(stiff / mass), zeta = damp / (2 * std::sqrt(stiff * mass));
  CHECK(omega == Approx(2.8998).epsilon(1e-4));
  CHECK(zeta == Approx(0.4629).epsilon(1e-4));
  const double turn = omega * std::sqrt(1 - zeta * zeta);
  double worst = 0;
  while (r.time() < 2.5) {
    r.advance(1);
    const double t = r.time();
    const double y = lift * std::exp(-zeta * omega * t) *
                     (std::cos(turn * t) + zeta / std::sqrt(1 - zeta * zeta) * std::sin(turn * t));
    worst = std::max(worst, std::abs(place(r)[1] - 1 - y));
  }
  CAPTURE(worst / lift);
  CHECK(worst < 0.03 * lift);
}

TEST_CASE("couple: a box at its draught on shallow water stays still over an uneven ground",
          "[long]") {
  Channel s;
  s.length = 8, s.width = 3;
  const double density = GENERATE(100, 900);
  s.bed = R"("bed": {"plane": {"point": [0, 0.02, 0], "normal": [-0.05, 1, 0.03]}},)";
  const double draught = 0.001 * density * 0.4;
  s.bodies = box(2.513, 4.031, 1 - draught, 1.4 - draught, 0.677, 1.914, density);
  Running r(s.text(), Exec::cpu(2));
  const Vec3d start = place(r);
  const double mass = r.measure("w.mass");
  r.advance(300);
  CHECK(norm(place(r) - start) < 1e-4 * draught);
  CHECK(norm(speed(r)) < 1e-5);
  CHECK(r.measure("w.kinetic_energy") < 1e-7);
  CHECK(r.measure("w.mass") == Approx(mass).epsilon(1e-6));
}

TEST_CASE("couple: a box set down aslant on shallow water comes to float upright at its draught",
          "[slow]") {
  Channel s;
  s.length = 6, s.width = 4;
  s.bodies = R"({"shape": {"box": {"min": [-0.75, -0.2, -0.5], "max": [0.75, 0.2, 0.5]},
      "transform": {"angle": 12, "axis": [0.4, 0.3, 1], "translate": [3.03, 1.15, 2.08]}}, "density": 300})";
  s.edges = R"(, "x_min": {"type": "absorbing"}, "x_max": {"type": "absorbing"},
      "z_min": {"type": "absorbing"}, "z_max": {"type": "absorbing"})";
  Running r(s.text(), Exec::cpu(2));
  r.advance(1500);
  const auto q = r.world().table("b").download<VecT<Real, 4>>("orientation")[0];
  const double up = 1 - 2 * (double(q[0]) * double(q[0]) + double(q[2]) * double(q[2]));
  CHECK(std::abs(up) > 0.9999);
  const auto depth = r.world().table("w").download<Real>("depth");
  CHECK(double(depth[0]) - (place(r)[1] - 0.2) == Approx(0.12).epsilon(0.01));
}

TEST_CASE("couple: water and a box that slides on it keep their momentum and volume") {
  Channel s;
  const double density = GENERATE(50, 500);
  CAPTURE(density);
  s.length = 20, s.width = 1;
  const double draught = 0.001 * density * 0.4;
  s.bodies = box(8, 10, 1 - draught, 1.4 - draught, 0, 1, density, R"(, "velocity": [0.2, 0, 0])");
  Running r(s.text(), Exec::cpu(2));
  const double mass = 2 * 0.4 * density, water = r.measure("w.mass");
  const double first =
      0.5 * mass * 0.04 + r.measure("w.potential_energy") + mass * 9.81 * place(r)[1];
  for (int k = 0; k < 200; ++k) {  // waves reach the walls after 2.5 s
    r.advance(1);
    const Vec3d v = speed(r);
    const double now = 0.5 * mass * dot(v, v) + mass * 9.81 * place(r)[1] +
                       r.measure("w.potential_energy") + r.measure("w.kinetic_energy");
    CHECK(now - first < 0.02 * 0.5 * mass * 0.04);
  }
  CHECK(r.measure("w.mass") == Approx(water).epsilon(1e-6));
  CAPTURE(speed(r)[0], r.measure("w.momentum.x"));
  CHECK(mass * speed(r)[0] + r.measure("w.momentum.x") == Approx(mass * 0.2).epsilon(0.02));
  CHECK(speed(r)[0] > 0);
  // Depths are rounded by e = 6e-8 m. The pressure that takes that back within a substep dt has the
  // slope dx e / (dt^2 g h), which gives the box dx e / (dt h) = 1.5e-6 m/s, at random: 3e-5 m/s in
  // 400 substeps, and no more than three times that.
  CHECK(std::abs(speed(r)[2]) < 9e-5);
}

TEST_CASE("couple: a heavy body sinks through shallow water to the ground without a burst") {
  Channel s;
  s.length = 6, s.width = 3, s.spacing = 0.1;
  s.bodies = box(2.5, 3.5, 0.9, 1.3, 1, 2, 2000);
  s.more =
      R"({"name": "ground", "kind": "boundary", "shape": {"plane": {"point": [0, 0, 0], "normal": [0, 1, 0]}}},)";
  s.rigid = R"(, "boundary": ["ground"])";
  Running r(s.text(), Exec::cpu(2));
  const double water = r.measure("w.mass");
  double fastest = 0;
  for (int k = 0; k < 300; ++k) {
    r.advance(1);
    fastest = std::max(fastest, r.measure("w.max_speed"));
  }
  CAPTURE(place(r), fastest);
  CHECK(place(r)[1] == Approx(0.2).margin(0.02));
  CHECK(norm(speed(r)) < 0.02);
  // No faster than water falls of the greatest pressure's head: its weight, and its fall.
  CHECK(fastest < std::sqrt(2 * 9.81 * 2));
  CHECK(r.measure("w.mass") == Approx(water).epsilon(1e-6));
}

TEST_CASE("couple: bodies on shallow water go on from a checkpoint as they were, on any threads") {
  Channel s;
  s.length = 6, s.width = 3;
  s.bodies = box(2.5, 3.5, 0.7, 1.1, 1, 2, 400,
                 R"(, "velocity": [0.5, 0, 0.3], "angular_velocity": [0.3, 0.5, 0.2])");
  CHECK(resumes_alike(s.text(), 10));
}

// Boxes and balls of any density, turned and thrown in any way, into a lake with a hill: they meet
// its ground and shore and one another, and leave films of water under them.
TEST_CASE("couple: what falls into shallow water makes no energy, and all water stays", "[long]") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    std::mt19937 random(seed);
    const auto in = [&](double from, double to) {
      return from + (to - from) * double(random() >> 8) / double(1 << 24);
    };
    const double size = seed % 3 == 0 ? 0.13 : seed % 3 == 1 ? 1 : 7.7;
    const double dt = std::sqrt(size) / (seed % 2 == 0 ? 33 : 110);
    CAPTURE(seed, size, dt);
    std::string bodies;
    for (int k = 0; k < 3; ++k) {
      const double r = size * in(0.08, 0.2);
      const std::string at = fmt::format("[{}, {}, {}]", size * in(0.25, 0.75),
                                         size * (0.35 + 0.4 * k), size * in(0.25, 0.75));
      const std::string shape =
          in(0, 1) < 0.5 ? fmt::format(R"("sphere": {{"centre": {}, "radius": {}}})", at, r)
                         : fmt::format(R"("box": {{"min": [{}, {}, {}], "max": [{}, {}, {}]}},
                               "transform": {{"translate": {}, "angle": {}, "axis": [{}, {}, 1]}})",
                                       -r, -0.6 * r, -0.8 * r, r, 0.6 * r, 0.8 * r, at, in(-80, 80),
                                       in(-1, 1), in(-1, 1));
      bodies +=
          fmt::format(R"({}{{"shape": {{{}}}, "density": {}, "velocity": [{}, {}, {}]}})",
                      k > 0 ? ", " : "", shape, std::pow(10, in(2, 4)), std::sqrt(size) * in(-1, 1),
                      std::sqrt(size) * in(-1, 1), std::sqrt(size) * in(-1, 1));
    }
    const std::string hill =
        fmt::format(R"("sphere": {{"centre": [{}, {}, {}], "radius": {}}})", size * in(0.2, 0.8),
                    -0.2 * size, size * in(0.2, 0.8), size * in(0.2, 0.45));
    Running r(
        fmt::format(
            R"({{"rtsim": 1, "dim": 3, "time": {{"dt": {0}, "steps_per_frame": 1, "frames": 1}},
                 "objects": [
                   {{"name": "w", "kind": "height_field", "spacing": {1}, "min": [0, 0, 0],
                     "max": [{2}, 0, {2}], "bed": [{{"plane": {{}}}}, {{{3}}}],
                     "fill": {{"box": {{"min": [0, {4}, 0], "max": [{5}, {6}, {2}]}}}}}},
                   {{"name": "b", "kind": "bodies", "bodies": [{7}]}},
                   {{"name": "room", "kind": "boundary", "shape": {{"inside": true,
                     "box": {{"min": [0, 0, 0], "max": [{2}, {8}, {2}]}}}}}},
                   {{"name": "hill", "kind": "boundary", "shape": {{{3}}}}}],
                 "stages": [{{"type": "shallow_water", "water": "w", "boundary": ["b"]}},
                   {{"type": "couple", "fluid": "w", "solid": "b"}},
                   {{"type": "rigid", "bodies": "b", "boundary": ["room", "hill"]}}],
                 "output": []}})",
            dt, size / (13 + seed % 4 * 3), size, hill, -size, size * (seed % 2 == 0 ? 1 : 0.5),
            size * in(0.1, 0.4), bodies, 3 * size),
        Exec::cpu(2));
    const auto energy = [&] {
      return r.measure("w.potential_energy") + r.measure("w.kinetic_energy") +
             r.measure("b.potential_energy") + r.measure("b.kinetic_energy");
    };
    const double water = r.measure("w.mass"), first = energy();
    double highest = first;
    while (r.time() < 4 * std::sqrt(2 * size / 9.81))
      r.advance(1), highest = std::max(highest, energy());
    CHECK(highest - first < 0.01 * first);
    CHECK(r.measure("w.mass") == Approx(water).epsilon(2e-6));
  }
}
