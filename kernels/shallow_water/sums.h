#pragma once
#include "shallow_water/shallow_water.h"

// What the series say of the water.
namespace rtsim::shallow_water {

// Sums over the cells; times density and the area of a cell they are SI figures.
struct Sums {
  double depth = 0;        // [m]
  double discharge_x = 0;  // [m^2/s]
  double discharge_z = 0;  // [m^2/s]
  double kinetic = 0;      // h |u|^2 / 2 [m^3/s^2]
  double potential = 0;    // g h (b + h / 2) [m^3/s^2]
  double wet = 0;          // cells deeper than `wet_depth`
  double front = -1e300;   // greatest number along x of a wet cell
  double greatest_u = 0;   // |u| of cells deeper than `wet_depth` [m/s]
};
struct AddSums {
  RTSIM_HD Sums operator()(const Sums& a, const Sums& b) const {
    return {a.depth + b.depth,
            a.discharge_x + b.discharge_x,
            a.discharge_z + b.discharge_z,
            a.kinetic + b.kinetic,
            a.potential + b.potential,
            a.wet + b.wet,
            a.front > b.front ? a.front : b.front,
            a.greatest_u > b.greatest_u ? a.greatest_u : b.greatest_u};
  }
};

Sums sums(const Exec&, const Flow&, const Columns&, Real wet_depth);
// The CPU-shaped body.
Sums sums_of_rows(const Exec&, const Flow&, const Columns&, Real wet_depth);

// Sum of z q_x - x q_z over the cells, with x and z in cells from the lower corner [m^2/s].
double angular_momentum(const Exec&, const Flow&, const Columns&);

// The four cells about a place and their weights.
struct Probe {
  Index cell[4];
  Real weight[4];
};
// Depth, surface, and velocity along x and z there, one after the other.
void probe(const Exec&, const Flow&, const Columns&, Span<const Probe>, Span<Real> out);

}  // namespace rtsim::shallow_water
