#pragma once
#include <array>
#include <vector>

#include "base/types.h"

namespace rtsim {

// L L^T of a symmetric matrix of blocks of 6 x 6, each row from its first block on (a skyline).
// Unknowns that are not positive are left out, as if they were held.
class BlockSkyline {
 public:
  using Block = std::array<double, 36>;
  using Six = std::array<double, 6>;

  // Which columns each row has, in any order, itself among them, alike on both sides.
  explicit BlockSkyline(const std::vector<std::vector<Index>>& columns);
  // Row `row` of the matrix, in the order of its columns as they were given.
  void set(Index row, const double* blocks);
  void factorise();
  void solve(Six* x) const;
  std::size_t size() const { return start_.back(); }  // in blocks

 private:
  Block& at(std::size_t row, std::size_t column) {
    return l_[start_[row] + (column - first_[row])];
  }
  const Block& at(std::size_t row, std::size_t column) const {
    return l_[start_[row] + (column - first_[row])];
  }
  void factorise_diagonal(std::size_t row);

  std::vector<std::vector<Index>> columns_;
  std::vector<Index> place_;                // where a row stands (Cuthill & McKee)
  std::vector<std::size_t> first_, start_;  // of the row in place
  std::vector<Block> l_, inverse_;          // L, and the inverses of its diagonal
  mutable std::vector<Six> work_;
};

}  // namespace rtsim
