#include "solvers/fem/fem_coarse.h"

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
}

double BlockSkyline::products() const {
  double sum = 0;
  for (std::size_t r = 0; r < first_.size(); ++r)
    for (std::size_t c = first_[r]; c <= r; ++c)
      sum += double(c - std::min(c, std::max(first_[r], first_[c])) + 1);
  return sum;
}

void BlockSkyline::set(Index row, const double* blocks) {
  l_.resize(start_.back());  // not before: of several skylines the first that is small is kept
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

namespace {

std::size_t count_groups(const std::vector<Index>& group) {
  return std::size_t(*std::max_element(group.begin(), group.end())) + 1;
}

// Which groups blocks join with each, itself first.
std::vector<std::vector<Index>> joined_groups(const std::vector<Index>& group,
                                              const std::vector<Index>& first,
                                              const std::vector<block_cg::BlockSlot>& blocks) {
  std::vector<std::vector<Index>> joined(count_groups(group));
  for (std::size_t g = 0; g < joined.size(); ++g) joined[g].push_back(Index(g));
  for (std::size_t i = 0; i < group.size(); ++i) {
    auto& row = joined[std::size_t(group[i])];
    const std::size_t s = i / lane_count, l = i % lane_count;
    for (Index e = first[s]; e < first[s + 1]; ++e) {
      const Index h = group[std::size_t(blocks[std::size_t(e)].other[l])];
      if (std::find(row.begin(), row.end(), h) == row.end()) row.push_back(h);
    }
  }
  return joined;
}

}  // namespace

FemCoarse::FemCoarse(const Exec& ex, const std::vector<Index>& group,
                     const std::vector<Index>& first,
                     const std::vector<block_cg::BlockSlot>& blocks)
    : ex_(ex),
      groups_(count_groups(group)),
      matrix_(joined_groups(group, first, blocks)),
      first_(ex),
      member_(ex),
      group_(ex),
      to_(ex),
      own_(ex),
      row_(ex),
      arm_(ex, (group.size() + lane_count - 1) / lane_count * lane_count),
      blocks_(ex),
      x_(ex, groups_),
      x_on_host_(groups_) {
  const auto joined = joined_groups(group, first, blocks);
  std::vector<Index> starts(groups_ + 1), members(group.size()), row(groups_ + 1), own(groups_);
  for (const Index g : group) ++starts[std::size_t(g) + 1];
  for (std::size_t g = 0; g < groups_; ++g) {
    starts[g + 1] += starts[g];
    own[g] = row[g];  // the group itself comes first
    row[g + 1] = row[g] + Index(joined[g].size());
  }
  std::vector<Index> next(starts.begin(), starts.end() - 1);
  for (std::size_t i = 0; i < group.size(); ++i)
    members[std::size_t(next[std::size_t(group[i])]++)] = Index(i);
  std::vector<Index> to(blocks.size() * std::size_t(lane_count), -1);
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto g = std::size_t(group[i]);
    const std::size_t s = i / lane_count, l = i % lane_count;
    for (Index e = first[s]; e < first[s + 1]; ++e) {
      const Index j = blocks[std::size_t(e)].other[l];
      if (j == Index(i)) continue;
      const auto at = std::find(joined[g].begin(), joined[g].end(), group[std::size_t(j)]);
      to[std::size_t(e) * std::size_t(lane_count) + l] = row[g] + Index(at - joined[g].begin());
    }
  }
  std::vector<Index> filled = group;
  filled.resize(arm_.size(), 0);
  arm_.zero();
  first_.upload(starts), member_.upload(members), group_.upload(filled), to_.upload(to);
  own_.upload(own), row_.upload(row);
  blocks_.resize(std::size_t(row.back())), blocks_on_host_.resize(blocks_.size());
}

fem::RigidGroups FemCoarse::view() const {
  return {first_.span(), member_.span(), group_.span(), arm_.span(), filter_};
}

void FemCoarse::update(const Exec& ex, const block_cg::BlockMatrix& A, Span<const Row4> position,
                       Span<const Row4> filter) {
  filter_ = filter;
  fem::find_arms(ex, view(), position, arm_.span());
  fem::assemble_coarse(ex, {view(), A, to_.span(), own_.span(), row_.span(), blocks_.span()});
  ex.download(blocks_on_host_.data(), blocks_.data(), blocks_on_host_.size() * sizeof(fem::Block6));
  std::vector<Index> row(groups_ + 1);
  ex.download(row.data(), row_.data(), row.size() * sizeof(Index));
  for (std::size_t g = 0; g < groups_; ++g)
    matrix_.set(Index(g), blocks_on_host_[std::size_t(row[g])].c);
  matrix_.factorise();
}

block_cg::Squares FemCoarse::precondition(Span<const Row4> r, Span<Row4> q) {
  fem::restrict_to(ex_, view(), r, x_.span());
  const std::size_t bytes = groups_ * sizeof(fem::Six);
  ex_.download(x_on_host_.data(), x_.data(), bytes);
  matrix_.solve(x_on_host_.data());
  ex_.upload(x_.data(), x_on_host_.data(), bytes);
  return {fem::prolongate(ex_, view(), x_.span(), r, q), 0};
}

}  // namespace rtsim
