#pragma once
#include <array>
#include <vector>

#include "block_cg/block_cg.h"
#include "exec/buffer.h"
#include "fem/coarse.h"

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
  // How many blocks there are, and how many products of them factorising takes.
  std::size_t size() const { return start_.back(); }
  double products() const;

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

// The coarse space of kernels/fem/coarse.h, as block_cg takes it beside the points.
class FemCoarse {
 public:
  // Of the group of each point, and the matrix whose blocks are those.
  FemCoarse(const Exec&, const std::vector<Index>& group, const std::vector<Index>& first,
            const std::vector<block_cg::BlockSlot>& blocks);

  // Of blocks, to factorise its matrix.
  double products() const { return matrix_.products(); }
  // With the matrix as it is now.
  void update(const Exec&, const block_cg::BlockMatrix&, Span<const Row4> position,
              Span<const Row4> filter);

  block_cg::Squares precondition(Span<const Row4> r, Span<Row4> q);

 private:
  fem::RigidGroups view() const;

  Exec ex_;
  std::size_t groups_;
  BlockSkyline matrix_;
  Buffer<Index> first_, member_, group_, to_, own_, row_;
  Buffer<Row4> arm_;
  Span<const Row4> filter_{};
  Buffer<fem::Block6> blocks_;
  Buffer<fem::Six> x_;
  std::vector<fem::Block6> blocks_on_host_;
  std::vector<BlockSkyline::Six> x_on_host_;
};

}  // namespace rtsim
