#include <catch2/catch.hpp>

#include "support/rigid_floor.h"

using namespace rtsim;

namespace {

// Plates of 1 x 0.2 m, each `beyond` of the greatest overhang past the one below it: 1 / 2 i at the
// i-th from the top.
std::string overhang(int n, double beyond) {
  std::string all;
  double x = 0;
  for (int k = 0; k < n; ++k) {
    if (k > 0) x += beyond / (2 * (n - k));
    all +=
        fmt::format(R"({}{{"shape": {{"box": {{"min": [{}, {}, -0.5], "max": [{}, {}, 0.5]}}}}}})",
                    k ? ", " : "", x - 0.5, 0.2 * k, x + 0.5, 0.2 * (k + 1));
  }
  return all;
}

double top_after(double beyond) {
  Floor r(3, overhang(5, beyond), "", 1.0 / 60);
  r.advance(300);
  return r.all("position").back()[1];
}

// Plates on four legs each, one on the other: the forces of legs on their ends are not determined.
std::string tables(int n, double top_density) {
  std::string all;
  for (int k = 0; k < n; ++k) {
    for (const double x : {-0.8, 0.8})
      for (const double z : {-0.8, 0.8})
        all +=
            fmt::format(R"({}{{"shape": {{"box": {{"min": [{}, {}, {}], "max": [{}, {}, {}]}}}}}})",
                        all.empty() ? "" : ", ", x - 0.2, k, z - 0.2, x + 0.2, k + 0.8, z + 0.2);
    all += fmt::format(
        R"(, {{"shape": {{"box": {{"min": [-1.1, {}, -1.1], "max": [1.1, {}, 1.1]}}}},
             "density": {}}})",
        k + 0.8, k + 1, k + 1 < n ? 1000 : top_density);
  }
  return all;
}

struct Rolling {
  const char* of;
  int dim;
  double inertia;  // over m r^2
};

}  // namespace

TEST_CASE("rigid_statics: five plates stand out by nearly 1/2 + 1/4 + 1/6 + 1/8, and fall beyond") {
  // Overlaps of 5 mm at the edges tilt the plates by a hundredth, which takes 8 mm of the 20 mm
  // that are left at 0.96.
  CHECK(top_after(0.96) == Approx(0.9).margin(0.02));
  CHECK(top_after(1.04) < 0.8);
}

TEST_CASE("rigid_statics: tables stand on tables, whatever the uppermost weighs") {
  for (const auto& [n, times] :
       {std::pair{1, 1000.0}, {2, 30.0}, {3, 1.0}, {3, 47.0}, {3, 1000.0}}) {
    Floor r(3, tables(n, 1000 * times), "", 1.0 / 60);
    r.advance(150);
    INFO(n << " tables, " << times);
    // A few micrometres a second.
    CHECK(r.measure("b.kinetic_energy") < 1e-11 * r.measure("b.mass"));
    CHECK(r.measure("b.penetration") < 5e-3);
  }
}

TEST_CASE("rigid_statics: what rolls down an incline gains g sin / (1 + I / m r^2)") {
  const double angle = std::atan(0.3), radius = 0.2;
  for (const Rolling& k : {Rolling{"sphere", 3, 0.4}, Rolling{"shell", 3, 2.0 / 3},
                           Rolling{"cylinder", 2, 0.5}, Rolling{"hoop", 2, 1}}) {
    Floor r(k.dim,
            k.dim == 3 ? ball(0, radius, radius)
                       : R"({"shape": {"sphere": {"centre": [0, 0.2], "radius": 0.2}}})",
            "", 1.0 / 240, angle);
    Table& t = r.world().table("b");
    const Real moment = Real(k.inertia * double(t.download<Real>("mass")[0]) * radius * radius);
    const std::vector<Real> moments(k.dim == 3 ? 3 : 1, moment);
    r.world().exec.upload(t.column_bytes("inertia").bytes.data(), moments.data(),
                          moments.size() * sizeof(Real));
    r.advance(240);
    CAPTURE(k.of);
    // It slips until the contact bears it, for a substep of 240 x 4 or so.
    CHECK(r.all("velocity")[0][0] ==
          Approx(g * std::sin(angle) / (1 + k.inertia)).epsilon(2.0 / 960));
  }
}

TEST_CASE("rigid_statics: barrels, cans and pins roll on their sides as far as they should") {
  // Where places at 45 degrees on the rims are within reach, as of cans and of what rolls fast, the
  // line on which a cylinder lies has to bear it all the same: on a plane, and on what is known by
  // its distance alone.
  const char* floors[] = {R"({"plane": {}})",
                          R"({"difference": [{"box": {"min": [-9, -1, -9], "max": [90, 0, 9]}},
                                             {"sphere": {"centre": [0, -5, 0], "radius": 0.2}}]})"};
  struct Cylinder {
    double radius, half, fps, time;  // [m, m, 1/s, s]
  };
  for (const char* floor : floors)
    for (const Cylinder& c :
         {Cylinder{0.1, 0.21, 60, 1}, {0.033, 0.061, 240, 1.5}, {0.004, 0.03, 1100, 0.7}}) {
      const double pull = 1.9;
      Running r(fmt::format(R"({{"rtsim": 1, "dim": 3, "gravity": [{0}, -9.6, 0],
          "time": {{"fps": {4}, "frames": 1000000}},
          "objects": [{{"name": "b", "kind": "bodies", "density": 1000, "bodies": [{{"shape":
              {{"cylinder": {{"a": [0, {1}, -{2}], "b": [0, {1}, {2}], "radius": {1}}}}}}}]}},
            {{"name": "floor", "kind": "boundary", "shape": {3}}}],
          "stages": [{{"type": "rigid", "bodies": "b", "boundary": ["floor"]}}]}})",
                            pull, c.radius, c.half, floor, c.fps),
                Exec::cpu(1));
      const int steps = int(std::lround(c.fps * c.time));
      double deepest = 0;
      for (int k = 0; k < steps; ++k) {
        r.advance(1);
        deepest = std::max(deepest, r.measure("b.penetration"));
      }
      CAPTURE(floor, c.radius);
      const Vec<3> v = r.world().table("b").download<Vec<3>>("velocity")[0];
      CHECK(v[0] == Approx(pull / 1.5 * c.time).epsilon(0.01));
      CHECK(std::abs(v[2]) < 1e-3 * v[0]);
      CHECK(deepest < 0.03 * c.radius);
    }
}

TEST_CASE(
    "rigid_statics: what is round rolls on as fast and as high, however far it turns in a step") {
  // Balls, capsules and cylinders, by a third of a radian to more than one.
  struct Roll {
    double radius, speed, fps;  // [m, m/s, 1/s]
  };
  const char* shapes[] = {
      R"({{"sphere": {{"centre": [0, {0}, 0], "radius": {0}}}}})",
      R"({{"capsule": {{"a": [0, {0}, -{0}], "b": [0, {0}, {0}], "radius": {0}}}}})",
      R"({{"cylinder": {{"a": [0, {0}, -{0}], "b": [0, {0}, {0}], "radius": {0}}}}})"};
  for (const char* shape : shapes)
    for (const Roll& roll : {Roll{0.11, 2.1, 60}, {0.033, 2, 60}, {0.31, 19, 47}, {2.3, 7, 5}}) {
      Running r(fmt::format(R"({{"rtsim": 1, "dim": 3, "time": {{"fps": {0}, "frames": 1000000}},
          "objects": [{{"name": "b", "kind": "bodies", "density": 700, "bodies": [{{"shape": {1},
              "velocity": [{2}, 0, 0], "angular_velocity": [0, 0, {3}]}}]}},
            {{"name": "floor", "kind": "boundary", "shape": {{"plane": {{}}}}}}],
          "stages": [{{"type": "rigid", "bodies": "b", "boundary": ["floor"]}}]}})",
                            roll.fps, fmt::format(fmt::runtime(shape), roll.radius), roll.speed,
                            -roll.speed / roll.radius),
                Exec::cpu(1));
      double lowest = roll.radius;
      for (int k = 0; k < 60; ++k) {
        r.advance(1);
        const auto places = r.world().table("b").download<Vec<3>>("position");
        lowest = std::min(lowest, double(places[0][1]));
      }
      const Vec<3> v = r.world().table("b").download<Vec<3>>("velocity")[0];
      CAPTURE(shape, roll.radius);
      CHECK(lowest == Approx(roll.radius).epsilon(0.02));
      CHECK(v[0] == Approx(roll.speed).epsilon(0.005));
      CHECK(std::abs(v[2]) < 1e-3 * v[0]);
    }
}

TEST_CASE("rigid_statics: thin tiles stand on each other, and see none but their neighbours") {
  // Those behind a neighbour are nearer than 10 mm, and would be watched instead of it.
  for (const double thick : {2e-3, 7e-4}) {
    const int n = 12;
    Floor r(3,
            fmt::format(R"({{"shape": {{"box": {{"min": [-0.011, 0, -0.011],
                "max": [0.011, {}, 0.011]}}}}, "array": {{"count": [1, {}, 1], "step": [0, {}, 0]}}}})",
                        thick, n, 1.025 * thick),
            "", std::sqrt(thick / 29));
    r.advance(200);
    CAPTURE(thick);
    CHECK(r.measure("b.penetration") < 0.01 * thick);
    CHECK(r.all("position").back()[1] == Approx((n - 0.5) * thick).margin(0.02 * thick));
  }
}

TEST_CASE("rigid_statics: a rod that slides on its end with much friction gains no energy") {
  // Painleve 1895: a rod that leads with its lower end at an angle t to the floor presses into it
  // without bound where 1 + 3 cos t (cos t - mu sin t) < 0: at 45 degrees where mu > 5 / 3.
  const double lean = pi / 4, half = 0.5;
  for (const double mu : {1.5, 3.0}) {
    const std::string rod = fmt::format(
        R"({{"shape": {{"capsule": {{"a": [{}, {}, 0], "b": [{}, {}, 0], "radius": 0.01}}}},
             "velocity": [2, 0, 0]}})",
        half * std::cos(lean), 0.01 + 2 * half * std::sin(lean), 3 * half * std::cos(lean), 0.01);
    Floor r(3, rod, fmt::format(R"(, "friction": {})", mu), 1.0 / 240);
    const double start = r.measure("b.kinetic_energy") + r.measure("b.potential_energy");
    for (int n = 0; n < 480; ++n) {
      r.advance(1);
      const double now = r.measure("b.kinetic_energy") + r.measure("b.potential_energy");
      CAPTURE(mu, n);
      REQUIRE(std::isfinite(now));
      REQUIRE(now < start * (1 + 1e-3));
    }
  }
}

TEST_CASE("rigid_statics: boxes in the plane stand on each other") {
  // Each sinks into the one below by up to the springs' 2 g / w^2 = 0.4 mm for each above it.
  const char* ten = R"({"shape": {"box": {"min": [-0.5, 0], "max": [0.5, 1]}},
                       "array": {"count": [1, 10], "step": [1, 1]}})";
  Floor r(2, ten, "", 1.0 / 60);
  r.advance(300);
  const auto x = r.all("position");
  for (std::size_t k = 0; k < x.size(); ++k) {
    CHECK(std::abs(x[k][0]) < 1e-4);
    CHECK(x[k][1] == Approx(0.5 + double(k)).margin(0.03));
  }
}
