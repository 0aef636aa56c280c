#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

std::string load(const std::string& points, const std::string& how) {
  return fmt::format(R"({{"type": "attach", "name": "load", "mesh": "m", {}, "load": {{{}}}}})",
                     points, how);
}

// A strip that is clamped halfway between its first two rows and loaded at its end, in units of its
// slowest oscillation's time.
struct Cantilever {
  double length, width, bending, density;
  int along, across;
  double step;

  double spacing() const { return length / (along - 0.5); }
  double time() const { return length * length * std::sqrt(density / bending); }
  // What bends it by a hundredth of its length, where sines are angles to some 1e-4.
  double force() const { return 0.01 * 3 * bending * width / (length * length); }

  double bent(const std::string& solver) const {
    const double h = spacing(), k = 1e5 * bending / (length * length);
    std::string ends, clamped;
    for (int j = 0; j <= across; ++j) {
      const int row = j * (along + 1);
      ends += fmt::format("{}{}", j ? ", " : "", row + along);
      clamped += fmt::format("{}{}, {}", j ? ", " : "", row, row + 1);
    }
    MeshScene s{fmt::format(R"("sheet": {{"corner": [{}, 0, 0], "u": [{}, 0, 0], "v": [0, 0, {}],
                                "cells": [{}, {}]}})",
                            -0.5 * h, length + 0.5 * h, width, along, across),
                fmt::format(R"("density": {})", density),
                hold(fmt::format(R"("points": [{}])", clamped)) + ", " +
                    load(fmt::format(R"("points": [{}])", ends),
                         fmt::format(R"("force": [0, {}, 0], "times": [0, {}], "factors": [0, 1])",
                                     -force(), 0.7 * time())) +
                    fmt::format(R"(, {{"mesh": "m", "bending_stiffness": {}, {}}})", bending,
                                fmt::format(fmt::runtime(solver), fmt::arg("k", k),
                                            fmt::arg("drag", 2.1 / time()))),
                step * time(), "[0, 0, 0]"};
    Running r(s.text(), Exec::cpu(2));
    r.advance(int(11 / step));
    double sum = 0;
    for (int j = 0; j <= across; ++j) sum -= places(r)[std::size_t(j * (along + 1) + along)][1];
    return sum / (across + 1);
  }
};

}  // namespace

// P L^3 / (3 E I), with E I = B w.
TEST_CASE("point load: a cantilever bends as its stiffness says") {
  for (const Cantilever& c : {Cantilever{1, 0.1, 0.01, 0.0051, 21, 2, 0.014},
                              Cantilever{0.37, 0.11, 2.3e-5, 0.21, 17, 3, 0.031},
                              Cantilever{2.9, 0.17, 1.7, 0.013, 31, 1, 0.023}})
    for (const char* solver :
         {R"("type": "cloth_implicit", "stretch_stiffness": {k}, "drag": {drag})",
          R"("type": "mass_spring", "stiffness": {k}, "drag": {drag})"}) {
      INFO(solver << ", L " << c.length);
      CHECK(c.bent(solver) == Approx(0.01 * c.length).epsilon(0.02));
    }
}

namespace {

// Free points of 0.3 kg each, joined by springs.
MeshScene rope(const std::string& stages, double dt = 0.01) {
  return {line("[0, 0, 0]", "[1, 0, 0]", 4), R"("vertex_mass": 0.3)",
          stages + R"({"type": "mass_spring", "mesh": "m", "stiffness": 50})", dt, "[0, 0, 0]"};
}

}  // namespace

TEST_CASE("point load: a force of zero holds nothing and changes nothing") {
  Running with(rope(load(R"("points": [0, 3])", R"("force": [0, 0, 0])") + ", ").text(),
               Exec::cpu(1)),
      without(rope("").text(), Exec::cpu(1));
  for (Running* r : {&with, &without}) {
    std::vector<Vec<3>> v(5);
    for (std::size_t i = 0; i < 5; ++i) v[i] = Vec<3>{{Real(i), 1, Real(0.3) * Real(i * i)}};
    const Span<Vec<3>> to = r->world().table("m").column<Vec<3>>("velocity");
    r->world().exec.upload(to.data, v.data(), v.size() * sizeof v[0]);
    r->advance(20);
  }
  CHECK(places(with) == places(without));
}

// Momentum is the force's integral: linear factors have theirs in the middle of a step.
TEST_CASE("point load: momentum and energy are those that the force gave, by times or for good") {
  struct Case {
    const char* how;
    double seconds;  // of the whole force
  };
  for (const Case& c : {Case{R"("force": [0.7, -2, 0.3])", 0.5},
                        Case{R"("force": [0.7, -2, 0.3], "times": [0.1, 0.2, 0.35],
                                "factors": [0, 3, 1])",
                             0.5 * 0.1 * 3 + 0.15 * 2 + 0.15}}) {
    Running r(rope(load(R"("points": [1, 2, 4])", c.how) + ", ").text(), Exec::cpu(1));
    r.advance(50);
    const Vec3d p = motion(r).momentum, expected = c.seconds * Vec3d{{0.7, -2, 0.3}};
    CHECK(norm(p - expected) < 1e-4 * norm(expected));
    // Implicit steps lose what they do; nothing is made.
    const double energy = r.measure("m.kinetic_energy") + r.measure("m.elastic_energy");
    const double fed = r.measure("m.fed_energy");
    CHECK(energy < fed * (1 + 1e-5));
    CHECK(energy > 0.8 * fed);
  }
}

TEST_CASE("point load: what is held does not feel it, and it ends when told") {
  Running r(rope(hold(R"("points": [0])") + ", " +
                 load(R"("points": [0])", R"("force": [0, 5, 0])") + ", ")
                .text(),
            Exec::cpu(1));
  r.advance(10);
  CHECK(norm(places(r)[0]) == 0);
  CHECK(r.measure("m.fed_energy") == 0);
  Running ended(rope(R"({"type": "attach", "mesh": "m", "points": [0], "start": 0.1, "end": 0.3,
                         "load": {"force": [0, 5, 0]}}, )")
                    .text(),
                Exec::cpu(1));
  ended.advance(50);
  CHECK(motion(ended).momentum[1] == Approx(5 * 0.2).epsilon(1e-4));
}

TEST_CASE("point load: two ways at once, and times without factors, are refused") {
  const auto scene = [](const char* more) {
    return rope(fmt::format(R"({{"type": "attach", "mesh": "m", "points": [0], {}}}, )", more))
        .text();
  };
  CHECK_THROWS_WITH(Running(scene(R"("stiffness": 3, "load": {"force": [1, 0, 0]})"), Exec::cpu(1)),
                    Catch::Contains("give one of \"stiffness\", \"load\" and \"tie\""));
  CHECK_THROWS_WITH(
      Running(scene(R"("load": {"force": [1, 0, 0], "times": [1, 2]})"), Exec::cpu(1)),
      Catch::Contains("has 0 entries for 2 \"times\""));
  CHECK_THROWS_WITH(Running(scene(R"("load": {"force": [1, 0, 0], "times": [1, 1],
                                              "factors": [0, 1]})"),
                            Exec::cpu(1)),
                    Catch::Contains("time 1 s does not come after 1 s"));
}
