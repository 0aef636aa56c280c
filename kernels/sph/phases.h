#pragma once
#include "lanes/row4.h"

namespace rtsim::sph {

// Fluids of different density and viscosity in one set of rows, after Solenthaler & Pajarola,
// "Density Contrast SPH Interfaces", SCA 2008. Rows of all of them have the same volume at rest,
// V0 = m_i / rho0_i, and densities count them: rho_i / rho0_i = V0 sum_j W_ij (their eq. 5 to 7).
// So every sum is that of a fluid of the first one's mass m and rest density rho0, and only where
// such a force becomes an acceleration the row's own mass matters, m_i = m s_i, s_i = rho0_i /
// rho0.
//
// Motion rows carry in their fourth numbers which phase a row is: 0, 1, ...
struct Phases {
  static constexpr int most = 8;
  int count = 1;  // one: rows are alike, and motion rows carry what they like
  Real density[most] = {1}, inv_density[most] = {1};  // s and 1 / s

  RTSIM_HD bool mixed() const { return count > 1; }
  RTSIM_HD static int of(Real phase) { return int(phase); }

  // The value of a neighbour's phase.
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F pick(const Real* values, F phase) const {
    F v(values[0]);
    for (int p = 1; p < count; ++p) v = select_less(phase, F(Real(p) - Real(0.5)), v, F(values[p]));
    return v;
  }
};

// What a pair of phases has in common.
struct PhaseTable {
  Real of[Phases::most][Phases::most] = {};
};

}  // namespace rtsim::sph
