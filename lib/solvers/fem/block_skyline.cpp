#include "solvers/fem/block_skyline.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace rtsim {

namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

Eigen::Map<Matrix6> map(BlockSkyline::Block& b) { return Eigen::Map<Matrix6>(b.data()); }
Eigen::Map<const Matrix6> map(const BlockSkyline::Block& b) {
  return Eigen::Map<const Matrix6>(b.data());
}
Eigen::Map<Vector6> map(BlockSkyline::Six& v) { return Eigen::Map<Vector6>(v.data()); }

// Rows in an order that keeps neighbours near: breadth first from a row of few neighbours, those of
// few first (Cuthill & McKee, "Reducing the Bandwidth of Sparse Symmetric Matrices", 1969).
std::vector<Index> near_places(const std::vector<std::vector<Index>>& columns) {
  const std::size_t n = columns.size();
  std::vector<Index> order, place(n, -1);
  const auto fewer = [&](Index a, Index b) {
    const std::size_t x = columns[std::size_t(a)].size(), y = columns[std::size_t(b)].size();
    return x != y ? x < y : a < b;
  };
  std::vector<Index> starts(n);
  for (std::size_t i = 0; i < n; ++i) starts[i] = Index(i);
  std::sort(starts.begin(), starts.end(), fewer);
  for (const Index start : starts) {
    if (place[std::size_t(start)] >= 0) continue;
    place[std::size_t(start)] = Index(order.size()), order.push_back(start);
    for (std::size_t k = order.size() - 1; k < order.size(); ++k) {
      std::vector<Index> next;
      for (const Index j : columns[std::size_t(order[k])])
        if (place[std::size_t(j)] < 0) next.push_back(j);
      std::sort(next.begin(), next.end(), fewer);
      for (const Index j : next) place[std::size_t(j)] = Index(order.size()), order.push_back(j);
    }
  }
  return place;
}

}  // namespace

BlockSkyline::BlockSkyline(const std::vector<std::vector<Index>>& columns)
    : columns_(columns), place_(near_places(columns)) {
  const std::size_t n = columns.size();
  first_.resize(n), start_.resize(n + 1), inverse_.resize(n), work_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    Index least = place_[i];
    for (const Index j : columns[i]) least = std::min(least, place_[std::size_t(j)]);
    first_[std::size_t(place_[i])] = std::size_t(least);
  }
  for (std::size_t r = 0; r < n; ++r) start_[r + 1] = start_[r] + (r - first_[r] + 1);
  l_.resize(start_.back());
}

void BlockSkyline::set(Index row, const double* blocks) {
  const auto r = std::size_t(place_[std::size_t(row)]);
  for (std::size_t c = first_[r]; c <= r; ++c) at(r, c).fill(0);
  for (const Index j : columns_[std::size_t(row)]) {
    const auto c = std::size_t(place_[std::size_t(j)]);
    if (c <= r) std::copy(blocks, blocks + 36, at(r, c).begin());
    blocks += 36;
  }
}

void BlockSkyline::factorise_diagonal(std::size_t row) {
  Block& l = at(row, row);
  Block& inverse = inverse_[row];
  inverse.fill(0);
  double diagonal[6];
  for (std::size_t k = 0; k < 6; ++k) diagonal[k] = work_[row][k];
  for (std::size_t k = 0; k < 6; ++k) {
    double pivot = l[7 * k];
    for (std::size_t m = 0; m < k; ++m) pivot -= l[6 * k + m] * l[6 * k + m];
    const bool there = pivot > 1e-6 * diagonal[k];
    l[7 * k] = there ? std::sqrt(pivot) : 1;
    for (std::size_t i = k + 1; i < 6; ++i) {
      double sum = l[6 * i + k];
      for (std::size_t m = 0; m < k; ++m) sum -= l[6 * i + m] * l[6 * k + m];
      l[6 * i + k] = there ? sum / l[7 * k] : 0;
    }
    if (!there) {
      for (std::size_t m = 0; m < k; ++m) l[6 * k + m] = 0;
      continue;
    }
    inverse[7 * k] = 1 / l[7 * k];
    for (std::size_t c = 0; c < k; ++c) {
      double sum = 0;
      for (std::size_t m = c; m < k; ++m) sum -= l[6 * k + m] * inverse[6 * m + c];
      inverse[6 * k + c] = sum / l[7 * k];
    }
  }
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t k = i + 1; k < 6; ++k) l[6 * i + k] = 0;
}

void BlockSkyline::factorise() {
  for (std::size_t r = 0; r < first_.size(); ++r) {
    for (std::size_t k = 0; k < 6; ++k) work_[r][k] = at(r, r)[7 * k];
    for (std::size_t c = first_[r]; c <= r; ++c) {
      Matrix6 sum = map(at(r, c));
      for (std::size_t k = std::max(first_[r], first_[c]); k < c; ++k)
        sum.noalias() -= map(at(r, k)).lazyProduct(map(at(c, k)).transpose());
      if (c < r)
        map(at(r, c)).noalias() = sum.lazyProduct(map(inverse_[c]).transpose());
      else
        map(at(r, c)) = sum;
    }
    factorise_diagonal(r);
  }
}

void BlockSkyline::solve(Six* x) const {
  const std::size_t n = first_.size();
  for (std::size_t i = 0; i < n; ++i) work_[std::size_t(place_[i])] = x[i];
  for (std::size_t r = 0; r < n; ++r) {
    Vector6 sum = map(work_[r]);
    for (std::size_t k = first_[r]; k < r; ++k) sum.noalias() -= map(at(r, k)) * map(work_[k]);
    map(work_[r]).noalias() = map(inverse_[r]) * sum;
  }
  for (std::size_t r = n; r-- > 0;) {
    const Vector6 z = map(inverse_[r]).transpose() * map(work_[r]);
    map(work_[r]) = z;
    for (std::size_t k = first_[r]; k < r; ++k)
      map(work_[k]).noalias() -= map(at(r, k)).transpose() * z;
  }
  for (std::size_t i = 0; i < n; ++i) x[i] = work_[std::size_t(place_[i])];
}

}  // namespace rtsim
