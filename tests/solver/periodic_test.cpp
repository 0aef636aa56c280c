#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "support/particle_scenes.h"

using namespace rtsim;

namespace {

const std::string solvers[] = {
    R"("type": "wcsph", "max_speed": 2, "substeps": 4, "kinematic_viscosity": 0.001)",
    R"("type": "dfsph", "kinematic_viscosity": 0.001)",
    R"("type": "iisph")",
    R"("type": "pcisph")",
    R"("type": "pbf")",
    R"("type": "sph_clavet")",
    R"("type": "sph_mueller", "substeps": 4)",
};

// A square of 0.8 m at a spacing of 0.05 m that repeats along both axes, from x = `seam` on, with
// water from x = 0.3 to 0.8 m in it.
std::string scene(const std::string& solver, double seam) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "gravity": [0, 0], "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "water", "kind": "particles", "spacing": 0.05, "velocity": [1, 0.5],
                  "fill": {{"box": {{"min": [0.3, 0], "max": [0.8, 0.8]}}}}}}],
    "stages": [{{{}, "fluid": "water",
                 "periodic": {{"min": [{}, 0], "max": [{}, 0.8], "axes": ["x", "y"]}}}}],
    "output": []}})",
      solver, seam, seam + 0.8);
}

// Water from x = `left` to 0.8 m on a plate at y = 0.2 m, which repeats from x = `seam` on.
std::string channel(const std::string& solver, double left, double seam, const std::string& plate) {
  return fmt::format(
      R"({{"rtsim": 1, "dim": 2, "gravity": [0, {}], "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 1}},
    "objects": [{{"name": "water", "kind": "particles", "spacing": 0.05,
                  "fill": {{"box": {{"min": [{}, 0.2], "max": [0.8, 0.6]}}}}}},
                {{"name": "plate", "kind": "boundary",
                  "shape": {{"plane": {{"point": [0, 0.2], "normal": [0, 1]}}}}{}}}],
    "stages": [{{{}, "fluid": "water", "boundary": ["plate"],
                 "periodic": {{"min": [{}, 0], "max": [{}, 0], "axes": ["x"]}}}}],
    "output": []}})",
      left > 0 ? -9.81 : 0, left, plate, solver, seam, seam + 0.8);
}

// Velocities that differ from row to row, of a wave length that fits the box.
void stir(Running& r) {
  constexpr double k = 2 * 3.14159265358979 / 0.8;
  std::vector<Vec<2>> v;
  for (const auto& x : positions<2>(r))
    v.push_back({{Real(1 + 0.3 * std::sin(k * double(x[1]))),
                  Real(0.5 + 0.3 * std::sin(k * double(x[0])))}});
  set<2>(r, "velocity", v);
}

std::array<double, 2> momentum(Running& r) {
  return {r.measure("momentum.x"), r.measure("momentum.y")};
}

}  // namespace

TEST_CASE("periodic: pairs across the seam keep the momentum, and rows stay in the box") {
  for (const std::string& solver : solvers) {
    INFO(solver);
    Running r(scene(solver, 0), Exec::cpu(2));
    stir(r);
    const auto before = momentum(r);
    r.advance(60);  // 0.06 m: a row and more has gone through the seam
    // 160 rows of 2.5 kg at about 1 m/s: rounding of 60 steps of sums is far below 1e-4 of it.
    for (std::size_t a = 0; a < 2; ++a) CHECK(momentum(r)[a] == Approx(before[a]).margin(0.02));
    for (const auto& x : positions<2>(r))
      for (int a = 0; a < 2; ++a) CHECK((x[a] >= 0 && x[a] < Real(0.8)));
  }
}

TEST_CASE("periodic: water that goes through the seam does as water that does not") {
  for (const std::string& solver : solvers) {
    INFO(solver);
    Running seam(scene(solver, 0), Exec::cpu(2)), none(scene(solver, 0.15), Exec::cpu(2));
    stir(seam), stir(none);
    seam.advance(20), none.advance(20);
    for (const char* figure : {"kinetic_energy", "density_error_mean", "momentum.x", "momentum.y"})
      CHECK(seam.measure(figure) == Approx(none.measure(figure)).epsilon(2e-3).margin(1e-4));
  }
}

TEST_CASE("periodic: lists and cells agree, on any number of threads") {
  for (const std::string& solver : solvers) {
    INFO(solver);
    Running lists(scene(solver, 0), Exec::cpu(1)), more(scene(solver, 0), Exec::cpu(5)),
        cells(scene(solver, 0), Exec::cpu(2).device_shaped());
    for (Running* r : {&lists, &more, &cells}) stir(*r);
    CHECK(lists.measure("pairs") == cells.measure("pairs"));
    for (Running* r : {&lists, &more, &cells}) r->advance(10);
    CHECK(lists.world().state_hash() == more.world().state_hash());
    CHECK(lists.measure("kinetic_energy") == Approx(cells.measure("kinetic_energy")).epsilon(1e-4));
  }
}

TEST_CASE("periodic: in a full box every row has the neighbours and the density of a lattice") {
  Running r(
      R"({"rtsim": 1, "dim": 3, "gravity": [0, 0, 0], "time": {"dt": 0.001, "steps_per_frame": 1, "frames": 1},
    "objects": [{"name": "water", "kind": "particles", "spacing": 0.05,
                 "fill": {"box": {"min": [0, 0, 0], "max": [0.5, 0.5, 0.5]}}}],
    "stages": [{"type": "dfsph", "fluid": "water", "support": 2.0001,
                "periodic": {"min": [0, 0, 0], "max": [0.5, 0.5, 0.5], "axes": ["x", "y", "z"]}}],
    "output": []})",
      Exec::cpu(2));
  const auto rho = r.world().table("water").download<Real>("density");
  const auto [low, high] = std::ranges::minmax(rho);
  CHECK(double(low) == Approx(double(high)).epsilon(1e-5));
  CHECK(r.measure("pairs") == 1000 * 32.0);  // 6 at 1, 12 at sqrt(2), 8 at sqrt(3), 6 at 2 spacings
}

TEST_CASE("periodic: a plate that slides through the seam drags all rows alike") {
  Running r(channel(R"("type": "dfsph", "kinematic_viscosity": 0.01)", 0, 0,
                    R"(, "motion": {"velocity": [1, 0]})"),
            Exec::cpu(2));
  CHECK(r.world().table("plate.samples@water").rows() % 16 == 0);
  r.advance(30);
  const auto x = positions<2>(r), v = velocities<2>(r);
  Real slow = 1, fast = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i][1] < Real(0.25)) slow = std::min(slow, v[i][0]), fast = std::max(fast, v[i][0]);
  CHECK(fast > Real(0.01));
  CHECK(double(slow) == Approx(double(fast)).epsilon(1e-2));
}

TEST_CASE("periodic: a column that falls apart through the seam weighs on its plate as elsewhere") {
  const std::string stage = R"("type": "dfsph", "boundary_forces": true)";
  Running seam(channel(stage, 0.4, 0, ""), Exec::cpu(2));
  Running none(channel(stage, 0.4, 0.2, ""), Exec::cpu(2));
  double through = 0, beside = 0;
  for (int i = 0; i < 150; ++i) {
    seam.advance(1), none.advance(1);
    through += seam.measure("plate.force.y"), beside += none.measure("plate.force.y");
  }
  CHECK(beside < 0);
  CHECK(through == Approx(beside).epsilon(1e-2));  // contacts grow the roundings
}

// Water falls on a post from x = 0.3 to 0.5 m.
TEST_CASE("periodic: a post that reaches through the seam stands on both sides of it") {
  const auto falling = [](double seam, const char* water) {
    return fmt::format(
        R"({{"rtsim": 1, "dim": 2, "time": {{"dt": 0.001, "steps_per_frame": 1, "frames": 1}},
      "objects": [{{"name": "water", "kind": "particles", "spacing": 0.05, "fill": [{}]}},
                  {{"name": "post", "kind": "boundary",
                    "shape": {{"box": {{"min": [0.3, 0], "max": [0.5, 0.3]}}}}}}],
      "stages": [{{"type": "dfsph", "fluid": "water", "boundary": ["post"], "boundary_forces": true,
                   "periodic": {{"min": [{}, 0], "max": [{}, 0], "axes": ["x"]}}}}],
      "output": []}})",
        water, seam, seam + 0.8);
  };
  Running inside(falling(0, R"({"box": {"min": [0.3, 0.35], "max": [0.5, 0.6]}})"), Exec::cpu(2));
  Running through(falling(0.4, R"({"box": {"min": [0.4, 0.35], "max": [0.5, 0.6]}},
                                  {"box": {"min": [1.1, 0.35], "max": [1.2, 0.6]}})"),
                  Exec::cpu(2));
  CHECK(through.world().table("post.samples@water").rows() ==
        inside.world().table("post.samples@water").rows());
  double force = 0, same = 0;
  for (int i = 0; i < 150; ++i) {
    inside.advance(1), through.advance(1);
    force += inside.measure("post.force.y"), same += through.measure("post.force.y");
  }
  CHECK(force < 0);
  CHECK(same == Approx(force).epsilon(1e-2));  // contacts grow the roundings
}

TEST_CASE("periodic: boxes too short, particles outside and methods without images are refused") {
  const auto message = [](const std::string& text) -> std::string {
    try {
      Running r(text, Exec::cpu(1));
    } catch (const Error& e) {
      CHECK(e.code() == ExitCode::bad_input);
      return e.what();
    }
    return "";
  };
  const std::string good = scene(R"("type": "dfsph")", 0);
  const auto with = [&](std::string from, const std::string& to) {
    std::string text = good;
    const auto at = text.rfind(from);
    REQUIRE(at != text.npos);
    return text.replace(at, from.size(), to);
  };
  CHECK(message(good) == "");
  using Catch::Matchers::Contains;
  CHECK_THAT(message(with(R"("max": [0.8, 0.8])", R"("max": [0.3, 0.8])")),
             Contains("less than four supports"));
  CHECK_THAT(message(with(R"("max": [0.8, 0.8])", R"("max": [0.7, 0.8])")),
             Contains("start outside the periodic box"));
  CHECK_THAT(message(with(R"(["x", "y"])", R"(["x", "w"])")), Contains("is no axis"));
  CHECK_THAT(message(with(R"(["x", "y"])", R"(["x", "x"])")), Contains("stands twice"));
  CHECK_THAT(message(with(R"(["x", "y"])", "[]")), Contains("names no axis"));
  CHECK_THAT(message(scene(R"("type": "sph_bodin")", 0)), Contains("knows no periodic boxes"));

  const auto on_floor = [](const std::string& more) {
    return channel(R"("type": "dfsph", )" + more, 0, 0, "");
  };
  const auto gauge = [&](double x) {
    return on_floor(fmt::format(
        R"("probes": [{{"name": "p", "quantity": "wall_pressure", "at": [{}, 0.2]}}])", x));
  };
  CHECK(message(gauge(0.4)) == "");
  CHECK_THAT(message(gauge(0.05)), Contains("through a face of the periodic box along x"));
  CHECK_THAT(message(on_floor(R"("boundary_method": "volume_map")")), Contains("volume maps know"));
}
