#pragma once
#include "neighbours/cell_grid.h"

namespace rtsim::sph_bodin {

// All four columns at once, which a compiler turns into one instruction.
RTSIM_HD inline Row4 fma(const Row4& a, const Row4& b, const Row4& c) {
  return {rtsim::fma(a.x, b.x, c.x), rtsim::fma(a.y, b.y, c.y), rtsim::fma(a.z, b.z, c.z),
          rtsim::fma(a.w, b.w, c.w)};
}
RTSIM_HD inline Row4 all(Real a) { return {a, a, a, a}; }
RTSIM_HD inline Real dot3(const Row4& a, const Row4& b) {
  return rtsim::fma(a.x, b.x, rtsim::fma(a.y, b.y, a.z * b.z));
}

}  // namespace rtsim::sph_bodin
