#pragma once
#include "neighbours/cell_grid.h"

// Sums over neighbour pairs. A pass is the law of one such sum, written once; pair_cells.h walks it
// over cells, one neighbour at a time, on any backend, and pair_lanes.h over lists, eight
// neighbours at a time, on the CPU. A pass P has
//
//   static constexpr int sums;                      how many numbers it adds up
//   Self self(i, p, v)                              what it keeps of row i, with its rows p and v
//   fluid<F>(self, separation, q, u, F* s)          adds neighbour j, with its rows q and u
//   wall<F>(self, separation, q, u, F* s)           adds boundary sample b
//   store(i, self, const Real* s)                   writes to row i, and to it alone
//   bool idle(i)                                    if it has one: row i is passed over
//   static constexpr bool greatest                  if it has one: it keeps the greatest, from 0
//   on,
//                                                   in place of sums
//
// A pass that has `static constexpr Gradients gradients` takes medium.gradient(r2) of a fluid
// neighbour as an argument g after self: a root and a division that the lists' passes share.
//
// F is Real or Lanes<Real>; q and u are Row4 or Lanes4. Neighbours beyond the support may be met:
// kernels vanish there.
namespace rtsim::sph {

// Whether a pass leaves its gradients beside the lists, or reads those that one has left there.
enum class Gradients { left, read };
template <class Pass>
constexpr bool by_gradient = requires {
  Pass::gradients;
};

template <class Pass>
[[gnu::always_inline]] RTSIM_HD inline bool idle(const Pass& pass, Index i) {
  if constexpr (requires { pass.idle(i); })
    return pass.idle(i);
  else
    return (void)pass, (void)i, false;
}

// A set of rows in cell order. Both arrays end in far dummies. What the fourth numbers are is the
// pass's affair.
struct PairRows {
  CellRows cells;           // (x, y, z, .)
  Span<const Row4> motion;  // (u, v, w, .)
};

// x_ij = x_i - x_j, and its square; of the nearest images.
template <class F>
struct Separation {
  F x, y, z, r2;
};

template <class F, class P, class Q>
[[gnu::always_inline]] RTSIM_HD inline Separation<F> separation(const P& p, const Q& q,
                                                                const PeriodicBox& images) {
  F x = F(p.x) - q.x, y = F(p.y) - q.y, z = F(p.z) - q.z;
  if (images.any) images.bring(x, y, z);
  return {x, y, z, fma(z, z, fma(y, y, x * x))};
}

// (v_i - v_j) . x_ij
template <class F, class V, class U>
[[gnu::always_inline]] RTSIM_HD inline F approach(const Separation<F>& s, const V& v, const U& u) {
  return fma(s.z, F(v.z) - u.z, fma(s.y, F(v.y) - u.y, s.x * (F(v.x) - u.x)));
}

}  // namespace rtsim::sph
