#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "neighbours/cell_grid.h"

// Launchers that find where particles of one stage stand beside those of another.
namespace rtsim::meeting {

// rows[k] = position[order[k]]
template <int D>
void pack(const Exec&, Span<const Index> order, Span<const Vec<D>> position, Span<Row4> rows);

// The first of `rows` that is nearer than `reach` to one of `others` with no wall between the two:
// none of the samples `walls` lies within `clear` of their middle. -1: there is none.
Index find_meeting(const Exec&, Span<const Row4> rows, const CellRows& others,
                   const CellRows& walls, Real reach, Real clear);

}  // namespace rtsim::meeting
