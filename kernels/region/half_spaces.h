#pragma once
#include "base/vec.h"

namespace rtsim::region {

// The half-spaces n . x < offset [m]; without any, everything.
struct HalfSpaces {
  int count = 0;
  Vec<3> normal[6];
  Real offset[6]{};

  // Both are false of a position that is not finite.
  template <int D>
  RTSIM_HD bool inside(const Vec<D>& x) const {
    for (int k = 0; k < count; ++k)
      if (!(along(k, x) < offset[k])) return false;
    return true;
  }
  template <int D>
  RTSIM_HD bool beyond(const Vec<D>& x) const {
    for (int k = 0; k < count; ++k)
      if (along(k, x) >= offset[k]) return true;
    return false;
  }

 private:
  template <int D>
  RTSIM_HD Real along(int k, const Vec<D>& x) const {
    Real sum = 0;
    for (int a = 0; a < D; ++a) sum += normal[k][a] * x[a];
    return sum;
  }
};

}  // namespace rtsim::region
