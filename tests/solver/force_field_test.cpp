#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "support/running.h"

using namespace rtsim;

namespace {

constexpr double pi = 3.14159265358979323846;

// One particle at the centre of its cell of 1 m, moved by a solver that has nothing to do.
std::string lone(const std::string& field, const std::string& at, const std::string& velocity,
                 double dt, bool first = true, const std::string& type = R"("dfsph")") {
  const std::string stage =
                        fmt::format(R"({{"type": "force_field", "particles": "p", {}}})", field),
                    solver = fmt::format(R"({{"type": {}, "fluid": "p"}})", type);
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "gravity": [0, 0],
    "time": {{"dt": {}, "steps_per_frame": 1, "frames": 100000}},
    "objects": [{{"name": "p", "kind": "particles", "spacing": 1, "velocity": {},
                  "fill": {{"box": {{"min": [0, 0], "max": [1, 1]}}, {}}}}}],
    "stages": [{}, {}], "output": []}})",
      dt, velocity, R"("transform": {"translate": )" + at + "}", first ? stage : solver,
      first ? solver : stage);
}

Vec<2> where(Running& r) { return r.world().table("p").download<Vec<2>>("position")[0]; }
Vec<2> speed(Running& r) { return r.world().table("p").download<Vec<2>>("velocity")[0]; }

}  // namespace

TEST_CASE("force_field: in a linear field particles oscillate with the scheme's own frequency") {
  const double k = 4, dt = 0.01;
  Running r(lone(R"("linear": {"centre": [0.5, 0.5], "stiffness": 4})", "[1, 0]", "[0, 0]", dt),
            Exec::cpu(1));
  const double start = double(where(r)[0]) - 0.5;
  REQUIRE(start == Approx(1));
  // v' = v - k x dt, x' = x + dt v':  x_n = A cos(n a + b), cos a = 1 - k dt^2 / 2. From rest,
  // x_1 = (1 - k dt^2) x_0.
  const double a = std::acos(1 - k * dt * dt / 2);
  const double b = std::atan2(std::cos(a) - (1 - k * dt * dt), std::sin(a));
  for (int n = 1; n <= 400; ++n) {
    r.advance(1);
    CHECK(double(where(r)[0]) - 0.5 ==
          Approx(start * std::cos(n * a + b) / std::cos(b)).margin(2e-5));
  }
}

TEST_CASE("force_field: a circular orbit round a point stays a circle") {
  const double dt = 0.002, r0 = 1, e = 0.1, s = 1;
  const double v = std::sqrt(s * r0 * r0 / std::pow(r0 * r0 + e * e, 1.5));
  Running r(lone(R"("point": {"centre": [0.5, 0.5], "strength": 1})", "[1, 0]",
                 fmt::format("[0, {}]", v), dt),
            Exec::cpu(1));
  for (int n = 0; n < int(2 * pi / v / dt); n += 100) {
    r.advance(100);
    const Vec3d x = widen(where(r)) - Vec3d{{0.5, 0.5, 0}};
    CHECK(norm(x) == Approx(1).epsilon(dt));  // first order: half of v dt
  }
}

TEST_CASE("force_field: a vortex pushes round its axis, within its window and box alone") {
  const std::string vortex = R"("vortex": {"centre": [0.5, 0.5], "strength": 2}, )";
  Running r(lone(vortex + R"("start": 0.1, "end": 0.2)", "[1, 0]", "[0, 0]", 0.001), Exec::cpu(1));
  r.advance(100);
  CHECK(speed(r)[1] == 0);
  r.advance(1);
  CHECK(double(speed(r)[1]) == Approx(0.001 * 2 / 1.01));  // 1 m from the axis, softened by 0.1 m
  CHECK(speed(r)[0] == 0);
  r.advance(99);
  const Vec<2> last = speed(r);
  r.advance(50);
  CHECK(speed(r)[1] == last[1]);
  Running outside(
      lone(vortex + R"("box": {"min": [0, 0], "max": [1, 1]})", "[1, 0]", "[0, 0]", 0.001),
      Exec::cpu(1));
  outside.advance(10);
  CHECK(speed(outside)[1] == 0);
}

TEST_CASE("force_field: every solver takes the push, from before it and from behind it") {
  for (const char* solver : {R"("dfsph")", R"("iisph")", R"("pcisph")",
                             R"("wcsph", "max_speed": 1)", R"("sph_mueller", "stiffness": 1)"})
    for (bool first : {true, false}) {
      INFO(solver);
      Running r(
          lone(R"("constant": {"acceleration": [1, -2]})", "[0, 0]", "[0, 0]", 0.01, first, solver),
          Exec::cpu(1));
      r.advance(10);
      CHECK(double(speed(r)[0]) == Approx(0.1));
      CHECK(double(speed(r)[1]) == Approx(-0.2));
    }
}
