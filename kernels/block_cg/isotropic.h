#pragma once
#include "block_cg/levels.h"

// What forces that are linear in the places, alike in all directions, add to a matrix: blocks scale
// n_ij I, numbers once for all.
namespace rtsim::block_cg {

// n_ij of each of eight consecutive rows, and j, as BlockSlot has them.
struct IsotropicSlot {
  Index other[lane_count];
  Real n[lane_count];
};

// Of slice s slots first[s] to first[s + 1] - 1; `first` may be empty.
struct Isotropic {
  Span<const Index> first;
  Span<const IsotropicSlot> slots;
  Real scale;

  RTSIM_HD bool any() const { return first.size > 0; }

  // scale sum_j n_ij, of row i
  RTSIM_HD Real diagonal(Index i) const {
    Real sum = 0;
    if (any())
      for (Index e = first[i / lane_count]; e < first[i / lane_count + 1]; ++e)
        sum += slots[e].n[i % lane_count];
    return scale * sum;
  }
  // scale sum_j n_ij (p_i - p_j)
  RTSIM_HD Vec<3> product(Index i, Span<const Row4> p) const {
    Vec<3> sum{};
    if (!any()) return sum;
    const Row4 a = p[i];
    const Index l = i % lane_count;
    for (Index e = first[i / lane_count]; e < first[i / lane_count + 1]; ++e) {
      const Row4 b = p[slots[e].other[l]];
      sum = sum + slots[e].n[l] * Vec<3>{{a.x - b.x, a.y - b.y, a.z - b.z}};
    }
    return scale * sum;
  }
};

// Of point i.
RTSIM_HD inline void add_outside(const Isotropic& A, const Outside& k, Index i, Sym3* sums) {
  if (!A.any()) return;
  const Index l = i % lane_count, s = i / lane_count;
  for (Index e = A.first[s]; e < A.first[s + 1]; ++e) {
    const int apart = k.apart(k.more[e * lane_count + l], A.slots[e].other[l]);
    const Real n = A.scale * A.slots[e].n[l];
    if (apart > 0) sums[apart - 1] = sums[apart - 1] + Sym3{n, n, n, 0, 0, 0};
  }
}

}  // namespace rtsim::block_cg
