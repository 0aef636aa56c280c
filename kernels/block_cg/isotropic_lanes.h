#pragma once
#include "block_cg/isotropic.h"
#include "lanes/lanes.h"

namespace rtsim::block_cg {

// Adds Isotropic::product of the eight rows of a slice, where they are p_i.
inline void add_isotropic(const Isotropic& A, Index slice, const Row4* p, const Lanes4<Real>& p_i,
                          Lanes<Real>& x, Lanes<Real>& y, Lanes<Real>& z) {
  using L = Lanes<Real>;
  if (!A.any()) return;
  L sx(0), sy(0), sz(0);
  for (Index e = A.first[slice]; e < A.first[slice + 1]; ++e) {
    const IsotropicSlot& k = A.slots[e];
    const Lanes4<Real> p_j = load_rows(p, k.other);
    const L n = L::load(k.n);
    sx = fma(n, p_i.x - p_j.x, sx), sy = fma(n, p_i.y - p_j.y, sy), sz = fma(n, p_i.z - p_j.z, sz);
  }
  const L scale(A.scale);
  x = fma(scale, sx, x), y = fma(scale, sy, y), z = fma(scale, sz, z);
}

}  // namespace rtsim::block_cg
