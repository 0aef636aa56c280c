#pragma once
#include <algorithm>

#include "exec/parallel.h"
#include "sph_bodin/colours.h"
#include "sph_bodin/sph_bodin.h"

namespace rtsim::sph_bodin {

// Runs `row` over the rows of cell cells[k], in their order.
template <class Row>
struct RowsOfCell {
  Row row;
  Span<const Index> cells, first;
  RTSIM_HD void operator()(Index k) const {
    const Index end = first[cells[k] + 1];
    for (Index i = first[cells[k]]; i < end; ++i) row(i);
  }
};

// Waking a thread costs as much as a few hundred rows: fewer cells than two tasks are one.
constexpr Index rows_per_task = 256;
inline Index cells_per_task(Index cells, double rows_per_cell) {
  const Index task = Index(double(rows_per_task) / rows_per_cell) + 1;
  return cells <= 2 * task ? cells : task;
}

template <class Kernel>
struct EachOf {
  const Kernel& kernel;
  void operator()(Index begin, Index end) const {
    const Kernel k = kernel;
    for (Index i = begin; i < end; ++i) k(i);
  }
};

template <class Row>
void by_colours(const Exec& ex, const char* label, const CellRows& rows,
                const ColouredCells& coloured, const Row& row) {
  const double rows_per_cell = double(rows.rows.size) / std::max(coloured.first[colours], 1);
  for (Index c = 0; c < colours; ++c) {
    const Index begin = coloured.first[std::size_t(c)], end = coloured.first[std::size_t(c + 1)];
    const RowsOfCell<Row> kernel{row, {coloured.cells.data() + begin, end - begin}, rows.first};
    if (ex.backend() == Backend::cpu)
      parallel_chunks(ex, label, end - begin, cells_per_task(end - begin, rows_per_cell),
                      EachOf<RowsOfCell<Row>>{kernel});
    else
      parallel_for(ex, label, end - begin, kernel);
  }
}

}  // namespace rtsim::sph_bodin
