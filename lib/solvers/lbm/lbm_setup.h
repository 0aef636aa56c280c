#pragma once
#include "solvers/lbm/lbm.h"
#include "solvers/lbm/lbm_units.h"

namespace rtsim {

// Pressure and velocity at the start, in solids too.
template <int D>
void lbm_start_fields(const LbmParams&, const GridShape&, Table& cells, const Exec&);

// [m/s], the greatest of the start, or more.
double lbm_start_speed(const LbmParams&);

// In lattice units times `scale`.
template <int D>
lbm::Law<D> lbm_law(const LbmParams&, const LbmUnits&, double scale);

}  // namespace rtsim
