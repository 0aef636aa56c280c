#include <algorithm>

#include "exec/parallel.h"
#include "grid/take_nearest.h"

namespace rtsim::grid {

namespace {

using Eight = Lanes<Real>;
static_assert(block_side == lane_count);

// Cells `from` to `end` of a line in a block.
template <int D>
void take_line(const TakeNearest& of, const PlacedSolid& s, Index from, Index end, Index j,
               Index k) {
  const Vec<3> first = of.grid.place(0, j, k);
  Real d[lane_count];
  const Eight x[3] = {Eight(first[0]) + Rows<Eight>::place(from) * Eight(of.grid.step[0]),
                      Eight(first[1]), Eight(first[2])};
  of.distance_at<D, Eight>(s, x).store(d);
  for (Index i = from; i < end; ++i) of.keep(s, of.grid.row(i, j, k), d[i - from]);
}

void take_block(const TakeNearest& of, Index block) {
  Index at[3];
  of.first_cell(block, at);
  for (Index p = of.blocks.first[block]; p < of.blocks.first[block + 1]; ++p) {
    const PlacedSolid s = of.solids[of.blocks.of[p]];
    Index low[3], end[3];
    for (int a = 0; a < 3; ++a) {
      low[a] = std::max(at[a], s.low[a]);
      end[a] = std::min(at[a] + block_side, s.low[a] + s.n[a]);
    }
    for (Index k = low[2]; k < end[2] && low[0] < end[0]; ++k)
      for (Index j = low[1]; j < end[1]; ++j)
        of.in_space(s) ? take_line<3>(of, s, low[0], end[0], j, k)
                       : take_line<2>(of, s, low[0], end[0], j, k);
  }
}

}  // namespace

void take_nearest_lines(const Exec& ex, const TakeNearest& of) {
  parallel_chunks(ex, "grid.solids", of.blocks.first.size - 1, 16, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) take_block(of, b);
  });
}

}  // namespace rtsim::grid
