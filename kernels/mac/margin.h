#pragma once
#include "exec/exec.h"
#include "mac/lattice.h"

// Values outside the domain.
namespace rtsim::mac {

// What a scalar is at sides: where fluid flows in, and at walls that hold it.
struct SideValues {
  Real value[3][2] = {};
  bool wall[3][2] = {};
};

// Copies the rows of a lattice to a field with a margin, whose first element is `padded`, and back.
void to_padded(const Exec&, const Domain&, int lattice, Span<const Real> rows, Real* padded);
void from_padded(const Exec&, const Domain&, int lattice, const Real* padded, Span<Real> rows);

// Fills the margin from what lies inside. A component of the velocity is mirrored at walls and
// inflows, so that half-way to the outside it is the wall's; a scalar is what sides hold; elsewhere
// values go on unchanged.
void fill_velocity_margin(const Exec&, const Domain&, int axis, Real* padded);
void fill_scalar_margin(const Exec&, const Domain&, const SideValues&, Real* padded);
// Likewise of a component that is in the middles of cells: across walls that let slide, too.
void fill_centred_margin(const Exec&, const Domain&, int component, Real* padded);

}  // namespace rtsim::mac
