#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <random>

#include "solvers/fem/block_skyline.h"

// The skyline solve of the coarse space, against a dense one.
using namespace rtsim;

namespace {

// A ring of blocks with some chords: A = sum over pairs of (B_i, -C_j)^T (B_i, -C_j), and some of
// the identity.
struct Ring {
  std::vector<std::vector<Index>> columns;
  Eigen::MatrixXd A;

  explicit Ring(int n)
      : columns(std::size_t(n)), A(0.01 * Eigen::MatrixXd::Identity(6 * n, 6 * n)) {
    std::mt19937 random(11);
    std::normal_distribution<double> normal;
    for (int i = 0; i < n; ++i) columns[std::size_t(i)].push_back(i);
    const auto join = [&](int i, int j) {
      Eigen::MatrixXd row = Eigen::MatrixXd::Zero(6, 6 * n);
      for (int a = 0; a < 6; ++a)
        for (int b = 0; b < 6; ++b)
          row(a, 6 * i + b) = normal(random), row(a, 6 * j + b) = normal(random);
      A += row.transpose() * row;
      columns[std::size_t(i)].push_back(j), columns[std::size_t(j)].push_back(i);
    };
    for (int i = 0; i < n; ++i) join(i, (i + 1) % n);
    for (int i = 0; i + 5 < n; i += 3) join(i, i + 5);
  }
  void hold(int row) {  // no unknown: its row and column are 0
    A.row(row).setZero(), A.col(row).setZero();
  }
  BlockSkyline made() const {
    BlockSkyline m(columns);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::vector<double> blocks;
      for (const Index j : columns[i])
        for (int a = 0; a < 6; ++a)
          for (int b = 0; b < 6; ++b) blocks.push_back(A(6 * int(i) + a, 6 * j + b));
      m.set(Index(i), blocks.data());
    }
    m.factorise();
    return m;
  }
};

}  // namespace

TEST_CASE("fem: the coarse system is solved as a dense one would be") {
  const int n = 17;
  Ring ring(n);
  const BlockSkyline m = ring.made();
  CHECK(m.size() < std::size_t(n * (n + 1) / 2));  // an order that keeps neighbours near
  Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(6 * n, -1, 2);
  const Eigen::VectorXd exact = ring.A.ldlt().solve(b);
  m.solve(reinterpret_cast<BlockSkyline::Six*>(b.data()));
  CHECK((b - exact).norm() < 1e-9 * exact.norm());
}

TEST_CASE("fem: what of the coarse system is held stays where it is") {
  const int n = 9;
  Ring ring(n);
  for (const int row : {0, 1, 2, 3, 4, 5, 20, 53}) ring.hold(row);
  const BlockSkyline m = ring.made();
  Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(6 * n, 1, 3), x = b;
  m.solve(reinterpret_cast<BlockSkyline::Six*>(x.data()));
  for (const int row : {0, 1, 2, 3, 4, 5, 20, 53}) {
    CHECK(x(row) == 0);
    b(row) = 0;
  }
  CHECK((ring.A * x - b).norm() < 1e-9 * b.norm());
}
