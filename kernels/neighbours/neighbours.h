#pragma once
#include "base/vec.h"
#include "exec/buffer.h"
#include "neighbours/cell_grid.h"

// Launchers of the neighbour search: rows into cells, cells into lists.
namespace rtsim::neighbours {

struct Box {
  Real low[3], high[3];
};

// Around all finite positions; 2D has z = 0. An empty or all-NaN set gives low > high.
template <int D>
Box bounding_box(const Exec&, Span<const Vec<D>> position);

// Cells of `size` over `box`. Where that takes more than `most` cells, a stray has stretched the
// box: the grid then covers `home` only, and grows its cells until they fit. Along axes that repeat
// it covers their length, no more.
CellGrid make_grid(Box box, Box home, double size, double most, const PeriodicBox& periodic = {});

// Brings positions back into the box along the axes that repeat.
template <int D>
void wrap(const Exec&, const PeriodicBox&, Span<Vec<D>> position);

// keys[i] = the cell of row i.
template <int D>
void cell_keys(const Exec&, const CellGrid&, Span<const Vec<D>> position, Span<std::uint32_t> keys);

// rows[i] = (position, 0) and the lane_count rows behind the last are far away from everything.
template <int D>
void pack_positions(const Exec&, Span<const Vec<D>> position, Span<Row4> rows);

}  // namespace rtsim::neighbours
