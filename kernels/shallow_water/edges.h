#pragma once
#include <cmath>

#include "shallow_water/flow.h"

namespace rtsim::shallow_water {

enum class EdgeType { reflecting, outflow, inflow, level, absorbing, periodic };

// One side of the domain. Cells along it in [first, last) have its type, the others reflect.
struct Edge {
  EdgeType type = EdgeType::reflecting;
  Index first = 0, last = 0;
  Real discharge = 0;          // of inflow, per metre of edge [m^2/s]
  Real level = 0;              // of level: height of the water outside [m]
  const Real* rest = nullptr;  // of absorbing: depth of the water outside at the first cell [m],
  Index stride = 0;            // and how far on the next cell's is
};

// The cell beyond an edge: velocity n into the domain, t along the edge.
struct Beyond {
  Real h, b, n, t;
};

// Depth of water that flows in with q per metre against water with the outgoing invariant
// r = n - 2 c: q / h - 2 sqrt(g h) = r, for c = sqrt(g h) by Newton's method from below, which
// never overshoots as f is convex.
RTSIM_HD inline Real inflow_depth(Real q, Real r, Real g) {
  const Real qg = q * g;
  Real c = r > 0 ? min(std::cbrt(qg / 4), std::sqrt(qg / (2 * r))) : std::cbrt(qg / 2);
  if (r < 0) c = max(c, -r / 2);
  for (int k = 0; k < 12; ++k) {
    const Real f = qg / (c * c) - 2 * c - r;
    c += f / (2 * qg / (c * c * c) + 2);
  }
  return c * c / g;
}

// The state that has the outgoing invariant n - 2 c of the cell at the edge, and a wave speed
// changed by dc.
RTSIM_HD inline Beyond along_characteristic(const Beyond& inner, Real c, Real dc, Real g) {
  return {std::fma(dc / g, 2 * c + dc, inner.h), inner.b, inner.n + 2 * dc, inner.t};
}

// Ghost cells by the invariants of characteristics (Toro 2001, sec. 2.4): a wave that leaves takes
// n - 2 c with it, one that comes in carries n + 2 c of the water outside. For small waves on still
// water that is the first-order condition of Higdon, "Radiation boundary conditions for dispersive
// waves", SIAM J. Numer. Anal. 31, 1994, which reflects (1 - cos a) / (1 + cos a) at an angle a.
// `inner` is the cell at the edge, `mirror` the one as far inside as this one is outside; both with
// n into the domain. `j` is the place along the edge.
RTSIM_HD inline Beyond beyond(const Edge& e, Index j, const Beyond& inner, const Beyond& mirror,
                              Real g) {
  const EdgeType type = j >= e.first && j < e.last ? e.type : EdgeType::reflecting;
  if (type == EdgeType::reflecting || (type == EdgeType::inflow && !(e.discharge > 0)))
    return {mirror.h, mirror.b, -mirror.n, mirror.t};
  const Real c = std::sqrt(g * inner.h);
  if (type == EdgeType::inflow) {
    const bool torrent = inner.n > c;  // no wave comes back to the edge: critical flow
    const Real h = torrent ? std::cbrt(e.discharge * e.discharge / g)
                           : inflow_depth(e.discharge, inner.n - 2 * c, g);
    return {h, inner.b, e.discharge / h, 0};
  }
  if (type == EdgeType::outflow) return {inner.h, inner.b, min(inner.n, 0), inner.t};
  if (-inner.n > c) return inner;  // all waves leave
  if (type == EdgeType::level) {
    const Real h = max(0, e.level - inner.b);
    return {h, inner.b, inner.n + 2 * (std::sqrt(g * h) - c), inner.t};
  }
  const Real rest = std::sqrt(g * e.rest[j * e.stride]);
  return along_characteristic(inner, c, Real(0.25) * (2 * (rest - c) - inner.n), g);
}

}  // namespace rtsim::shallow_water
