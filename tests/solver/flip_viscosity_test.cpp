#include <catch2/catch.hpp>
#include <cmath>

#include "support/liquid_scenes.h"

// Thick liquids: what shears, what is stretched, what walls and bodies feel.
using namespace rtsim;

namespace {

std::string vector(int dim, double x, double y, double z) {
  return dim == 2 ? fmt::format("[{}, {}]", x, y) : fmt::format("[{}, {}, {}]", x, y, z);
}
std::string box(int dim, double x, double low, double high, double z) {
  return fmt::format(R"({{"box": {{"min": {}, "max": {}}}}})", vector(dim, -x, low, -z),
                     vector(dim, x, high, z));
}
std::string disc(double x, double y, double radius) {
  return fmt::format(R"({{"sphere": {{"centre": [{}, {}], "radius": {}}}}})", x, y, radius);
}

struct ThickScene {
  int dim = 2;
  double cell, dt, nu;
  std::string fill = {}, min = {}, max = {}, gravity = {};
  std::string objects = {}, boundary = {}, flow = {}, stages = {};

  std::string text() const {
    return fmt::format(
        R"({{"rtsim": 1, "dim": {}, "gravity": {}, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "oil", "kind": "particles", "spacing": {}, "fill": {}}},
      {{"name": "room", "kind": "grid", "spacing": {}, "min": {}, "max": {}}}{}],
    "stages": [{{"type": "flip", "fluid": "oil", "grid": "room", "boundary": [{}],
      "kinematic_viscosity": {}{}}}{}], "output": []}})",
        dim, gravity, dt, cell / 2, fill, cell, min, max, objects, boundary, nu, flow, stages);
  }
};
std::string boundary(const std::string& name, const std::string& shape,
                     const std::string& more = "") {
  return fmt::format(R"(, {{"name": "{}", "kind": "boundary", "shape": {}{}}})", name, shape, more);
}

// A thread of radius (half width) a that hangs from a wall, u_y = c + g y^2 / 2 T nu where it is
// thin against its length: its own weight below y stretches it.
template <int D>
double resistance_to_stretch(double step, double shift) {
  const double a = 0.006, nu = 0.32, length = 8 * a, h = a / 3, g = 0.4 / 3;
  ThickScene s{.dim = D, .cell = h, .dt = step * a * a / nu, .nu = nu};
  const double x = shift * h;
  s.fill = D == 2 ? fmt::format(R"({{"box": {{"min": [{}, 0], "max": [{}, {}]}}}})", x - a, x + a,
                                length)
                  : fmt::format(R"({{"cylinder": {{"a": [{0}, 0, {0}], "b": [{0}, {1}, {0}],
                                "radius": {2}}}}})",
                                x, length, a);
  s.min = vector(D, -7 * h, -4 * h, -7 * h), s.max = vector(D, 7 * h, length + 4 * h, 7 * h);
  s.gravity = vector(D, 0, -g, 0);
  s.objects = boundary("top", box(D, 1, length, length + 1, 1)), s.boundary = R"("top")";
  Running r(s.text(), Exec::cpu(2));
  // Three times as long as the thread takes to be stretched evenly.
  r.advance(std::max(4, int(std::lround(0.75 * length * length / (a * a) / step))));
  const auto at = r.world().table("oil").download<Vec<D>>("position"),
             u = r.world().table("oil").download<Vec<D>>("velocity");
  double n = 0, sx = 0, su = 0, sxx = 0, sxu = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double y = double(at[i][1]) / length, q = y * y / 2, v = double(u[i][1]);
    if (y < 0.22 || y > 0.75) continue;
    ++n, sx += q, su += v, sxx += q * q, sxu += q * v;
  }
  const double slope = (n * sxu - sx * su) / (n * sxx - sx * sx);
  return g * length * length / (nu * slope);
}

}  // namespace

// u = g y (H - y) / 2 nu: 1 m/s in the middle, 2/3 on average. Steps of 0.02 s of an implicit
// method end where they should; what is left is the interpolation of a parabola, of second order in
// the 20 cells. The walls stand anywhere among the cells, and as the sides of the grid.
// Faces that all but touch a wall count as a twentieth of a cell off it (mac::friction_share), with
// half a percent more flow.
TEST_CASE("flip: what is viscous flows between plates by Poiseuille's parabola") {
  for (const int dim : {2, 3})
    for (const double low : {0.0, 0.0125, 0.025, 0.031, 0.0487}) {
      if (dim == 3 && low > 0.02) continue;
      const double cell = dim == 2 ? 0.05 : 0.1;
      LiquidScene s{.dim = dim, .dt = 0.02, .cell = cell};
      const std::string z = dim == 3 ? ", 0" : "", depth = dim == 3 ? ", 0.4" : "";
      s.gravity = "[0.8, 0" + z + "]", s.velocity = "[0, 0" + z + "]";
      s.fill =
          fmt::format(R"("box": {{"min": [0, {}{}], "max": [0.4, {}{}]}})", low, z, low + 1, depth);
      s.min = low > 0 ? "[0, -0.2" + z + "]" : "[0, 0" + z + "]";
      s.max = (low > 0 ? "[0.4, 1.2" : "[0.4, 1") + depth + "]";
      if (low > 0)
        s.objects = fmt::format(R"(, {{"name": "plates", "kind": "boundary", "shape": {{"box":
          {{"min": [-9, {}{}], "max": [9, {}{}]}}, "inside": true}}}})",
                                low, dim == 3 ? ", -9" : "", low + 1, dim == 3 ? ", 9" : "");
      const std::string wave = R"({"kind": "periodic"})";
      s.more =
          fmt::format(R"(, "kinematic_viscosity": 0.1{}, "sides": {{"x_low": {}, "x_high": {}{}}})",
                      low > 0 ? R"(, "boundary": ["plates"])" : "", wave, wave,
                      dim == 3 ? fmt::format(R"(, "z_low": {}, "z_high": {})", wave, wave) : "");
      Running r(s.text(), Exec::cpu(2));
      r.advance(400);
      INFO(dim << "D, plates from " << low);
      const double mean = r.measure("water.momentum.x") / r.measure("water.mass");
      CHECK(mean == Approx(2.0 / 3).epsilon(dim == 2 ? 0.005 : 0.01));
      CHECK(r.measure("water.max_speed") == Approx(1).epsilon(dim == 2 ? 0.005 : 0.01));
    }
}

// A stream of water fills a channel evenly. What its plates take from it is that of the logarithmic
// law, u / u_tau = ln(y u_tau / nu) / 0.41 + 5.2, at the faces beside them, along the stream
// however that runs. As sides of the grid they take three quarters of it from the particles: those
// within half a cell of a side are between it and the faces, and feel half.
TEST_CASE("flip: a wall holds back what is turbulent beside it by the logarithmic law") {
  for (const int dim : {2, 3})
    for (const double low : {0.0, 0.05, 0.0625, 0.031}) {
      const bool sides = low == 0;
      const double nu = 1e-6, speed = 0.5, dt = 0.01, cell = 0.05;
      const double across = dim == 2 ? 0 : 0.6, along = std::sqrt(1 - across * across);
      const std::string wave = R"({"kind": "periodic"})";
      LiquidScene s{.dim = dim, .dt = dt, .cell = cell};
      s.fill = box(dim, 0.2, low, low + 1, 0.2).substr(1), s.fill.pop_back();
      s.min = vector(dim, -0.2, sides ? 0 : -0.2, -0.2);
      s.max = vector(dim, 0.2, sides ? 1 : 1.2, 0.2);
      s.gravity = vector(dim, 0, 0, 0);
      s.velocity = vector(dim, speed * along, 0, speed * across);
      std::string inside = box(dim, 9, low, low + 1, 9);
      inside.insert(inside.size() - 1, R"(, "inside": true)");
      if (!sides) s.objects = boundary("plates", inside), s.more = R"(, "boundary": ["plates"])";
      s.more += fmt::format(R"(, "kinematic_viscosity": {}, "sides": {{"x_low": {}, "x_high": {})",
                            nu, wave, wave);
      if (dim == 3) s.more += fmt::format(R"(, "z_low": {0}, "z_high": {0})", wave);
      s.more += "}";
      Running r(s.text(), Exec::cpu(2));
      r.advance(1);
      const double before = r.measure("water.momentum.x");
      r.advance(1);
      double held = 0;
      for (const double plate : {low, 1 - low}) {
        const double part = std::fmod(plate + 1e-9, cell), half = cell / 2;
        const double way = part < half ? half - part : 3 * half - part;
        double u_tau = speed / 20;
        for (int i = 0; i < 50; ++i) u_tau = speed / (std::log(way * u_tau / nu) / 0.41 + 5.2);
        held += u_tau * u_tau;
      }
      const double force = 1000 * held * along * (dim == 2 ? 0.4 : 0.16);
      INFO(dim << "D, plates from " << low);
      if (sides)
        CHECK(before - r.measure("water.momentum.x") == Approx(0.75 * force * dt).epsilon(0.1));
      else
        CHECK(r.measure("plates.force.x") == Approx(force).epsilon(0.1));
      if (dim == 3)
        CHECK(r.measure("water.momentum.z") / r.measure("water.momentum.x") ==
              Approx(across / along).epsilon(1e-4));
    }
}

// u_x = sin k y in a full box without walls dies out as e^(-nu k^2 t); steps of 0.01 s of an
// implicit method are late by nu k^2 dt / 2, 2 %.
TEST_CASE("flip: shear dies out at the rate of viscosity") {
  const auto left = [](double nu) {
    LiquidScene s{.dt = 0.01, .cell = 1.0 / 32, .fill = R"("box": {"min": [0, 0], "max": [1, 1]})"};
    s.gravity = "[0, 0]";
    const std::string wave = R"({"kind": "periodic"})";
    s.more = fmt::format(R"(, "kinematic_viscosity": {}, "sides": {{"x_low": {}, "x_high": {},
      "y_low": {}, "y_high": {}}})",
                         nu, wave, wave, wave, wave);
    Running r(s.text(), Exec::cpu(1));
    auto u = particles<2>(r, "position");
    for (auto& v : u) v = {{std::sin(Real(2 * M_PI) * v[1]), 0}};
    set_particles<2>(r, "velocity", u);
    const double before = r.measure("water.kinetic_energy");
    r.advance(20);
    return std::sqrt(r.measure("water.kinetic_energy") / before);
  };
  const double k2 = 4 * M_PI * M_PI, nu = 0.1, per_step = 1 / (1 + nu * k2 * 0.01);
  // What the transfer loses by itself is left without viscosity.
  CHECK(left(nu) / left(1e-9) == Approx(std::pow(per_step, 20)).epsilon(0.01));
}

// What is stretched narrows, and that takes as much again: T nu rho times the rate, with T = 3 for
// a thread (Trouton 1906) and 4 for a sheet. A surface that is made of steps of a twentieth of the
// section is worth 2 %.
TEST_CASE("flip: a thread that hangs resists stretching by Trouton's ratio") {
  for (const double step : {5.0, 0.3})
    for (const double shift : {0.0, 0.37}) {
      INFO("nu dt / a^2 " << step << ", shifted by " << shift);
      CHECK(resistance_to_stretch<2>(step, shift) == Approx(4).epsilon(0.02));
      if (step > 1) CHECK(resistance_to_stretch<3>(step, shift) == Approx(3).epsilon(0.025));
    }
}

// 4 pi mu w R1^2 R2^2 / (R2^2 - R1^2) on both, whereever they stand among the cells: five of them
// fit between. Circles are met where faces cross them, of second order.
TEST_CASE("flip: a shaft that turns in a drum of oil feels Couette's torque") {
  for (const double at : {0.0, 0.0131}) {
    ThickScene s{.cell = 0.05, .dt = 0.02, .nu = 1};
    s.fill = fmt::format(R"({{"difference": [{}, {}]}})", disc(at, at, 0.5), disc(at, at, 0.25));
    s.min = "[-0.6, -0.6]", s.max = "[0.6, 0.6]", s.gravity = "[0, 0]";
    s.objects =
        boundary("shaft", disc(at, at, 0.25),
                 fmt::format(R"(, "motion": {{"spin": 1, "centre": [{0}, {0}]}})", at)) +
        boundary("drum",
                 disc(at, at, 0.5).insert(disc(at, at, 0.5).size() - 1, R"(, "inside": true)"));
    s.boundary = R"("shaft", "drum")";
    Running r(s.text(), Exec::cpu(2));
    r.advance(40);
    const double torque = 4 * M_PI * 1000 * 0.25 * 0.25 * 0.5 * 0.5 / (0.5 * 0.5 - 0.25 * 0.25);
    CHECK(r.measure("shaft.torque.z") == Approx(-torque).epsilon(0.015));
    CHECK(r.measure("drum.torque.z") == Approx(torque).epsilon(0.015));
  }
}

// What walls do not hold slides as if it were no liquid, however they lie among the cells; half a
// percent a tenth of a second is what the ends of the slab round off.
TEST_CASE("flip: a thick slab slides down a wall that it slips along as it falls") {
  for (const double degrees : {0.0, 11.5, 18.3, 34.4}) {
    const double angle = degrees * M_PI / 180, c = std::cos(angle), n = std::sin(angle);
    const std::string turned = fmt::format(R"(, "transform": {{"angle": {}}}}})", degrees);
    const auto slab = [&](double x, double low, double high) {
      std::string s = box(2, x, low, high, 0);
      return s.substr(0, s.size() - 1) + turned;
    };
    ThickScene s{.cell = 0.05, .dt = 0.01, .nu = 0.2};
    s.fill = slab(0.5, -0.15, 0.15), s.min = "[-2, -1.5]", s.max = "[2, 1.5]";
    s.gravity = fmt::format("[{}, {}]", 5 * n - c, -n - 5 * c);  // 1 along it, 5 onto it
    s.objects = boundary("floor", slab(8, -1.15, -0.15)), s.boundary = R"("floor")";
    s.flow = R"(, "walls": "slip")";
    Running r(s.text(), Exec::cpu(2));
    r.advance(30);
    INFO(degrees << " degrees");
    const double along = (-c * r.measure("oil.momentum.x") - n * r.measure("oil.momentum.y")) /
                         r.measure("oil.mass");
    CHECK(along == Approx(0.3).epsilon(0.015));
  }
}

// Between plates a cylinder in their middle falls at
//   (rho_b - rho) pi a^2 g / (4 pi mu / (-0.9157 - ln k + 1.724 k^2 - 1.730 k^4 + 2.406 k^6)),
// k its radius over half the gap (Faxen 1946; Happel & Brenner, "Low Reynolds Number
// Hydrodynamics", 7-5). With four cells a radius; the ends of the channel are three gaps apart.
TEST_CASE("flip: a cylinder sinks or rises between plates in oil at Faxen's speed", "[long]") {
  for (const double density : {20000.0, 2000.0, 100.0}) {
    const double k = 0.25, a = k / 2, nu = density > 5000 ? 5 : 1;
    ThickScene s{.cell = 1.0 / 32, .dt = 0.01, .nu = nu};
    const std::string body = disc(0.009, 0, a);
    s.fill = fmt::format(R"({{"difference": [{}, {}]}})", box(2, 0.5, -1.5, 1.5, 0), body);
    s.min = "[-0.5, -1.5]", s.max = "[0.5, 1.5]", s.gravity = "[0, -9.81]";
    s.objects = fmt::format(
        R"(, {{"name": "b", "kind": "bodies", "density": {}, "bodies": [{{"shape": {}}}]}})",
        density, body);
    s.boundary = R"("b")";
    s.stages = R"(, {"type": "couple", "fluid": "oil", "solid": "b"},
                   {"type": "rigid", "bodies": "b"})";
    Running r(s.text(), Exec::cpu(2));
    r.advance(20);
    const double drag = 4 * M_PI /
                        (-0.9157 - std::log(k) + 1.724 * std::pow(k, 2) - 1.730 * std::pow(k, 4) +
                         2.406 * std::pow(k, 6));
    const double speed = (density - 1000) * M_PI * a * a * 9.81 / (drag * 1000 * nu);
    INFO("density " << density);
    CHECK(-double(r.world().table("b").download<Vec<2>>("velocity")[0][1]) ==
          Approx(speed).epsilon(0.05));
  }
}
