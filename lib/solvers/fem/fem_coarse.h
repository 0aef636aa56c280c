#pragma once
#include <optional>
#include <vector>

#include "block_cg/block_cg.h"
#include "exec/buffer.h"
#include "fem/coarse.h"
#include "solvers/fem/block_skyline.h"

namespace rtsim {

// Which group each point is in, from 0, and in how many of them an element has points at most.
struct PointGroups {
  std::vector<Index> of_points;
  Index most_of_element;
};

// The coarse space of kernels/fem/coarse.h, as block_cg takes it beside the points.
class FemCoarse {
 public:
  // Of groups, larger ones that they form, and so on, and the matrix whose blocks are those.
  FemCoarse(const Exec&, const std::vector<PointGroups>&, const std::vector<Index>& first,
            const std::vector<block_cg::BlockSlot>& blocks);

  // With the matrix as it is now.
  void update(const Exec&, const block_cg::BlockMatrix&, Span<const Row4> position,
              Span<const Row4> filter);

  block_cg::Squares precondition(Span<const Row4> r, Span<Row4> q);

 private:
  using Columns = std::vector<std::vector<Index>>;  // of the blocks of each row but its own

  // The arrays of a fem::GroupLevel, and of what its blocks are sums of.
  struct Level {
    Level(const Exec&, const PointGroups&);
    void set_columns(const Columns&);
    fem::GroupLevel view();

    Buffer<Index> first, column, row, first_term, term;  // of blocks
    Buffer<Index> first_part, part, parent;              // of groups
    Buffer<fem::Block6> blocks, own, smoother;
    Buffer<fem::Six> x, r, rest;
    Buffer<Vec3d> place, arm;
    double weight;  // w
  };

  // The blocks of the first level, and of level k from those of the level below.
  Columns join_points(const std::vector<Index>& group, const std::vector<Index>& first,
                      const std::vector<block_cg::BlockSlot>& blocks);
  Columns join_groups(std::size_t k, const Columns& below, const std::vector<Index>& group,
                      const std::vector<Index>& larger);
  fem::RigidGroups points() const;
  void factorise_last();
  void solve(std::size_t level);  // x from r
  void solve_last();

  Exec ex_;
  Buffer<Index> first_, member_, group_, point_;
  Buffer<Row4> arm_;
  Span<const Row4> filter_{};
  std::vector<Level> levels_;
  std::optional<BlockSkyline> last_;  // of the last level
  std::vector<BlockSkyline::Six> on_host_;
};

}  // namespace rtsim
