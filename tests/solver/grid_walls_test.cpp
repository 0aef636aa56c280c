#include "grids/grid_walls.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "grids/boundary_conditions.h"
#include "mac/body_terms.h"
#include "support/running.h"

// What bodies close of a grid's faces, and when it is found.
using namespace rtsim;

namespace {

// A ball and a box, in a room of cells of 1/17 that they fit into in no direction.
struct Room {
  int dim;
  std::string bodies;

  std::string text() const {
    const std::string size = dim == 2 ? "[1, 1]" : "[1, 1, 1]",
                      low = dim == 2 ? "[0, 0]" : "[0, 0, 0]";
    return fmt::format(
        R"({{"rtsim": 1, "dim": {}, "time": {{"dt": 0.01, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "room", "kind": "grid", "spacing": 0.0588235294117647, "min": {}, "max": {}}},
      {{"name": "b", "kind": "bodies", "density": 500, "bodies": [{}]}}],
    "stages": [{{"type": "smoke", "grid": "room"}}, {{"type": "rigid", "bodies": "b"}}], "output": []}})",
        dim, low, size, bodies);
  }
};
Room in_space() {
  return {
      3,
      R"({"shape": {"sphere": {"centre": [0.31, 0.42, 0.37], "radius": 0.17}}, "velocity": [0.1, 0.2, -0.3]},
             {"shape": {"box": {"min": [-0.21, -0.08, -0.13], "max": [0.21, 0.08, 0.13]},
               "transform": {"axis": [1, 2, 3], "angle": 40, "translate": [0.63, 0.61, 0.58]}}, "angular_velocity": [1, 2, 3]})"};
}
Room in_plane() {
  return {
      2, R"({"shape": {"sphere": {"centre": [0.31, 0.42], "radius": 0.17}}, "velocity": [0.1, 0.2]},
             {"shape": {"box": {"min": [0.5, 0.55], "max": [0.93, 0.71]}}, "angular_velocity": [2]})"};
}

struct Found {
  std::vector<Real> of_faces;  // open, velocity and clearance, of all axes
  std::vector<poisson::BodyTerm> terms;
};
std::vector<Real> values(const Exec& ex, Span<const Real> s) {
  std::vector<Real> v(std::size_t(s.size));
  ex.download(v.data(), s.data, v.size() * sizeof(Real));
  return v;
}

struct Walls {
  Running run;
  mac::Domain domain;
  GridWalls walls;

  Walls(const Room& room, const Exec& ex, bool by_volume)
      : run(room.text(), ex),
        domain(make_domain(*run.world().object("room").grid, room.dim, {})),
        walls(run.world(), "room", {"b"}, *run.world().object("room").grid, domain, true,
              by_volume) {
    walls.update(run.world(), 0, 0);
  }
  Found found() {
    const Exec& ex = run.world().exec;
    Found f;
    const mac::Walls w = walls.faces();
    for (const auto* of : {w.open, w.velocity, w.clearance})
      for (int a = 0; a < domain.dims; ++a) {
        const std::vector<Real> own = values(ex, of[a]);
        f.of_faces.insert(f.of_faces.end(), own.begin(), own.end());
      }
    const Buffer<Index> bodies(ex, std::vector<Index>{0, 1});
    f.terms = mac::body_terms(ex, domain, w, walls.nodes(), bodies.span());
    return f;
  }
  // As far as they come in so many seconds.
  void move(double seconds) { walls.update(run.world(), 0, seconds); }
};

void check_same(const Found& a, const Found& b) {
  REQUIRE(a.of_faces.size() == b.of_faces.size());
  std::size_t other = 0;
  for (std::size_t i = 0; i < a.of_faces.size(); ++i) other += a.of_faces[i] != b.of_faces[i];
  CHECK(other == 0);
  REQUIRE(a.terms.size() == b.terms.size());
  for (std::size_t t = 0; t < a.terms.size(); ++t) {
    const poisson::BodyTerm &x = a.terms[t], &y = b.terms[t];
    REQUIRE(x.cell == y.cell);
    REQUIRE(x.body == y.body);
    for (int i = 0; i < 6; ++i) REQUIRE(x.flow[i] == y.flow[i]);
  }
}

}  // namespace

// By eights of cells, halves and nodes, and one by one: to the last bit.
TEST_CASE(
    "grid walls: faces and terms of bodies are the same, shaped for the CPU and for devices") {
  const bool by_volume = GENERATE(false, true), plane = GENERATE(false, true);
  CAPTURE(by_volume, plane);
  const Room room = plane ? in_plane() : in_space();
  Walls one(room, Exec::cpu(2), by_volume), other(room, Exec::cpu(1).device_shaped(), by_volume);
  check_same(one.found(), other.found());
  one.move(0.0317), other.move(0.0317);
  check_same(one.found(), other.found());
}

TEST_CASE("grid walls: faces are those of where bodies stand when they are asked for") {
  Walls asked(in_space(), Exec::cpu(2), true), not_asked(in_space(), Exec::cpu(2), true);
  for (const double ahead : {0.01, 0.03, 0.02}) {
    asked.move(ahead), not_asked.move(ahead);
    asked.found();
  }
  check_same(asked.found(), not_asked.found());
}

// The sum of what a body closes of the cubes about faces is its volume, once for each axis.
TEST_CASE("grid walls: bodies close as much as they fill") {
  Walls w(in_space(), Exec::cpu(2), true);
  const mac::Walls faces = w.walls.faces();
  const double cell = std::pow(double(w.domain.spacing), 3);
  const double filled = 4.0 / 3 * std::numbers::pi * std::pow(0.17, 3) + 0.42 * 0.16 * 0.26;
  for (int a = 0; a < 3; ++a) {
    double closed = 0;
    const std::vector<Real> open = values(w.run.world().exec, faces.open[a]);
    for (std::size_t r = 0; r < open.size(); ++r) {
      const Index n = w.domain.count(a, 0), ny = w.domain.count(a, 1);
      const Index at[3] = {Index(r) % n, Index(r) / n % ny, Index(r) / n / ny};
      if (at[a] > 0 && at[a] < w.domain.cells[a]) closed += 1 - double(open[r]);
    }
    CHECK(closed * cell == Approx(filled).epsilon(0.02));
  }
}
