#pragma once
#include "pressure/pressure.h"

// Samples of walls with a density and a pressure of their own, as rows of the fluid have. Of fluid
// alone a sample is to see no more than a lattice of it would give that begins half a spacing off
// the wall,
//
//   rho_b = sum_j m W_bj <= L_b,
//
// and what keeps it so is k_b = p_b / rho^2 >= 0, which pushes rows with
//
//   a_i = -sum_b m k_b grad W_ib
//
// and the samples back, pair by pair. Like the rows' own it is the answer to a constraint, and does
// no work. (Rows of walls in the system of the fluid: Gissler et al., "Interlinked SPH pressure
// solvers for strong fluid-rigid coupling", ACM TOG 38(1), 2019; Band et al., "Pressure boundaries
// for implicit incompressible SPH", ACM TOG 37(2), 2018. Theirs weigh with the samples' volumes.)
//
// In pressure.h k_b, or its change, is the fourth number of a wall's motion row.
namespace rtsim::pressure {

// What is near each sample: neighbours n of sample b are those from first[b] to first[b + 1].
struct SampleLists {
  Span<const Index> first;
  Span<const Index> row;      // of the fluid
  Span<const Row4> gradient;  // of W_bn at the sample [1/m^(D+1)]
};

// first[b], and how many there are in all; samples with a limit of zero have none. `first` has one
// place more than there are samples.
Index count_near_samples(const Exec&, const Pairs&, Span<const Real> limit, Span<Index> first);
// Their rows alone.
void list_near_samples(const Exec&, const Pairs&, Span<const Index> first, Span<Index> row);
// The lists, and of each sample rho0 + rho_b - L_b and
//   D_b = |sum_j m grad W_bj|^2 + sum_j |m grad W_bj|^2
// (with several phases w_j in the squares, and its root in the sum)
// with zeros where nothing is near.
void find_samples(const Exec&, const Pairs&, Span<const Real> limit, Span<const Index> first,
                  Span<Index> row, Span<Row4> gradient, Span<Real> density, Span<Real> diagonal);
// D_b += m^2 sum_j |grad W_bj| mobility_bound_b
void add_mobility_of_samples(const Exec&, const Pairs&, const SampleLists&,
                             Span<const Real> mobility_bound, Span<Real> diagonal);

// d rho_b / dt
void rate_of_samples(const Exec&, const Pairs&, const SampleLists&, Span<Real> rate);
// The lesser of that and of its mean over the next dt.
void predicted_rate_of_samples(const Exec&, const Pairs&, const SampleLists&, Real dt,
                               Span<Real> rate);

// packed[k] = column[order[k]], and back.
void gather(const Exec&, Span<const Index> order, Span<const Real> column, Span<Real> packed);
void scatter(const Exec&, Span<const Index> order, Span<const Real> packed, Span<Real> column);

}  // namespace rtsim::pressure
