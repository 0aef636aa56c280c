#include <catch2/catch.hpp>

#include "support/rigid_floor.h"

using namespace rtsim;

namespace {

std::string of_material(const std::string& keys) { return R"(, "material": {)" + keys + "}"; }

// A plate on the ground, that pressures hardly differ under; gravity along `downhill` of the
// ground, in its own angle's strength.
struct Plate : Running {
  Plate(const Vec3d& gravity, const std::string& plate, const std::string& ground, double dt,
        const std::string& placed = "")
      : Running(fmt::format(R"({{"rtsim": 1, "dim": 3, "gravity": [{}, {}, {}],
          "time": {{"dt": {}, "frames": 1000000}},
          "objects": [{{"name": "b", "kind": "bodies", "density": 1000, "bodies": [
            {{"shape": {{"box": {{"min": [-0.5, 0, -0.5], "max": [0.5, 0.02, 0.5]}} {}}} {}}}]}},
            {{"name": "floor", "kind": "boundary", "shape": {{"plane": {{"normal": [0, 1, 0]}}}} {}}}],
          "stages": [{{"type": "rigid", "bodies": "b", "boundary": ["floor"]}}]}})",
                            gravity[0], gravity[1], gravity[2], dt, placed, plate, ground),
                Exec::cpu(1)) {}
  Vec3d now(const char* column) {
    return widen(world().table("b").download<Vec<3>>(column).front());
  }
  double energy() { return measure("b.kinetic_energy") + measure("b.potential_energy"); }
};

// The slope goes down at an angle `heading` from x, the grain of all scenes here, towards z.
Vec3d tilted(double slope, double heading) {
  const double down = g * std::sin(slope);
  return {{down * std::cos(heading), -g * std::cos(slope), down * std::sin(heading)}};
}

// A point that slides under the orthotropic law, by Runge and Kutta's fourth-order steps:
// v' = gravity - N (mu_x^2 v_x, mu_z^2 v_z) / |(mu_x v_x, mu_z v_z)|.
struct Slider {
  double along, across;
  Vec3d gravity, x, v;

  Vec3d slowed(const Vec3d& u) const {
    const double a = along * along * u[0], c = across * across * u[2];
    const double size = std::hypot(along * u[0], across * u[2]), n = -gravity[1];
    return {{gravity[0] - n * a / size, 0, gravity[2] - n * c / size}};
  }
  void step(double h) {
    const Vec3d k1 = slowed(v), k2 = slowed(v + 0.5 * h * k1), k3 = slowed(v + 0.5 * h * k2),
                k4 = slowed(v + h * k3);
    x = x + h * v + (h * h / 6) * (k1 + k2 + k3);
    v = v + (h / 6) * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
};

const std::string grain = R"("friction": 0.4, "friction_along": 0.1, "friction_axis": [1, 0, 0])";

}  // namespace

TEST_CASE("rigid_materials: the geometric mean of two frictions holds, in 2D and 3D") {
  // tan 30 deg = 0.577 lies below sqrt(0.4 0.9) and above sqrt(0.4 0.5).
  const double angle = pi / 6;
  for (const int dim : {2, 3}) {
    const auto block = [&](const char* friction) {
      const std::string own = of_material(fmt::format(R"("friction": {})", friction));
      return dim == 3 ? box(0, 0.1, 0.1, own)
                      : R"({"shape": {"box": {"min": [-0.1, 0], "max": [0.1, 0.2]}})" + own + "}";
    };
    CAPTURE(dim);
    Floor holds(dim, block("0.9"), R"(, "friction": 0.4)", 1.0 / 240, angle);
    holds.advance(240);
    CHECK(std::abs(holds.all("position")[0][0]) < 1e-3);
    Floor slides(dim, block("0.5"), R"(, "friction": 0.4)", 1.0 / 240, angle);
    slides.advance(240);
    const double a = g * (std::sin(angle) - std::sqrt(0.4 * 0.5) * std::cos(angle));
    CHECK(slides.all("velocity")[0][0] == Approx(a).epsilon(0.01));
  }
}

TEST_CASE("rigid_materials: each ball bounces to its own e^2, and one without does not") {
  // Blows fall at their own time: heights are off by 1e-3 (rigid_bounce).
  std::string balls;
  const double of[] = {0.9, 0.5, 0};
  for (int k = 0; k < 3; ++k)
    balls += (k ? ", " : "") +
             ball(k, 1.1, 0.1,
                  k < 2 ? of_material(fmt::format(R"("restitution": {})", of[k])) : std::string());
  Floor r(3, balls, R"(, "restitution_threshold": 0.1)", 5e-4);
  double highest[3] = {}, before[3] = {};
  bool up[3] = {};
  for (int n = 0; n < 1800; ++n) {
    r.advance(1);
    const auto x = r.all("position"), v = r.all("velocity");
    for (std::size_t k = 0; k < 3; ++k) {
      if (before[k] <= 0 && v[k][1] > 0) up[k] = true;
      if (up[k]) highest[k] = std::max(highest[k], x[k][1] - 0.1);
      before[k] = v[k][1];
    }
  }
  CHECK(highest[0] == Approx(0.81).epsilon(1e-3));
  CHECK(highest[1] == Approx(0.25).epsilon(1e-3));
  CHECK(highest[2] < 1e-3);
}

TEST_CASE("rigid_materials: each ball has its own rolling resistance") {
  // Stops after 7 v^2 r / (10 b g).
  const double radius = 0.2, v = 0.5;
  const std::string rolls = R"(, "velocity": [0.5, 0, 0], "angular_velocity": [0, 0, -2.5])";
  Floor r(3,
          ball(0, radius, radius, rolls + of_material(R"("rolling_resistance": 0.01)")) + ", " +
              ball(-5, radius, radius, rolls + of_material(R"("rolling_resistance": 0.02)")) +
              ", " + ball(-10, radius, radius, rolls),
          R"(, "friction": 0.8)", 1.0 / 240);
  r.advance(480);
  const auto x = r.all("position");
  CHECK(x[0][0] == Approx(7 * v * v * radius / (10 * 0.01 * g)).epsilon(0.02));
  CHECK(x[1][0] + 5 == Approx(7 * v * v * radius / (10 * 0.02 * g)).epsilon(0.02));
  CHECK(x[2][0] + 10 == Approx(2 * v).epsilon(1e-3));
}

TEST_CASE("rigid_materials: a plate slides down a slope as the orthotropic law says") {
  // Friction sqrt(0.4 0.4) = 0.4 across and sqrt(0.1 0.4) = 0.2 along; a step is of first order in
  // velocities that grow by g dt: 1 % of 4 m/s.
  for (const double heading : {20.0, 45.0, 70.0}) {
    const Vec3d gravity = tilted(pi / 6, heading * pi / 180);
    Slider exact{0.2, 0.4, gravity, {}, {{0.5, 0, -0.5}}};
    Plate r(gravity, of_material(grain) + R"(, "velocity": [0.5, 0, -0.5])",
            of_material(R"("friction": 0.4)"), 1.0 / 240);
    double most = r.energy(), rise = 0;
    for (int n = 0; n < 240; ++n) {
      r.advance(1);
      for (int k = 0; k < 10; ++k) exact.step(1.0 / 2400);
      rise = std::max(rise, r.energy() - most), most = r.energy();
    }
    const Vec3d x = r.now("position"), v = r.now("velocity");
    CAPTURE(heading, exact.x[0], exact.x[2], x[0], x[2], exact.v[0], exact.v[2], v[0], v[2]);
    CHECK(std::hypot(x[0] - exact.x[0], x[2] - exact.x[2]) < 0.01 * norm(exact.x));
    CHECK(std::hypot(v[0] - exact.v[0], v[2] - exact.v[2]) < 0.01 * norm(exact.v));
    // 20 kg; sums of floats of 100 J.
    CHECK(rise < 1e-3);
    CHECK(norm(r.now("angular_velocity")) < 0.02);
  }
}

TEST_CASE("rigid_materials: a plate holds within the elliptic cone, and slides beyond") {
  // tan^2 (cos^2 / 0.2^2 + sin^2 / 0.4^2) against 1.
  for (const double heading : {0.0, 30.0, 60.0, 90.0}) {
    const double c = std::cos(heading * pi / 180), s = std::sin(heading * pi / 180);
    const double steepest = 1 / std::hypot(c / 0.2, s / 0.4);
    for (const double share : {0.95, 1.05}) {
      Plate r(tilted(std::atan(share * steepest), heading * pi / 180), of_material(grain),
              of_material(R"("friction": 0.4)"), 1.0 / 240);
      r.advance(240);
      const Vec3d x = r.now("position");
      CAPTURE(heading, share, x[0], x[2]);
      if (share < 1)
        CHECK(std::hypot(x[0], x[2]) < 1e-3);
      else
        CHECK(std::hypot(x[0], x[2]) > 0.03);
    }
  }
}

TEST_CASE("rigid_materials: grain turns with its body, and two of one grain keep it") {
  // Both have 0.4 across and 0.1 along x, so their mean has, too. A plate that starts turned by 90
  // degrees has its grain along z: then the mean of each direction is sqrt(0.4 0.1) = 0.2.
  const Vec3d gravity{{0, -g, 0}};
  const std::string turned = R"(, "velocity": [0, 0, 2])";
  for (const bool crossed : {false, true}) {
    Plate r(gravity, of_material(grain) + turned, of_material(grain), 1.0 / 240,
            crossed ? R"(, "transform": {"axis": [0, 1, 0], "angle": 90})" : "");
    r.advance(480);
    const double mu = crossed ? 0.2 : 0.4;
    CAPTURE(crossed);
    CHECK(r.now("position")[2] == Approx(4 / (2 * mu * g)).epsilon(0.01));
    CHECK(std::abs(r.now("position")[0]) < 1e-3);
  }
}

TEST_CASE("rigid_materials: what spins over its grain gains no energy") {
  for (const double along : {0.004, 0.04, 4.0}) {
    Plate r({{0, -g, 0}},
            of_material(fmt::format(
                R"("friction": 0.4, "friction_along": {}, "friction_axis": [1, 0, 0])", along)) +
                R"(, "velocity": [1, 0, 1], "angular_velocity": [0, 10, 0])",
            of_material(R"("friction": 0.4)"), 1.0 / 240);
    double before = r.energy(), rise = 0;
    const double start = before;
    for (int n = 0; n < 240; ++n) {
      r.advance(1);
      rise = std::max(rise, r.energy() - before), before = r.energy();
    }
    CAPTURE(along, start, before);
    CHECK(rise < 1e-3);
    CHECK(before < 0.9 * start);
  }
}
