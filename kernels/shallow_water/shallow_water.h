#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "shallow_water/edges.h"
#include "shallow_water/flow.h"

namespace rtsim::shallow_water {

// What a step of the finite volumes needs to know besides the columns.
struct Flow {
  Index nx = 1, nz = 1;
  Real g = 0, spacing = 1, dry = 0;  // [m/s^2], [m], [m]
  Real roughness = 0;                // g n^2 of Manning's n [m^(1/3)]
  Real rain = 0;                     // [m/s]
  bool periodic_x = false, periodic_z = false;
  Edge edge[4];  // x_min, x_max, z_min, z_max

  RTSIM_HD Index cells() const { return nx * nz; }
};

// What a step met: greatest |u| + |v| + 2 c [m/s] and a sum that is finite if all is, of the state
// it began with; the least depth [m] of the one it ended with.
struct Watch {
  Real speed = 0, least_depth = 0, sum = 0;
};
RTSIM_HD inline Watch worse(const Watch& a, const Watch& b) {
  return {max(a.speed, b.speed), min(a.least_depth, b.least_depth), a.sum + b.sum};
}

// One step of the MUSCL-Hancock method from `from` to `to`, other arrays.
Watch step(const Exec&, const Flow&, double dt, const Columns& from, const Columns& to);

// A face of a cell: its lower (side 0) or upper one (1) along x, or along z (2, 3).
struct CellFace {
  Index cell;
  int side;
};
// mass[k]: what step() lets through a face in a second and metre, along the axis [m^2/s].
void face_masses(const Exec&, const Flow&, double dt, const Columns&, Span<const CellFace>,
                 Span<Real> mass);

// Of a state as it is.
Watch look(const Exec&, const Flow&, const Columns&);

// The first cell whose depth is not finite or negative, or whose discharges are not finite; cells()
// if there is none.
Index first_lost(const Exec&, const Flow&, const Columns&);

// velocity[c] = (u, 0, v)
void velocities(const Exec&, const Flow&, const Columns&, Span<Vec<3>> velocity);

}  // namespace rtsim::shallow_water
