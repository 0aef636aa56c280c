#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "cache/checkpoint.h"
#include "support/running.h"
#include "support/temporary_folder.h"

// Nozzles into tanks that become full: they hold back what finds no room, and nothing bursts.
using namespace rtsim;

namespace {

struct Solver {
  const char *type, *keys;
};

constexpr Solver solvers[] = {
    {"dfsph", ""},
    {"iisph", ""},
    {"pcisph", ""},
    {"pbf", ""},
    {"sph_bodin", ""},
    {"wcsph", R"(, "substeps": 10, "max_speed": 4)"},
    {"sph_clavet", R"(, "substeps": 4)"},
    {"sph_mueller", R"(, "substeps": 8, "stiffness": 400, "dynamic_viscosity": 5)"}};

// A closed box whose sides are no multiples of the spacing, and a nozzle of some four spacings that
// looks along it.
struct Tank {
  int dim = 2;
  double spacing = 0.0173, speed = 2, dt = 0.002;
  Solver solver = solvers[0];
  std::vector<double> size{0.31, 0.27};  // [m]
  std::string nozzle = R"("box": {"min": [0.02, 0.17], "max": [0.04, 0.24]})";
  std::string more;        // keys of the emitter
  std::string objects;     // besides
  std::string boundaries;  // besides, with a comma before each

  static Tank in_space(const Solver& solver, double spacing) {
    Tank t;
    t.dim = 3, t.spacing = spacing, t.solver = solver;
    t.size = {0.15, 0.13, 0.14};
    t.nozzle = R"("box": {"min": [0.02, 0.06, 0.04], "max": [0.04, 0.11, 0.09]})";
    return t;
  }

  double volume() const {
    double v = 1;
    for (const double side : size) v *= side;
    return v;
  }
  double fits() const { return volume() / std::pow(spacing, dim); }
  double row_mass() const { return 1000 * std::pow(spacing, dim); }

  // Of as many numbers as the scene has axes.
  std::string vector(double x, double others) const {
    return dim == 2 ? fmt::format("[{}, {}]", x, others)
                    : fmt::format("[{}, {}, {}]", x, others, others);
  }
  std::string text() const {
    return fmt::format(
        R"({{ "rtsim": 1, "dim": {}, "time": {{ "dt": {}, "steps_per_frame": 1, "frames": 10000 }},
  "objects": [ {{ "name": "water", "kind": "particles", "spacing": {} }},
    {{ "name": "tank", "kind": "boundary", "shape": {{ "box": {{ "min": {}, "max": [{}] }},
       "inside": true }} }}{} ],
  "stages": [
    {{ "type": "emit", "fluid": "water", "shape": {{ {} }}, "velocity": {},
      "max_particles": 5000{} }},
    {{ "type": "{}", "fluid": "water", "boundary": ["tank"{}]{} }} ] }})",
        dim, dt, spacing, vector(0, 0), fmt::join(size, ", "), objects, nozzle, vector(speed, 0),
        more, solver.type, boundaries, solver.keys);
  }
  Running run(int threads = 1) const { return Running(text(), Exec::cpu(threads)); }
};

// What was seen while it ran.
struct Seen {
  double most_kinetic = 0, kinetic = 0;  // [J]

  void advance(Running& r, double seconds) {
    for (const long end = r.steps + std::lround(seconds / r.dt()); r.steps < end;) {
      r.advance(1);
      kinetic = r.measure("water.kinetic_energy");
      most_kinetic = std::max(most_kinetic, kinetic);
    }
  }
};

void remove_beyond(Running& r, double x) {
  Table& t = r.world().table("water");
  std::vector<std::uint32_t> doomed;
  for (const Vec<2>& p : t.download<Vec<2>>("position")) doomed.push_back(p[0] > x);
  Buffer<std::uint32_t> there(r.world().exec);
  there.upload(doomed);
  t.remove(there.span());
}

// Rows and energies of a tank that was filled for `filling` seconds, and left alone for `after`.
void check_full(const Tank& tank, double filling, double after) {
  INFO(tank.solver.type << " at " << tank.spacing);
  Running r = tank.run();
  Seen seen;
  seen.advance(r, filling);
  const double rows = r.world().table("water").rows();
  const double fed = 0.5 * tank.row_mass() * rows * tank.speed * tank.speed;
  CHECK(r.measure("water.held_back") > 0);
  CHECK(r.sim.pipeline[0].stage->warning(r.world()).find("finds no room") != std::string::npos);
  // Falls of rows from the nozzle to the floor besides.
  CHECK(seen.most_kinetic < fed + tank.row_mass() * rows * 9.81 * 0.24);
  seen.advance(r, after);
  CHECK(r.world().table("water").rows() <= 1.03 * tank.fits());
  CHECK(r.world().table("water").rows() >= 0.9 * tank.fits());
  CHECK(seen.kinetic < 0.1 * fed);  // a jet in little viscosity swirls on
}

}  // namespace

TEST_CASE("emit: a tank that is full takes no more", "[long]") {
  for (const Solver& s : solvers)
    for (const double spacing : {0.0173, 0.0231}) {
      Tank tank;
      tank.solver = s, tank.spacing = spacing;
      check_full(tank, 1.2, 1.5);
    }
}

TEST_CASE("emit: nor does one in space", "[long]") {
  for (const Solver& s : solvers) check_full(Tank::in_space(s, 0.0173), 0.7, 0.7);
}

TEST_CASE("emit: rows that go make room for others") {
  for (const int k : {0, 5, 3}) {
    Tank tank;
    tank.spacing = 0.0231, tank.solver = solvers[k];
    INFO(tank.solver.type);
    Running r = tank.run();
    Seen seen;
    seen.advance(r, 1.2);
    const double full = r.world().table("water").rows(), emitted = r.measure("water.emitted");
    const double held_back = r.measure("water.held_back");
    CHECK(held_back > 0);
    remove_beyond(r, 0.1);
    const double left = r.world().table("water").rows();
    CHECK(left < 0.6 * full);
    seen.advance(r, 0.6);
    CHECK(r.measure("water.emitted") > emitted + 0.7 * (full - left));
    CHECK(r.world().table("water").rows() <= 1.03 * tank.fits());
    CHECK(r.measure("water.held_back") > held_back);
  }
}

TEST_CASE("emit: what is held back is the rest of what was due") {
  Tank tank;
  tank.spacing = 0.0231;
  Running r = tank.run();
  r.advance(600);
  const double layers = std::ceil(r.time() * tank.speed / tank.spacing - 1e-6);
  const double emitted = r.measure("water.emitted"), held_back = r.measure("water.held_back");
  CHECK(emitted + held_back == 3 * layers);
  CHECK(r.measure("water.refused") == 0);
}

TEST_CASE("emit: it holds back alike with any threads, and where a run goes on") {
  Tank tank;
  tank.spacing = 0.0231;
  Running one = tank.run(1), two = tank.run(2);
  one.advance(420), two.advance(420);
  CHECK(one.measure("water.held_back") > 0);
  CHECK(one.world().state_hash() == two.world().state_hash());
  const TemporaryFolder folder;
  save_checkpoint(folder.path, two.world(), {.step = 420});
  Running later = tank.run(2);
  std::string warnings;
  load_checkpoint(find_checkpoint(folder.path, warnings)->file, later.world());
  later.steps = 420;
  later.refresh();
  for (Running* r : {&one, &later}) {
    remove_beyond(*r, 0.15);
    r->advance(60);
  }
  CHECK(later.world().state_hash() == one.world().state_hash());
  CHECK(one.measure("water.emitted") > two.measure("water.emitted"));
}

TEST_CASE("emit: behind a piston that draws back it lets in as much as that leaves") {
  for (const int k : {0, 3}) {
    Tank tank;
    tank.spacing = 0.0173, tank.solver = solvers[k], tank.size = {0.6, 0.2};
    tank.nozzle = R"("box": {"min": [0.02, 0.11], "max": [0.04, 0.18]})";
    tank.objects = R"(, {"name": "piston", "kind": "boundary", "motion": {"velocity": [0.07, 0]},
      "shape": {"box": {"min": [0.2, -0.1], "max": [0.35, 0.3]}}})";
    tank.boundaries = R"(, "piston")";
    INFO(tank.solver.type);
    Running r = tank.run();
    for (const double time : {1.1, 1.9, 2.7}) {
      r.advance(std::lround(time / r.dt()) - r.steps);
      const double room = (0.2 + 0.07 * time) * 0.2 / std::pow(tank.spacing, 2);
      CHECK(r.world().table("water").rows() <= 1.03 * room);
      CHECK(r.world().table("water").rows() >= 0.85 * room);
    }
    CHECK(r.measure("water.held_back") > 0);
  }
}
