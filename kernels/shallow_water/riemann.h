#pragma once
#include "shallow_water/flow.h"

namespace rtsim::shallow_water {

// Water on one side of a face: depth h, height w of the surface [m], velocity n across the face and
// t along it [m/s]; c the speed of waves in the cell on that side.
template <class T>
struct Side {
  T h, w, n, t, c;
};

// What goes through a face per second and metre: mass over density [m^2/s] and momentum over
// density [m^3/s^2]. Momentum across is given less the hydrostatic pressure of the cell below and
// of the cell above, so that nothing large cancels in water at rest.
template <class T>
struct Flux {
  T mass, below, above, along;
};

// F = F_l + c (F_r - F_l) - c s_r (U_r - U_l), c = -s_l / (s_r - s_l), s_l <= 0 <= s_r: Harten, Lax
// & van Leer, "On upstream differencing and Godunov-type schemes", SIAM Review 25, 1983, eq. 3.3,
// with the speeds of Kurganov, Noelle & Petrova, SIAM J. Sci. Comput. 23, 2001, eq. 2.22.
// Equal sides give F_l and mirrored sides no mass. Mass is written as what leaves either side,
//   (s_r h_l (n_l - s_l) + s_l h_r (s_r - n_r)) / (s_r - s_l),
// each in proportion to its own depth: else what rounds in the flow of deep water would drain a
// film beside it below nothing.
//
// Over a step of the ground only the water above it meets: with d = w_l - w_r
//   h_l* = min(h_l, max(0, h_r + d)),  h_r* = min(h_r, max(0, h_l - d)),
// which is the hydrostatic reconstruction of Audusse et al., "A fast and stable well-balanced
// scheme with hydrostatic reconstruction for shallow water flows", SIAM J. Sci. Comput. 25, 2004,
// eq. 2.12, written without the height of the ground: a level surface (d = 0) gives equal depths to
// the last bit, and none is above its own. Where water falls off an edge the cell above feels the
// whole fall, g h (w_below - b): Chen & Noelle, "A new hydrostatic reconstruction scheme based on
// subcell reconstructions", SIAM J. Numer. Anal. 55, 2017, eqs. 2.12-2.16.
//
// Momentum along the face goes with the mass (HLLC: Toro, "Shock-Capturing Methods for Free-Surface
// Shallow Flows", 2001, sec. 10.4).
template <class T>
RTSIM_HD inline Flux<T> hll(const Side<T>& l, const Side<T>& r, T g) {
  const T none = T(0), half_g = T(Real(0.5)) * g;
  const T s_l = min(min(l.n - l.c, r.n - r.c), none), s_r = max(max(l.n + l.c, r.n + r.c), none);
  // Over a dry bed both speeds are zero, and so is all that `share` = -c multiplies.
  const T over = T(Real(1)) / max(s_r - s_l, T(Real(1e-30)));
  const T share = s_l * over, spread = share * s_r;
  const T d = l.w - r.w, over_l = r.h + d, over_r = l.h - d;
  const T h_l = min(l.h, max(over_l, none)), h_r = min(r.h, max(over_r, none));
  const T q_l = h_l * l.n, q_r = h_r * r.n, dh = h_r - h_l, dq = q_l - q_r;
  const T dp = half_g * dh * (h_l + h_r);
  const T m_l = q_l * l.n, dm = fnma(q_r, r.n, m_l - dp);
  const T mass = fma(s_r * over * h_l, l.n - s_l, share * h_r * (s_r - r.n));
  const T across = fma(share, dm, fnma(spread, dq, m_l));
  return {mass, fma(half_g * (h_l + l.h), min(over_r, none), across),
          fma(half_g * (h_r + r.h), min(over_l, none), across - dp),
          mass * select_negative(mass, r.t, l.t)};
}

}  // namespace rtsim::shallow_water
