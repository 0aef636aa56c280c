#include "particles/particle_cells.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/random.h"
#include "exec/sort.h"
#include "neighbours/neighbours.h"

using namespace rtsim;

namespace {

std::vector<Vec<3>> random_points(Index n, double size) {
  std::vector<Vec<3>> x;
  for (Index i = 0; i < n; ++i) {
    const Random4 r = philox(1, 0, 0, std::uint32_t(i));
    x.push_back({{Real(size * uniform(r.c[0])), Real(size * uniform(r.c[1])),
                  Real(size * uniform(r.c[2]))}});
  }
  return x;
}

}  // namespace

TEST_CASE("particle_cells: runs around a point hold every row within reach") {
  const Exec ex = Exec::cpu(2);
  Table t(ex, "points", 2000);
  t.add<Vec<3>>({"position", "m"}, random_points(2000, 1));
  const neighbours::Box home{{0, 0, 0}, {1, 1, 1}};
  ParticleCells<3> cells(ex, 0.1, home);
  cells.sort(t);
  const CellRows rows = cells.view();
  REQUIRE(rows.rows.size == 2000);
  for (Index i = 0; i < 2000; i += 37) {
    const Row4 p = rows.rows[i];
    const Real at[3] = {p.x, p.y, p.z};
    std::vector<char> seen(2000, 0);
    for_runs(rows, at, at, Real(0.1), [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) ++seen[std::size_t(j)];
    });
    for (Index j = 0; j < 2000; ++j) {
      const Row4 q = rows.rows[j];
      const double r2 = std::pow(double(p.x - q.x), 2) + std::pow(double(p.y - q.y), 2) +
                        std::pow(double(p.z - q.z), 2);
      CHECK(int(seen[std::size_t(j)]) <= 1);
      if (r2 < 0.01) CHECK(int(seen[std::size_t(j)]) == 1);
    }
  }
}

TEST_CASE("particle_cells: a stray far away does not lose neighbours or ask for endless cells") {
  const Exec ex = Exec::cpu(1);
  auto points = random_points(500, 1);
  points[7] = {{Real(3e5), Real(-2e5), 0}};
  points[8] = points[7] + Vec<3>{{Real(0.01), 0, 0}};
  Table t(ex, "points", 500);
  t.add<Vec<3>>({"position", "m"}, points);
  ParticleCells<3> cells(ex, 0.1, {{0, 0, 0}, {1, 1, 1}});
  cells.sort(t);
  const CellRows rows = cells.view();
  CHECK(rows.grid.cells() <= 1331);
  int found = 0;
  for (Index i = 0; i < 500; ++i) {
    if (rows.rows[i].x < 10) continue;
    const Real at[3] = {rows.rows[i].x, rows.rows[i].y, rows.rows[i].z};
    for_runs(rows, at, at, Real(0.1), [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) found += rows.rows[j].x > 10;
    });
  }
  CHECK(found == 4);
}

TEST_CASE("particle_cells: sorting rows twice changes nothing") {
  const Exec ex = Exec::cpu(2);
  Table t(ex, "points", 3000);
  t.add<Vec<3>>({"position", "m"}, random_points(3000, 1));
  ParticleCells<3> cells(ex, 0.07, {{0, 0, 0}, {1, 1, 1}});
  cells.sort(t);
  const auto once = t.download<Vec<3>>("position");
  cells.sort(t);
  const auto twice = t.download<Vec<3>>("position");
  CHECK(std::equal(once.begin(), once.end(), twice.begin()));
}

TEST_CASE("particle_cells: positions that are not finite land in some cell") {
  const CellGrid grid{Real(10), {0, 0, 0}, {4, 5, 6}};
  const Real nan = std::numeric_limits<Real>::quiet_NaN(),
             inf = std::numeric_limits<Real>::infinity();
  for (Real bad : {nan, inf, -inf, Real(1e30)}) {
    const Index c = grid.cell({bad, bad, bad, 0});
    CHECK(c >= 0);
    CHECK(c < grid.cells());
  }
}
