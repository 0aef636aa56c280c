#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "support/running.h"

using namespace rtsim;

namespace {

std::string rope(const std::string& attach, double dt) {
  return fmt::format(R"({{"rtsim": 1, "dim": 3, "gravity": [0, 0, 0],
    "time": {{"dt": {}, "frames": 100000}},
    "objects": [{{"name": "rope", "kind": "mesh", "vertex_mass": 0.5,
                  "mesh": {{"line": {{"from": [0, 0, 0], "to": [1, 0, 0], "segments": 4}}}}}}],
    "stages": [{{"type": "attach", "mesh": "rope", {}}}]}})",
                     dt, attach);
}

Vec3d row(Running& r, const char* column, std::size_t i) {
  return widen(r.world().table("rope").download<Vec<3>>(column)[i]);
}
Real inverse_mass(Running& r, std::size_t i) {
  return r.world().table("rope").download<Real>("inverse_mass")[i];
}

}  // namespace

TEST_CASE("attach: held points go where the handle goes, and have their mass back in the end") {
  // The handle turns about y at (0, 0, 0) and rises: the end of the rope at (1, 0, 0) goes round.
  Running r(rope(R"("points": [4], "nearest": [[0.2, 0, 0]], "end": 0.5,
                    "motion": {"velocity": [0, 2, 0], "spin_axis": [0, 1, 0], "spin": 3})",
                 0.01),
            Exec::cpu(1));
  r.advance(30);
  const double t = 0.3, a = 3 * t;
  const Vec3d end{{std::cos(a), 2 * t, -std::sin(a)}};
  CHECK(norm(row(r, "target", 4) - end) < 1e-6);
  CHECK(norm(row(r, "target", 1) - Vec3d{{0.25 * end[0], end[1], 0.25 * end[2]}}) < 1e-6);
  CHECK(inverse_mass(r, 4) == 0);
  CHECK(inverse_mass(r, 0) == 2);
  r.advance(19);
  CHECK(inverse_mass(r, 4) == 0);
  r.advance(2);
  CHECK(inverse_mass(r, 4) == 2);
}

TEST_CASE("attach: a hold that starts later takes points from where the handle is then") {
  Running r(rope(R"("points": [0], "start": 0.2, "motion": {"velocity": [5, 0, 0]})", 0.1),
            Exec::cpu(1));
  r.advance(2);
  CHECK(inverse_mass(r, 0) == 2);
  r.advance(1);  // from 0.2 to 0.3: the point was at 0 when the handle took it
  CHECK(inverse_mass(r, 0) == 0);
  CHECK(row(r, "target", 0)[0] == Approx(0.5).margin(1e-6));
}

TEST_CASE("attach: a point that two hold is held until both have let go") {
  for (
      const char* ends :
      {R"("end": 0.35}, {"type": "attach", "name": "b", "mesh": "rope", "points": [0], "end": 0.15)",
       R"("end": 0.15}, {"type": "attach", "name": "b", "mesh": "rope", "points": [0], "end": 0.35)"}) {
    Running r(rope(std::string(R"("points": [0], )") + ends, 0.1), Exec::cpu(1));
    for (int step = 1; step <= 6; ++step) {
      r.advance(1);
      CHECK(inverse_mass(r, 0) == (step <= 4 ? 0 : 2));
    }
  }
}

TEST_CASE("attach: a spring pulls by its law, and any stiffness is stable") {
  const double dt = 0.01, k = 20 * 2, c = 3 * 2;
  Running moved(rope(R"("points": [4], "stiffness": 20, "damping": 3,
                        "motion": {"velocity": [0, 0.1, 0]})",
                     dt),
                Exec::cpu(1));
  moved.advance(1);
  // The point is at its place at first, and the place moves at 0.1 m/s.
  const double v = 0.1 - 0.1 / (1 + dt * c + dt * dt * k);
  CHECK(row(moved, "velocity", 4)[1] == Approx(v).epsilon(1e-4));
  Running stiff(
      rope(R"("points": [4], "stiffness": 1e12, "motion": {"velocity": [0, 0.1, 0]})", dt),
      Exec::cpu(1));
  stiff.advance(1);
  CHECK(row(stiff, "velocity", 4)[1] == Approx(0.1).epsilon(1e-4));
}

TEST_CASE("attach: what takes hold of nothing is refused") {
  CHECK_THROWS_WITH(
      Running(rope(R"("inside": {"sphere": {"centre": [9, 9, 9], "radius": 1}})", 0.1),
              Exec::cpu(1)),
      Catch::Contains("takes hold of no point"));
  CHECK_THROWS_WITH(Running(rope(R"("points": [5])", 0.1), Exec::cpu(1)),
                    Catch::Contains("5 is no point of 'rope'; they are 0 to 4"));
}
