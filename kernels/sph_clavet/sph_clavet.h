#pragma once
#include "base/vec.h"
#include "neighbours/neighbour_lists.h"
#include "sph/pairs.h"
#include "sph_clavet/law.h"

// Launchers of double density relaxation. Neighbours are those of the predicted positions; motion
// rows are what particles have moved since, (shift, P').
namespace rtsim::sph_clavet {

struct Pairs {
  Law law;
  sph::PairRows fluid, walls;
  const neighbours::NeighbourLists& lists;
};

// P_i, P_i', density and pressure at the shifted positions.
void numbers(const Exec&, const Pairs&, Span<Real> push, Span<Real> near_push, Span<Real> density,
             Span<Real> pressure);

// The shifts of double density relaxation, added to those of the motion rows, into other rows.
void relax(const Exec&, const Pairs&, Real dt, Span<Row4> shift);
// force[b] -= `scale` times what sample b adds to shifts in that.
void relax_on_walls(const Exec&, const Pairs&, Real dt, Real scale, Span<Row4> force);

// Impulses of viscosity at unshifted positions, motion rows being velocities.
template <int D>
void slow(const Exec&, const Pairs&, const Viscosity&, Span<Vec<D>> velocity);

// Friction and stickiness of walls. `given`: what each row got, and its sum of weights.
template <int D>
void grip(const Exec&, const Pairs&, const WallGrip&, Span<const Vec<D>> velocity, Span<Row4> shift,
          Span<Row4> given);
// force[b] -= `scale` times what was given to rows, each sample by its weight.
void grip_on_walls(const Exec&, const Pairs&, Span<const Row4> shift, Span<const Row4> given,
                   Real scale, Span<Row4> force);

// The greatest |P| + P' [m/s^2].
Real greatest_push(const Exec&, Span<const Real> push, Span<const Real> near_push);

}  // namespace rtsim::sph_clavet
