#pragma once
#include "clouds/moist_air.h"
#include "exec/exec.h"
#include "mac/lattice.h"

namespace rtsim::clouds {

// The still air outside, by layers of cells along y.
struct Ambient {
  Span<const Real> pressure;     // [Pa]
  Span<const Real> exner;        // [1]
  Span<const Real> temperature;  // potential [K]
  Span<const Real> vapour;       // [kg/kg]
};

// Rows of the cells.
struct Air {
  Span<Real> temperature;  // potential [K]
  Span<Real> vapour;       // [kg/kg]
  Span<Real> cloud;        // [kg/kg]
};

// Brings each cell to saturation or to no cloud.
void condense(const Exec&, const mac::Domain&, const Ambient&, const Air&);

// What lifts the cells, in parts of gravity.
void find_lift(const Exec&, const mac::Domain&, const Ambient&, const Air&, Span<Real> out);

struct Extent {
  Index low = -1, high = -1;  // layers along y; -1: no cloud
};
// Where there is more cloud than `least`.
Extent extent(const Exec&, const mac::Domain&, Span<const Real> cloud, Real least);

}  // namespace rtsim::clouds
