#pragma once
#include "block_cg/block_matrix.h"

// A coarse space for solves of solids: groups of some dozens of neighbouring points that move as
// rigid bodies, six unknowns each. Preconditioners of single points know nothing of bending, which
// takes them iterations as many as points lie along a beam; with
//   P = P_points + S Z (Z^T S A S Z)^-1 Z^T S,
// Z the rigid motions of the groups, they count points of a group (Nicolaides, "Deflation of
// Conjugate Gradients with Applications to Boundary Value Problems", SIAM J. Numer. Anal. 1987, for
// piecewise constants; rigid motions as in smoothed aggregation, Vanek, Mandel & Brezina 1996).
namespace rtsim::fem {

// Point i of group g moves by t + w x (x_i - c), its column k of Z being e_k or e_k x (x_i - c).
struct RigidGroups {
  Span<const Index> first, member;  // the points of each group
  Span<const Index> group;          // of each point, filled up to slices of eight as `arm`
  Span<const Row4> arm;             // x_i - c
  Span<const Row4> filter;          // S, see block_cg::Levels
};

// x_i - c, with c the mean place of a group.
void find_arms(const Exec&, const RigidGroups&, Span<const Row4> position, Span<Row4> arm);

using Block6 = VecT<double, 36>;  // by rows

// The blocks of groups that points join: `to` of block (e, l) is the place in `blocks` that it
// adds to, all of them in the row of its group.
struct CoarseAssembly {
  RigidGroups groups;
  block_cg::BlockMatrix A;
  Span<const Index> to;
  Span<const Index> own;  // of each group: its block with itself
  Span<const Index> row;  // its first block, and one more
  Span<Block6> blocks;
};
void assemble_coarse(const Exec&, const CoarseAssembly&);

using Six = VecT<double, 6>;
// Z^T S r
void restrict_to(const Exec&, const RigidGroups&, Span<const Row4> r, Span<Six> to);
// q += S Z x; returns r . S Z x.
double prolongate(const Exec&, const RigidGroups&, Span<const Six> x, Span<const Row4> r,
                  Span<Row4> q);

// Eight points at once, for the CPU.
void restrict_lanes(const Exec&, const RigidGroups&, Span<const Row4> r, Span<Six> to);
double prolongate_lanes(const Exec&, const RigidGroups&, Span<const Six> x, Span<const Row4> r,
                        Span<Row4> q);

}  // namespace rtsim::fem
