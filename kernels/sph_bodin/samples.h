#pragma once
#include "sph/poly6h.h"
#include "sph_bodin/sph_bodin.h"

// Samples b of walls with a limit l_b (see pressure/samples.h for what it mends) have a constraint
// and a multiplier of their own, as rows have:
//
//   g_b = sum_j V W_bj - l_b <= 0,     g_b' = sum_j G_bj . (v_j - v_b),
//   G_bj = -V grad W_bj at the sample,     V = m / rho0
//
// that only pushes, lambda_b <= 0. Within the step walls go their way, so that nothing of them is
// in the diagonal; what samples push rows with, they get back.
namespace rtsim::sph_bodin {

// The constraints of samples in one step, as System has those of rows.
struct SampleSystem {
  Span<const Index> first;  // of each sample's entries: one place more than there are samples
  Span<Index> count;        // how many stand there
  Span<Row4> entries;       // (G_bj, 0)
  Span<Index> columns;      // j
  Span<Real> inv_diagonal;  // 1 / (S_bb + e), S_bb = sum_j |G_bj|^2 / m
  Span<Real> offset;        // r_b - e lambda_b - sum_j G_bj . v_j [1/s]
};

// `first` and `columns` are those of the fluid's rows within the support of each sample; those that
// have no entry are left out. `density`: the kernel W of the sums.
void assemble_samples(const Exec&, const Constraint&, const sph::Poly6& density,
                      const Neighbourhood&, Span<const Real> limit, const SampleSystem&);
void assemble_samples(const Exec&, const Constraint&, const sph::Poly6h& density,
                      const Neighbourhood&, Span<const Real> limit, const SampleSystem&);

// The cells of walls that have samples with entries, by colour.
void colour_samples(const Exec&, const CellRows& walls, Span<const Index> first, ColouredCells&);

// v += M^-1 G^T lambda, with lambda = `scale` times the numbers in `multiplier`, kept there.
void start_samples(const Exec&, const Constraint&, const SampleSystem&, const CellRows& walls,
                   const ColouredCells&, Real scale, Span<Real> multiplier, Span<Row4> motion);
// One sweep over all samples.
void sweep_samples(const Exec&, const Constraint&, const SampleSystem&, const CellRows& walls,
                   const ColouredCells&, Span<Real> multiplier, Span<Row4> motion);
// force[b] -= sum_j G_bj lambda_b / dt, with lambda / dt in `multiplier`.
void push_on_samples(const Exec&, const SampleSystem&, Span<const Real> multiplier,
                     Span<Row4> force);

}  // namespace rtsim::sph_bodin
