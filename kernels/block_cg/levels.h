#pragma once
#include <cstdint>

#include "block_cg/sym3.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "lanes/row4.h"

// A multilevel preconditioner: points form groups of some eight neighbours, those form larger ones,
// and so on, and every group solves with the inverse of its own block, as if it moved as one. R_l
// restricts residuals to the groups of level l, and its transpose prolongates their corrections
// (Bramble, Pasciak & Xu, "Parallel Multilevel Preconditioners", Mathematics of Computation 1990,
// with Galerkin's matrices of sums over groups in place of coarser meshes; Wu, Wang & Wang,
// "GPU-based Multilevel Additive Schwarz Preconditioner for Cloth and Deformable Body Simulation",
// SIGGRAPH 2022):
//   P = S (D^-1 + sum_l R_l^T D_l^-1 R_l) S.
namespace rtsim::block_cg {

constexpr int most_levels = 8;

// Groups of all levels one after the other, first those of points. Level l is groups start[l] to
// start[l + 1] - 1, whose children are points, or groups of the level before.
struct Levels {
  int size = 0;  // number of levels; none: no groups
  Index start[most_levels + 1] = {};
  Span<const Index> point_parent, parent;  // of points, filled up to slices, and of groups, or -1
  Span<const Index> first_child, child;
  // S of each point: v -> w (v - n (n . v)), with w 0 where it is held and 1 elsewhere.
  Span<const Row4> filter;
  Span<Sym3> inverse;  // D_l^-1
  Span<Row4> r, z;     // scratch of each group
};

RTSIM_HD inline Vec<3> filtered(const Row4& s, const Row4& v) {
  const Real along = s.x * v.x + s.y * v.y + s.z * v.z;
  return {{s.w * (v.x - along * s.x), s.w * (v.y - along * s.y), s.w * (v.z - along * s.z)}};
}

// What joins each point to others that are in another group up to a level and no further, a sum of
// blocks for each point and level: `apart` of a lane of a slot is the number of levels.
struct Outside {
  int levels;
  Span<const std::uint8_t> blocks, more;  // apart
  Span<const Row4> filter;
  Span<Sym3> sums;  // of point i and level l at levels i + l

  // Points that are held are outside of every group.
  RTSIM_HD int apart(const std::uint8_t& known, Index other) const {
    return filter[other].w > 0 ? int(known) : levels;
  }
};

// D_l^-1 of all groups, from the sums of points and what else is on their diagonals.
void invert(const Exec&, const Levels&, Span<const Real> inertia, Span<const Sym3> outside,
            Span<Sym3> group_outside, Span<Real> group_inertia);

// The corrections z = D_l^-1 R_l r of groups, each with those of the groups that contain it.
void correct_groups(const Exec&, const Levels&, Span<const Row4> r);

}  // namespace rtsim::block_cg
