#include <array>
#include <catch2/catch.hpp>
#include <cstring>

#include "support/poisson_cases.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

constexpr Border closed = Border::closed, open = Border::open, wave = Border::periodic;

PoissonCase with_ball(const Index (&n)[3], const Border (&border)[3]) {
  PoissonCase box(n, border);
  const double y = 0.5 * n[1] / n[0], z = n[2] > 1 ? 0.4 * n[2] / n[0] : 0;
  box.cut(ball({{0.45, y, z}}, 0.4 * std::min(y, z > 0 ? z : y)));
  box.set_divergence(some_flow);
  return box;
}

bool same_bytes(const std::vector<Real>& a, const std::vector<Real>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

}  // namespace

// Residuals of 1e-6 leave errors of up to some hundred times that: 1 / the smallest eigenvalue,
// which is (pi / 20)^2 of the sum of a cell's weights.
TEST_CASE("poisson methods: all give the same answer") {
  for (const Index nz : {1, 9}) {
    const PoissonCase box = with_ball({20, 13, nz}, {wave, closed, open});
    std::vector<Real> first;
    for (const PoissonMethod m : {PoissonMethod::multigrid_cg, PoissonMethod::cg,
                                  PoissonMethod::jacobi, PoissonMethod::red_black_gauss_seidel}) {
      PoissonCase trial = box;
      const PoissonResult r = trial.solve({.method = m, .tolerance = 1e-6, .max_iterations = 9999});
      CHECK(r.residual <= 1e-6);
      if (first.empty()) first = trial.pressure;
      CHECK(greatest_difference(trial.pressure, first) < 1e-4 * greatest(first));
    }
  }
}

// A flow that comes to rest asks for less and less, in the end for numbers whose squares are none.
TEST_CASE("poisson methods: what is asked for may be as small as numbers get") {
  for (const PoissonMethod m : {PoissonMethod::multigrid_cg, PoissonMethod::cg}) {
    PoissonCase box = with_ball({20, 26, 9}, {wave, closed, open});
    const PoissonResult start = box.solve({.method = m});
    const Real pressure = greatest(box.pressure);
    for (const double factor : {1e-8, 1e-12, 1e-16, 1e-20, 1e-28, 1e-36}) {
      PoissonCase quiet = with_ball({20, 26, 9}, {wave, closed, open});
      for (Real& v : quiet.rhs) v = Real(factor * double(v));
      const PoissonResult r = quiet.solve({.method = m});
      INFO(factor);
      CHECK(r.residual <= 1e-4);
      CHECK(r.iterations <= start.iterations + 1);
      CHECK(greatest(quiet.pressure) <= Real(1.01 * factor) * pressure);
    }
  }
}

// Odd numbers of cells across periodic axes need more colours than red and black.
TEST_CASE("poisson methods: Gauss-Seidel does not depend on threads") {
  const PoissonParams params{.method = PoissonMethod::red_black_gauss_seidel, .max_iterations = 20};
  PoissonCase one = with_ball({33, 27, 21}, {wave, wave, wave}), five = one;
  one.solve(params, Exec::cpu(1)), five.solve(params, Exec::cpu(5));
  CHECK(same_bytes(one.pressure, five.pressure));
}

TEST_CASE("poisson methods: a solve gives the same bytes for any number of threads") {
  PoissonCase one = with_ball({52, 41, 37}, {open, closed, wave}), two = one, five = one;
  one.solve({}, Exec::cpu(1)), two.solve({}, Exec::cpu(2)), five.solve({}, Exec::cpu(5));
  CHECK(same_bytes(one.pressure, two.pressure));
  CHECK(same_bytes(one.pressure, five.pressure));
}

// The bodies of a device sum in another order; both reach the tolerance.
TEST_CASE("poisson methods: a device does the same iterations") {
  for (const Index nz : {1, 21}) {
    PoissonCase cpu = with_ball({33, 26, nz}, {wave, closed, open}), device = cpu;
    const PoissonResult a = cpu.solve({.tolerance = 1e-6});
    const PoissonResult b = device.solve({.tolerance = 1e-6}, Exec::cpu(2).device_shaped());
    CHECK(a.iterations == b.iterations);
    CHECK(greatest_difference(cpu.pressure, device.pressure) < 1e-5 * greatest(cpu.pressure));
  }
}

// The count that a grid twice as fine or odd may add to is 10 in all; a method that depends on size
// would double it from one to the next.
TEST_CASE("poisson methods: multigrid's iterations do not grow with the grid") {
  for (const auto& border : {std::array{closed, closed, closed}, std::array{closed, open, wave}}) {
    const Border sides[3] = {border[0], border[1], border[2]};
    const Index sizes[][3] = {{16, 16, 16},  {32, 32, 32}, {64, 64, 64},  {50, 50, 50},
                              {40, 63, 21},  {64, 64, 1},  {256, 256, 1}, {300, 500, 1},
                              {511, 200, 1}, {128, 16, 16}};
    for (const auto& n : sizes) {
      PoissonCase box = with_ball(n, sides);
      const PoissonResult result = box.solve({}, Exec::cpu(2));
      INFO(n[0] << " x " << n[1] << " x " << n[2] << ": " << result.iterations);
      CHECK(result.residual <= 1e-4);
      CHECK(result.iterations <= 10);
    }
  }
}

// 129 is odd on all levels, whose last cells are ever smaller parts of one: the worst of sizes.
TEST_CASE("poisson methods: ten iterations at 128 and 256 a side", "[slow]") {
  for (const Index n : {128, 129, 256}) {
    PoissonCase box = with_ball({n, n, n}, {closed, open, closed});
    const PoissonResult result = box.solve({}, Exec::cpu(2));
    INFO(n << ": " << result.iterations);
    CHECK(result.residual <= 1e-4);
    CHECK(result.iterations <= (n == 129 ? 14 : 10));
  }
}

// Faces closed one cell thin where no coarse cells meet, with a door or without, and a crack.
// Coarse cells that cover both sides as one would take 20 to 50.
TEST_CASE("poisson methods: thin walls cost few iterations") {
  for (const Index nz : {1, 32})
    for (const Index door : {0, 5})
      for (const Real crack : {Real(0), Real(1e-6)}) {
        PoissonCase box({64, 64, nz}, {closed, closed, closed});
        box.for_faces([&](int a, Index row, const Index(&at)[3]) {
          if (a == 0 && at[0] == 19 && !(at[1] >= 40 && at[1] < 40 + door))
            box.open[0][std::size_t(row)] = crack;
        });
        box.set_divergence(some_flow);
        const PoissonResult result = box.solve({});
        INFO(nz << " layers, door of " << door << ", crack " << crack);
        CHECK(result.residual <= 1e-4);
        CHECK(result.iterations <= 12);
      }
}

// Right sides that are even or odd about the middle of an axis, on shapes that are.
TEST_CASE("poisson methods: symmetric problems have symmetric answers") {
  for (const PoissonMethod m : {PoissonMethod::cg, PoissonMethod::multigrid_cg})
    for (const Index nz : {1, 20})
      for (int axis = 0; axis < (nz > 1 ? 3 : 2); ++axis) {
        PoissonCase box({28, 24, nz}, {open, closed, wave});
        const GridShape& g = box.shape;
        box.cut(ball({{0.5, 0.5 * 24 / 28, nz > 1 ? 0.5 * 20 / 28 : 0}}, 0.21));
        // The rounded distances of mirrored faces may differ.
        for (auto& faces : box.open)
          for (Real& w : faces) w = std::round(w * 64) / 64;
        const auto mirror = [&](Index c) {
          Index at[3] = {c % g.cells[0], c / g.cells[0] % g.cells[1], c / g.cells[0] / g.cells[1]};
          at[axis] = g.cells[axis] - 1 - at[axis];
          return std::size_t(g.row(at[0], at[1], at[2]));
        };
        for (Index c = 0; c < Index(box.rhs.size()); ++c) {
          box.rhs[std::size_t(c)] = Real(std::sin(0.37 * c));
          if (mirror(c) < std::size_t(c)) box.rhs[std::size_t(c)] = box.rhs[mirror(c)];
        }
        CHECK(box.solve({.method = m}).residual <= 1e-4);
        double worst = 0;
        for (Index c = 0; c < Index(box.rhs.size()); ++c)
          worst = std::max(worst, std::abs(double(box.pressure[std::size_t(c)]) -
                                           double(box.pressure[mirror(c)])));
        INFO("axis " << axis << ", " << nz << " layers");
        if (m == PoissonMethod::cg)
          CHECK(worst == 0);
        else
          CHECK(worst < 1e-5 * greatest(box.pressure));
      }
}

TEST_CASE("poisson methods: the last pressure is a start") {
  PoissonCase box = with_ball({40, 40, 1}, {closed, open, closed});
  CHECK(box.solve({}).iterations > 3);
  CHECK(box.solve({}).iterations <= 1);  // as Real the pressure is not quite what it was
}

TEST_CASE("poisson methods: a solve that runs out of iterations says so") {
  PoissonCase box = with_ball({40, 40, 1}, {closed, open, closed});
  const PoissonParams params{.method = PoissonMethod::cg, .tolerance = 1e-6, .max_iterations = 5};
  const PoissonResult result = box.solve(params);
  CHECK(result.iterations == 5);
  CHECK(result.residual > 1e-6);
  CHECK_THAT(result.warning(params), Catch::Contains("after 5 iterations"));
}
