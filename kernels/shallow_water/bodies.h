#pragma once
#include "grid/solids.h"

// Bodies in water, as the ground that they stand for: what of a column lies between the ground and
// the still water's surface raises the column, so that water is pushed aside and none is lost.
namespace rtsim::shallow_water {

struct Body {
  grid::SolidMap map;
  boundary::Pose pose;
  Index first_x, first_z, across, along;  // the columns that it may stand in
  Real low, high;                         // heights of it [m]
};

// raised[c] += the height of the body between the ground and the still surface, mean of a cell.
void raise(const Exec&, const grid::GridView& columns, const Body&, Span<const Real> ground,
           Span<const Real> still, Span<Real> raised);

// bed = ground + raised
void add(const Exec&, Span<const Real> ground, Span<const Real> raised, Span<Real> bed);

double sum(const Exec&, Span<const Real>);

}  // namespace rtsim::shallow_water
