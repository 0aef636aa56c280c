#pragma once
#include "block_cg/isotropic.h"
#include "block_cg/levels.h"
#include "block_cg/mat3.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "lanes/row4.h"

// Symmetric matrices of 3 x 3 blocks whose rows sum to the inertia of their point: what forces
// between points give.
namespace rtsim::block_cg {

// N_ij = -A_ij of a block of each of eight consecutive rows, and j. Lane l is of row 8 s + l of
// slice s; where that row has no more blocks, j is the row itself and the block zero.
struct BlockSlot {
  Index other[lane_count];
  Real n[9][lane_count];  // [kg], by rows

  RTSIM_HD Mat3<Real> operator[](Index l) const {
    Mat3<Real> m;
    for (int a = 0; a < 9; ++a) m.row[a / 3][a % 3] = n[a][l];
    return m;
  }
  RTSIM_HD void set(Index l, const Mat3<Real>& m) {
    for (int a = 0; a < 9; ++a) n[a][l] = m.row[a / 3][a % 3];
  }
};

// The blocks of slice s are slots first[s] to first[s + 1] - 1. Rows fill up whole slices.
struct BlockMatrix {
  Span<const Index> first;
  Span<const BlockSlot> blocks;
  Span<const Real> inertia;  // [kg], 0 of rows behind the last
  Isotropic more;            // of other columns
};

RTSIM_HD inline Mat3<Real> diagonal_block(const BlockMatrix& A, Index i) {
  Mat3<Real> sum = diagonal(A.inertia[i] + A.more.diagonal(i));
  for (Index e = A.first[i / lane_count]; e < A.first[i / lane_count + 1]; ++e)
    sum = sum + A.blocks[e][i % lane_count];
  return sum;
}

// q_i = inertia_i p_i + sum_j N_ij (p_i - p_j) and so on: differences, so that what all points
// share does not round. Returns p . q.
double multiply(const Exec&, const BlockMatrix&, Span<const Row4> p, Span<Row4> q);

void sum_outside(const Exec&, const BlockMatrix&, const Outside&);

}  // namespace rtsim::block_cg
