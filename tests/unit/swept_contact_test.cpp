#include "sph/swept_contact.h"

#include <catch2/catch.hpp>

using namespace rtsim;
using namespace rtsim::sph;

namespace {

// Balls of radius 0.9 at (k, 0, 0), k = 0 .. 4, one cell; their common velocity, a step of one.
struct Row {
  std::vector<Row4> rows, motion;
  std::vector<Index> first{0, 5};
  CellGrid grid;

  explicit Row(Real upwards = 0) {
    for (int k = 0; k < 5; ++k)
      rows.push_back({Real(k), 0, 0, 0}), motion.push_back({0, upwards, 0, 0});
  }
  Balls balls() const {
    return {{grid, {first.data(), Index(first.size())}, {rows.data(), Index(rows.size())}},
            {motion.data(), Index(motion.size())},
            Real(0.9),
            Real(1.9),
            1,
            1};
  }
};

double nearest(const Row& r, const Vec<3>& x, double shift = 0) {
  double least = 1e9;
  for (const Row4& b : r.rows)
    least = std::min(least, std::hypot(x[0] - b.x, x[1] - b.y - shift, x[2] - b.z));
  return least;
}

}  // namespace

TEST_CASE("swept contact: a path that meets no wall is left alone") {
  const Row row;
  Path past{{{-3, 2, 0}}, {{9, Real(-0.9), 0}}, 0};
  CHECK(slide(row.balls(), past) < 0);
  Path away{{{2, Real(0.5), 0}}, {{0, 3, 0}}, 0};  // from inside
  CHECK(slide(row.balls(), away) < 0);
}

TEST_CASE("swept contact: a path stops at a ball met head on, from however far it comes") {
  const Row row;
  for (const Real height : {Real(1), Real(10), Real(1000)}) {
    Path path{{{2, height, 0}}, {{0, -2 * height, 0}}, 0};
    CHECK(slide(row.balls(), path) >= 0);
    const Vec<3> end = path.at + path.way;
    CHECK(end[1] == Approx(0.9).margin(1e-4 * height));
    CHECK(end[0] == Approx(2));
  }
}

TEST_CASE("swept contact: a slanting path slides on, and stays outside all balls") {
  const Row row;
  for (int k = 0; k < 40; ++k) {
    const Real slant = Real(0.1) * Real(k - 20);
    Path path{{{2, Real(1.5), 0}}, {{slant, -2, 0}}, 0};
    slide(row.balls(), path);
    CHECK(nearest(row, path.at + path.way) > 0.9 - 1e-5);
    CHECK((path.at + path.way)[1] > 0);
  }
}

TEST_CASE("swept contact: a ball that comes carries along what it meets") {
  const Row row(Real(0.8));  // from y = -0.8 to 0
  Path path{{{2, Real(0.5), 0}}, {{0, 0, 0}}, 0};
  CHECK(slide(row.balls(), path) >= 0);
  CHECK((path.at + path.way)[1] == Approx(0.9));
  // With the path's own way: at t the gap is (0.5 - 0.5 t) - (-0.8 + 0.8 t) - 0.9.
  Path against{{{2, Real(0.5), 0}}, {{0, Real(-0.5), 0}}, 0};
  CHECK(slide(row.balls(), against) >= 0);
  CHECK((against.at + against.way)[1] == Approx(0.9));
}
