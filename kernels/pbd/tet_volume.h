#pragma once
#include "pbd/projection.h"

namespace rtsim::pbd {

// C = V - V0 of a tetrahedron, V = (x1 - x0) x (x2 - x0) . (x3 - x0) / 6 (Bender, Müller, Otaduy,
// Teschner & Macklin, "A Survey on Position-Based Simulation Methods in Computer Graphics", CGF
// 2014, eq. 14). Compliance V0 times the compressibility [1/Pa], so that E = V0/2 (V/V0 - 1)^2 /
// it.
struct TetVolume {
  static constexpr int corners = 4, numbers = 1, multipliers = 1;
  static constexpr bool lanes = true, alike = false;
  Softness soft;  // times V0

  template <class T>
  RTSIM_HD void project(const Point<T>* p, const T* rest, T* lambda, Arrow<T>* shift) const {
    const Arrow<T> a = p[1] - p[0], b = p[2] - p[0], c = p[3] - p[0];
    const T sixth = T(Real(1) / 6), compliance = T(soft.a) * rest[0];
    Arrow<T> g[4];
    g[1] = sixth * cross(b, c), g[2] = sixth * cross(c, a), g[3] = sixth * cross(a, b);
    g[0] = T(-1) * (g[1] + g[2] + g[3]);
    const T violation = T(soft.share) * (dot(g[1], a) - rest[0]);
    T divisor = compliance;
    for (int i = 0; i < 4; ++i) divisor = fma(p[i].w, dot(g[i], g[i]), divisor);
    const T step = divided(T(0) - fma(compliance, lambda[0], violation), divisor);
    for (int i = 0; i < 4; ++i) shift[i] = (step * p[i].w) * g[i];
    lambda[0] = lambda[0] + step;
  }
};

}  // namespace rtsim::pbd
