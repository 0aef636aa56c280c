#pragma once
#include "base/vec.h"
#include "neighbours/neighbour_lists.h"
#include "pbf/law.h"
#include "sph/pairs.h"

// Launchers of position based fluids.
namespace rtsim::pbf {

struct Pairs {
  Law law;
  sph::PairRows fluid, walls;
  const neighbours::NeighbourLists& lists;
};

// lambda_i, and C_i into `error`. Neighbours are those of the predicted positions, motion rows what
// particles have moved since.
void lambda(const Exec&, const Pairs&, Span<Real> lambda, Span<Real> error);
// The next shifts, into other rows; lambda in the fourth numbers of the position rows.
void shift(const Exec&, const Pairs&, Span<Row4> shift);
// force[b] -= `scale` times what sample b adds to shifts in that.
void shift_on_walls(const Exec&, const Pairs&, Real scale, Span<Row4> force);

// Samples b of walls with a limit have a constraint and a lambda of their own, in the fourth
// numbers of the walls' motion rows (see pressure/samples.h for what it mends):
//
//   C_b = sum_j V W_bj - l_b <= 0,   shift_i += V lambda_b grad W_ib
//
// and the samples get as much back. `row`: the rows near sample b are those from first[b] to
// first[b + 1].
void lambda_of_samples(const Exec&, const Pairs&, Span<const Real> limit, Span<const Index> first,
                       Span<const Index> row, Span<Row4> motion);

struct Errors {
  double sum = 0;  // of max(C, 0)
  double max = 0;
};
Errors errors(const Exec&, Span<const Real> error);

// After the step, motion rows being velocities.
template <int D>
void xsph(const Exec&, const Pairs&, Real part, Span<Vec<D>> velocity);
void curl(const Exec&, const Pairs&, Span<Row4> curl, Span<Real> length);
template <int D>
void confine(const Exec&, const Pairs&, Real impulse, Span<const Row4> curl, Span<Vec<D>> velocity);

}  // namespace rtsim::pbf
