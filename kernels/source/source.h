#pragma once
#include "exec/exec.h"
#include "mac/lattice.h"

// What puts smoke, warmth, colour or motion into cells.
namespace rtsim::source {

// Where a source acts, as a share of each cell: of a shape, by its signed distance d at the
// centres, 1/2 - d / h between 0 and 1; of a splat exp(-|x - c|^2 / r^2).
struct Place {
  const Real* distance = nullptr;  // rows of the cells; null: a splat
  Real centre[3] = {};             // [cells] from the lower corner of the grid
  Real inverse_radius = 0;         // [1/cells]
};

// x += share (target - x), or, of a rate, x += share dt rate, on the rows of a lattice.
struct Amount {
  Real value = 0;      // of row (0, 0, 0), where there is a slope
  Real slope[3] = {};  // from a row to the next along an axis
  bool rate = false;
  Real dt = 0;
};

void apply(const Exec&, const mac::Domain&, int lattice, const Place&, const Amount&, Span<Real> x);

// How many cells it acts on, sides of cells counting.
double share_of_cells(const Exec&, const mac::Domain&, const Place&);

}  // namespace rtsim::source
