#pragma once
#include "block_cg/block_matrix.h"
#include "fem/coarse_levels.h"

// A coarse space for solves of solids: groups of some dozens of neighbouring points that move as
// rigid bodies, six unknowns each. Preconditioners of single points know nothing of bending, which
// takes them iterations as many as points lie along a beam; with
//   P = P_points + S Z B Z^T S,  B near (Z^T S A S Z)^-1 (coarse_levels.h),
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
void find_arms(const Exec&, const RigidGroups&, Span<const Row4> position, Span<Row4> arm,
               Span<Vec3d> place);

// Z^T S A S Z. Its block b is the sum of -Y_i^T N_ij Y_j, Y_i = S_i Z_i, of points i = point[e] and
// lanes l = part[e] % 8 of slots part[e] / 8, e from first[b] to first[b + 1] - 1.
struct CoarseAssembly {
  RigidGroups groups;
  block_cg::BlockMatrix A;
  Span<const Index> first, part, point;
  GroupMatrix to;
};
void assemble(const Exec&, const CoarseAssembly&);

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
