#pragma once
#include "pbd/projection.h"

namespace rtsim::pbd {

// C = |x1 - x0| - L of an edge of rest length L (Müller et al. 2006, sec. 3.3). Compliance in m/N.
struct Distance {
  static constexpr int corners = 2, numbers = 1, multipliers = 1;
  static constexpr bool lanes = true, alike = false;
  Softness soft;

  // Shifts of the points; adds to the multiplier.
  template <class T>
  RTSIM_HD void project(const Point<T>* p, const T* rest, T* lambda, Arrow<T>* shift) const {
    const Arrow<T> e = p[1] - p[0];
    const T length = root(dot(e, e)), a = T(soft.a);
    const T violation = fma(a, lambda[0], T(soft.share) * (length - rest[0]));
    const T scale = divided(violation, (p[0].w + p[1].w + a) * length);  // -d_lambda / length
    shift[0] = (scale * p[0].w) * e;
    shift[1] = (T(0) - scale * p[1].w) * e;
    lambda[0] = lambda[0] - scale * length;
  }
};

}  // namespace rtsim::pbd
