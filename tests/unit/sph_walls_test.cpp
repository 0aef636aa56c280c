#include "particles/walls/sph_walls.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace rtsim;

namespace {

constexpr double spacing = 0.1;
const sph::CubicSpline kernel = sph::CubicSpline::of(3, 2 * spacing);

// One flat layer of samples, far larger than the kernel.
World layer(bool moving, Index side = 15) {
  World w(Exec::cpu(2), 3);
  w.objects.push_back({"water", Kind::particles, spacing});
  w.objects.push_back({"floor", Kind::boundary, 0, moving});
  std::vector<Vec<3>> x;
  for (Index k = 0; k < side * side; ++k)
    x.push_back({{Real(spacing * (k % side)), 0, Real(spacing * (k / side))}});
  Table& t = w.add_table("floor.samples@water", Index(x.size()));
  t.add<Vec<3>>({"position", "m", Role::derived}, x);
  t.add<Vec<3>>({"velocity", "m/s", Role::derived}, std::vector<Vec<3>>(x.size(), {{1, 0, 0}}));
  t.add<Index>({"layer", ""});
  t.add<Real>({"volume", "m^3", Role::derived});
  return w;
}

}  // namespace

TEST_CASE("sph_walls: a sample of a flat wall stands for one cell of the lattice, edges for more") {
  World w = layer(false);
  SphWalls<3> walls(w, "water", {"floor"}, kernel, spacing);
  walls.update(w, 0);
  const auto volume = w.table("floor.samples@water").download<Real>("volume");
  const double cell = std::pow(spacing, 3);
  CHECK(double(volume[7 * 15 + 7]) == Approx(cell).epsilon(1e-5));
  CHECK(double(volume[0]) > 1.2 * cell);
}

TEST_CASE(
    "sph_walls: moving samples stand where they were so long before their time, static ones stay") {
  for (bool moving : {true, false}) {
    World w = layer(moving);
    SphWalls<3> walls(w, "water", {"floor"}, kernel, spacing);
    walls.update(w, 0);
    const Real before = walls.cells().rows[0].x;
    walls.update(w, 0.03);
    CHECK(double(walls.cells().rows[0].x - before) == Approx(moving ? -0.03 : 0).margin(1e-6));
  }
}

TEST_CASE("sph_walls: without boundaries there is nothing to walk") {
  World w = layer(false);
  SphWalls<3> walls(w, "water", {}, kernel, spacing);
  walls.update(w, 0);
  CHECK(walls.empty());
  CHECK(walls.cells().rows.size == 0);
}
