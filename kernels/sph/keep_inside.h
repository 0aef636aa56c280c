#pragma once
#include "neighbours/neighbour_lists.h"
#include "sph/pairs.h"

// Penetration of walls: particles that would pass one.
namespace rtsim::sph {

// Bends the velocities of rows whose way within dt, from the places of `rows`, leads through a
// wall: so long a step would carry them past all forces. For rows that move over a quarter spacing
// samples are balls of 0.75 spacings, which leave no gaps in a square lattice, and move from where
// they stand with their own velocities. Then no row comes nearer to the layer of samples than
// pressure presses fluid, and what is in the layer all the same goes back: so many rows are
// returned. `met`: of each row, the sample that it met first, or -1; `lost`: the velocity that it
// lost there. Both may be empty.
// `places`: of neighbour lists, or none; rows whose lists have no samples are passed over where
// they go less than `clear`: the support less 1.2 spacings.
Index keep_inside(const Exec&, Real dt, Real spacing, bool moving, const PairRows& walls,
                  Span<const Row4> rows, Span<const neighbours::ListPlace> places, Real clear,
                  Span<Row4> motion, Span<Index> met, Span<Row4> lost);

// force[b] += scale lost[i] for every row i within `reach` that met b, and couple[b] += (x_i - x_b)
// x scale lost[i]: unlike the forces of pairs these do not point from one to the other.
void add_meetings(const Exec&, const PairRows& walls, const CellRows& fluid, Real reach, Real scale,
                  Span<const Index> met, Span<const Row4> lost, Span<Row4> force,
                  Span<Row4> couple);

}  // namespace rtsim::sph
