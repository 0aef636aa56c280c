#pragma once
#include "exec/exec.h"
#include "mac/lattice.h"

// Values in the ghost cells outside the domain, by its boundary conditions.
namespace rtsim::mac {

// The boundary conditions of a scalar: Dirichlet with `value` at inflows and at those walls that
// hold it (`wall`), elsewhere Neumann, a slope of 0.
struct ScalarConditions {
  Real value[3][2] = {};
  bool wall[3][2] = {};
};

// Copies the rows of a lattice to a field with a margin, whose first element is `padded`, and back.
void to_padded(const Exec&, const Domain&, int lattice, Span<const Real> rows, Real* padded);
void from_padded(const Exec&, const Domain&, int lattice, const Real* padded, Span<Real> rows);

// Fills the margin from what lies inside. A component of the velocity is mirrored at walls and
// inflows, so that half-way to the outside it is the wall's; a scalar has its Dirichlet value where
// it has one; elsewhere values go on unchanged (Neumann).
void fill_velocity_margin(const Exec&, const Domain&, int axis, Real* padded);
void fill_scalar_margin(const Exec&, const Domain&, const ScalarConditions&, Real* padded);
// The same of a component at the centres of cells: mirrored across walls of free slip, too.
void fill_centred_margin(const Exec&, const Domain&, int component, Real* padded);

}  // namespace rtsim::mac
