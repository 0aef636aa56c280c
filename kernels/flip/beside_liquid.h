#pragma once
#include "flip/flip.h"

namespace rtsim::flip {

// Whether a cell on either side of face (i, j, k) of an axis is liquid: its `surface` is below
// zero.
RTSIM_HD inline bool beside_liquid(const mac::Domain& domain, int axis, const Real* surface,
                                   Index i, Index j, Index k) {
  const Index n = domain.cells[axis];
  for (Index side = 0; side < 2; ++side) {
    Index at[3] = {i, j, k};
    at[axis] -= side;
    if (at[axis] < 0 || at[axis] >= n) {
      if (!domain.periodic(axis)) continue;
      at[axis] += at[axis] < 0 ? n : -n;
    }
    if (surface[domain.row(mac::centres, at[0], at[1], at[2])] < 0) return true;
  }
  return false;
}

}  // namespace rtsim::flip
