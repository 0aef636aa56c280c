#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <random>

#include "fem/coarse_levels.h"

// The levels of FEM's coarse space, against dense matrices.
using namespace rtsim;

namespace {

using Dense = Eigen::MatrixXd;

// Groups in a row, each bound to the next two by what neither of them moving rigidly would feel,
// and a little inertia. Three form one of the level above; some unknowns are held.
struct Row {
  static constexpr int n = 24, m = n / 3;
  Exec ex = Exec::cpu(2);
  std::vector<Index> first{0}, column, row, above_first{0}, above_column, above_part{0}, term,
      first_part{0}, part, parent;
  std::vector<fem::Block6> blocks, own{n}, smoother{n}, above_blocks, above_own{m}, none;
  std::vector<fem::Six> x{n}, r{n}, rest{n}, above_x{m}, above_r{m};
  std::vector<Vec3d> place{n}, arm{n}, above_place{m}, above_arm{m};
  Dense A = Dense::Zero(6 * n, 6 * n), T = Dense::Zero(6 * n, 6 * m);

  Row() {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    for (int g = 0; g < n; ++g)
      place[std::size_t(g)] = {{g + 0.2 * normal(random), 0.3 * normal(random), 0.1 * g}};
    for (int g = 0; g < n; ++g)
      for (int h = g + 1; h < std::min(n, g + 3); ++h) {
        Dense bond = Dense::Zero(6, 6 * n);
        const Dense some = Dense::NullaryExpr(6, 6, [&] { return normal(random); });
        const Vec3d between = 0.5 * (place[std::size_t(g)] + place[std::size_t(h)]);
        bond.middleCols(6 * g, 6) = some * motion(between - place[std::size_t(g)]);
        bond.middleCols(6 * h, 6) = -some * motion(between - place[std::size_t(h)]);
        A += bond.transpose() * bond;
      }
    A += 0.01 * Dense::Identity(6 * n, 6 * n);
    for (const int held : {0, 1, 2, 3, 4, 5, 33}) A.row(held).setZero(), A.col(held).setZero();
    fill();
  }
  // What is moved at `arm` of a group: t + w x arm, w.
  static Dense motion(const Vec3d& a) {
    Dense M = Dense::Identity(6, 6);
    M.block(0, 3, 3, 3) << 0, a[2], -a[1], -a[2], 0, a[0], a[1], -a[0], 0;
    return M;
  }
  fem::Block6 block(int g, int h) const {
    fem::Block6 b;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) b[6 * i + j] = A(6 * g + i, 6 * h + j);
    return b;
  }
  void fill() {
    std::vector<std::vector<Index>> terms(m * m);
    for (int g = 0; g < n; ++g) {
      own[std::size_t(g)] = block(g, g);
      parent.push_back(g / 3), part.push_back(g);
      if (g % 3 == 2) first_part.push_back(Index(part.size()));
      for (int h = std::max(0, g - 2); h < std::min(n, g + 3); ++h) {
        if (h == g) continue;
        if (h / 3 != g / 3) terms[std::size_t(g / 3 * m + h / 3)].push_back(Index(column.size()));
        column.push_back(h), row.push_back(g), blocks.push_back(block(g, h));
      }
      first.push_back(Index(column.size()));
    }
    for (int g = 0; g < m; ++g) {
      for (int h = 0; h < m; ++h) {
        const auto& of = terms[std::size_t(g * m + h)];
        if (of.empty()) continue;
        above_column.push_back(h);
        term.insert(term.end(), of.begin(), of.end());
        above_part.push_back(Index(term.size()));
      }
      above_first.push_back(Index(above_column.size()));
    }
    above_blocks.resize(above_column.size());
  }
  template <class V>
  static auto span(V& v) {
    return Span<typename V::value_type>{v.data(), Index(v.size())};
  }
  template <class V>
  static auto read(const V& v) {
    return Span<const typename V::value_type>{v.data(), Index(v.size())};
  }
  fem::GroupLevel below() {
    return {{read(first), read(column), span(blocks), span(own)},
            span(smoother),
            span(x),
            span(r),
            span(rest),
            span(place),
            span(arm),
            {},
            {},
            read(parent)};
  }
  fem::GroupLevel above() {
    return {{read(above_first), read(above_column), span(above_blocks), span(above_own)},
            span(none),
            span(above_x),
            span(above_r),
            {},
            span(above_place),
            span(above_arm),
            read(first_part),
            read(part),
            {}};
  }
  void assemble() {
    fem::find_arms(ex, below(), above());
    fem::assemble(ex, below(), {read(above_part), read(term), read(row)}, above());
    // An element is of two groups here.
    fem::invert_own(ex, below(), 1.);
    for (int g = 0; g < n; ++g) T.block(6 * g, 6 * (g / 3), 6, 6) = motion(arm[std::size_t(g)]);
  }
  Dense assembled_above() const {
    Dense all = Dense::Zero(6 * m, 6 * m);
    const auto put = [&](int g, int h, const fem::Block6& b) {
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) all(6 * g + i, 6 * h + j) = b[6 * i + j];
    };
    for (int g = 0; g < m; ++g) {
      put(g, g, above_own[std::size_t(g)]);
      for (Index e = above_first[std::size_t(g)]; e < above_first[std::size_t(g) + 1]; ++e)
        put(g, above_column[std::size_t(e)], above_blocks[std::size_t(e)]);
    }
    return all;
  }
  // B of the two levels, the one above solved exactly.
  Dense solve() {
    const Dense exact = assembled_above().completeOrthogonalDecomposition().pseudoInverse();
    Dense B(6 * n, 6 * n);
    for (int c = 0; c < 6 * n; ++c) {
      for (auto& six : r) six = {};
      r[std::size_t(c / 6)][c % 6] = 1;
      fem::begin(ex, below());
      fem::restrict_to(ex, below(), above());
      Eigen::Map<Eigen::VectorXd>(above_x.data()->c, 6 * m) =
          exact * Eigen::Map<Eigen::VectorXd>(above_r.data()->c, 6 * m);
      fem::finish(ex, below(), above());
      B.col(c) = Eigen::Map<Eigen::VectorXd>(x.data()->c, 6 * n);
    }
    return B;
  }
};

}  // namespace

TEST_CASE("fem: groups of groups have the matrix of their parts as they move together") {
  Row a;
  a.assemble();
  const Dense exact = a.T.transpose() * a.A * a.T;
  CHECK((a.assembled_above() - exact).norm() < 1e-13 * exact.norm());
}

TEST_CASE("fem: what levels make of a residual is symmetric, positive, and near the solution") {
  Row a;
  a.assemble();
  const Dense B = a.solve();
  CHECK((B - B.transpose()).norm() < 1e-12 * B.norm());
  // Of unknowns that are not held: of B A none is negative, and own blocks alone spread further.
  std::vector<int> kept;
  for (int i = 6; i < 6 * Row::n; ++i)
    if (i != 33) kept.push_back(i);
  const auto spread = [&](const Dense& P) {
    const Dense L = a.A(kept, kept).llt().matrixL();
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Dense>(L.transpose() * P(kept, kept) * L).eigenvalues();
    CHECK(values(0) > 0);
    return values(values.size() - 1) / values(0);
  };
  Dense own = Dense::Zero(6 * Row::n, 6 * Row::n);
  for (int g = 0; g < Row::n; ++g)
    own.block(6 * g, 6 * g, 6, 6) = Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(
        a.smoother[std::size_t(g)].c);
  const double of_levels = spread(B), of_blocks = spread(own);
  INFO(of_levels << " " << of_blocks);
  CHECK(of_levels < 0.05 * of_blocks);
}
