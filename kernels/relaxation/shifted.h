#pragma once
#include "sph/pairs.h"

namespace rtsim::relaxation {

// x_ij of rows that were found at the predicted positions and have moved since by (x, y, z) of
// their motion rows. The pairs stay those of the prediction, so lists and cells see the same ones.
template <class F, class V, class U>
[[gnu::always_inline]] RTSIM_HD inline sph::Separation<F> shifted(const sph::Separation<F>& d,
                                                                  const V& own, const U& other) {
  const F x = d.x + (F(own.x) - other.x), y = d.y + (F(own.y) - other.y),
          z = d.z + (F(own.z) - other.z);
  return {x, y, z, fma(z, z, fma(y, y, x * x))};
}

}  // namespace rtsim::relaxation
