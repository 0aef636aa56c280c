#pragma once
#include <cstdint>

#include "lanes/row4.h"
#include "lbm/lattice.h"

namespace rtsim::lbm {

// Collision in lattice units (cells and steps are 1, the density at rest is 1, sound is 1/sqrt 3),
// with populations as differences from rest times a scale s: g_i = s (f_i - w_i).
template <int D>
struct Law {
  Real viscosity = 0;  // nu
  Real even = 1;   // omega+, relaxes the symmetric part of a pair of directions: 1 / (3 nu + 1/2)
  Real odd = 1;    // omega-, relaxes the antisymmetric part
  Real magic = 0;  // Lambda = (1/omega+ - 1/2)(1/omega- - 1/2); 0: BGK, one rate
  Real eddy = 0;   // 18 C^2 / s, C of Smagorinsky; 0: none
  Real quadratic = 1;      // 1 / s
  Real force[D] = {};      // s F, on each cell
  std::uint32_t step = 0;  // of the lattice: how 16 bits round (storage.h)
};

// Density less 1 and velocity at the middle of the step, both times s.
template <int D, class T>
struct Moments {
  T density;
  T u[D];
};

// rho = sum f_i, u = sum c_i f_i + F/2: He & Luo, "Lattice Boltzmann Model for the Incompressible
// Navier-Stokes Equation", J. Stat. Phys. 88, 1997; the half of the force after Guo, Zheng & Shi,
// "Discrete lattice effects on the forcing term in the lattice Boltzmann method", Phys. Rev. E 65,
// 2002, eq. 4. even[p], odd[p]: sum and difference of a pair; push: 1/2 before a collision, -1/2
// after it.
template <int D, bool forced, class T, int pairs = Lattice<D>::pairs>
RTSIM_HD inline Moments<D, T> moments(const Law<D>& law, const T& rest, const T (&even)[pairs],
                                      const T (&odd)[pairs], Real push) {
  Moments<D, T> m;
  if constexpr (D == 2)
    m.density = (rest + (even[0] + even[1])) + (even[2] + even[3]);
  else
    m.density = ((rest + even[0]) + (even[1] + even[2])) +
                (((even[3] + even[4]) + (even[5] + even[6])) + (even[7] + even[8]));
  unrolled<D>([&](auto a) {
    m.u[a] = odd[a] + sum_along<D, a>(odd);
    if constexpr (forced) m.u[a] = m.u[a] + T(push * law.force[a]);
  });
  return m;
}

// The rates of one cell. Smagorinsky's eddy viscosity from the stress of the cell's own
// populations, Pi_ab = sum c_a c_b (f_i - f_i^eq): Hou et al., "A Lattice Boltzmann Subgrid Model
// for High Reynolds Number Flow", 1996; Thuerey, "Real Time Physics" class notes, SIGGRAPH 2008,
// eq. 10.8-10.10:
//   S = (sqrt(nu^2 + 18 C^2 sqrt(Pi_ab Pi_ab)) - nu) / (6 C^2),  1/omega+ = 3 (nu + C^2 S) + 1/2
template <class T>
struct Rates {
  T even, odd;
};
template <int D, class T, int pairs = Lattice<D>::pairs>
RTSIM_HD inline Rates<T> eddy_rates(const Law<D>& law, const T (&excess)[pairs]) {
  T diagonal[D], square = T(0);
  unrolled<D>([&](auto a) {
    diagonal[a] = excess[a] + sum_across<D, a>(excess);
    square = fma(diagonal[a], diagonal[a], square);
  });
  unrolled<D>([&](auto a) {
    unrolled<D>([&](auto b) {
      if constexpr (b > a) {
        const T shear = sum_sheared<D, a, b>(excess);
        square = fma(T(2) * shear, shear, square);
      }
    });
  });
  const T nu = T(law.viscosity);
  const T less_half = fma(T(Real(0.5)), root(fma(T(law.eddy), root(square), nu * nu)),
                          T(Real(2.5)) * nu);  // 1/omega+ - 1/2
  const T magic = law.magic > 0 ? T(law.magic) : less_half * less_half;
  return {T(1) / (less_half + T(Real(0.5))), less_half / fma(T(Real(0.5)), less_half, magic)};
}

// One collision; plus[p] and minus[p] come in from -c and c, and leave along c and -c. What a pair
// shares and what tells it apart relax each on their own, by halves of their sum and difference.
// Equilibrium of He & Luo, f_i = w_i (rho + 3 c.u + 9/2 (c.u)^2 - 3/2 u^2), in which density enters
// pressure alone. Two relaxation times: Ginzburg, Verhaeghe & d'Humieres, "Two-relaxation-time
// Lattice Boltzmann scheme", Commun. Comput. Phys. 3, 2008. Force of Guo et al., eq. 20, w_i (3 (c
// - u) + 9 (c.u) c).F, its even and odd part each times 1 - omega/2.
template <int D, bool forced, bool eddy, class T, int pairs = Lattice<D>::pairs>
RTSIM_HD inline Moments<D, T> collide(const Law<D>& law, T& rest, T (&plus)[pairs],
                                      T (&minus)[pairs]) {
  using L = Lattice<D>;
  const T half(Real(0.5));
  T even[pairs], odd[pairs], cu[pairs];
  unrolled<pairs>([&](auto p) {
    even[p] = plus[p] + minus[p];
    odd[p] = plus[p] - minus[p];
  });
  const Moments<D, T> m = moments<D, forced>(law, rest, even, odd, Real(0.5));

  T square = m.u[0] * m.u[0];
  unrolled<D - 1>([&](auto a) { square = fma(m.u[a + 1], m.u[a + 1], square); });
  const T level = fnma(T(Real(1.5) * law.quadratic), square, m.density);
  unrolled<pairs>([&](auto p) { cu[p] = dot_pair<D, p>(m.u); });
  // Of a pair along an axis, and of one across a diagonal, times 2.
  const T flat[2] = {T(2 * L::weight(0)) * level, T(2 * L::weight(D)) * level};
  const T curve[2] = {T(9 * L::weight(0) * law.quadratic), T(9 * L::weight(D) * law.quadratic)};

  Rates<T> rates{T(law.even), T(law.odd)};
  if constexpr (eddy) {
    T excess[pairs];
    unrolled<pairs>(
        [&](auto p) { excess[p] = even[p] - fma(curve[p >= D] * cu[p], cu[p], flat[p >= D]); });
    rates = eddy_rates<D>(law, excess);
    const T half_rate = half * rates.even;
    unrolled<pairs>([&](auto p) { even[p] = fnma(half_rate, excess[p], half * even[p]); });
  } else {
    const T half_rate = half * rates.even, kept = half - half_rate;
    const T flats[2] = {half_rate * flat[0], half_rate * flat[1]};
    const T curves[2] = {half_rate * curve[0], half_rate * curve[1]};
    unrolled<pairs>([&](auto p) {
      even[p] = fma(kept, even[p], fma(curves[p >= D] * cu[p], cu[p], flats[p >= D]));
    });
  }

  rest = fnma(rates.even, rest - T(L::rest_weight) * level, rest);
  T uf = T(0), share = T(0), share_odd = T(0);
  if constexpr (forced) {
    unrolled<D>([&](auto a) { uf = fma(m.u[a], T(law.force[a]), uf); });
    share = fma(T(Real(-0.5)), rates.even, T(1)) * T(law.quadratic);
    share_odd = fma(T(Real(-0.5)), rates.odd, T(1));
    rest = rest - share * (T(3 * L::rest_weight) * uf);
  }
  const T kept_odd = fnma(half, rates.odd, half);
  const T lean[2] = {T(3 * L::weight(0)) * rates.odd, T(3 * L::weight(D)) * rates.odd};
  unrolled<pairs>([&](auto p) {
    T shared = even[p], apart = fma(kept_odd, odd[p], lean[p >= D] * cu[p]);
    if constexpr (forced) {
      constexpr Real w = L::weight(p);
      const Real cf = dot_pair<D, p>(law.force);
      shared = shared + share * (T(w) * (T(9 * cf) * cu[p] - T(3) * uf));
      apart = apart + share_odd * T(3 * w * cf);
    }
    plus[p] = shared + apart;
    minus[p] = shared - apart;
  });
  return m;
}

// The equilibrium of moments m, alone.
template <int D, class T, int pairs = Lattice<D>::pairs>
RTSIM_HD inline void equilibrium(const Law<D>& law, const Moments<D, T>& m, T& rest,
                                 T (&plus)[pairs], T (&minus)[pairs]) {
  using L = Lattice<D>;
  T square = T(0);
  for (int a = 0; a < D; ++a) square = square + m.u[a] * m.u[a];
  const T level = m.density - T(Real(1.5) * law.quadratic) * square;
  rest = T(L::rest_weight) * level;
  unrolled<pairs>([&](auto p) {
    const T cu = dot_pair<D, p>(m.u);
    const T even = T(L::weight(p)) * (level + T(Real(4.5) * law.quadratic) * cu * cu);
    const T odd = T(3 * L::weight(p)) * cu;
    plus[p] = even + odd, minus[p] = even - odd;
  });
}

}  // namespace rtsim::lbm
