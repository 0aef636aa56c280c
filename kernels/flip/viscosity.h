#pragma once
#include "exec/buffer.h"
#include "lanes/lanes.h"
#include "mac/mac.h"

// Implicit viscosity of a liquid with a free surface, which keeps its volume.
namespace rtsim::flip {

// The velocity u after a step is the one of least
//   1/2 sum V (u - u*)^2 + k h^2 sum V tr (D D),   D = (grad u + (grad u)^T) / 2,   k = nu dt / h^2
// (Batty & Bridson, "Accurate Viscous Free Surfaces for Buckling, Coiling, and Rotating Liquids",
// SCA 2008, eq. 7) among those that leave each cell its volume: on the surface no force acts,
// without a condition to be put there. Both in one (Larionov, Batty & Bridson, "Variational Stokes:
// A Unified Pressure-Viscosity Solver for Accurate Viscous Liquids", SIGGRAPH 2017), since a
// viscosity that knows nothing of the volume lets a thread that is stretched narrow as it likes:
// twice the viscosity is then what resists, where it should be three times (Trouton 1906).
//   V is how much of the cube about a face, of a cell (for D_aa) or about an edge (for D_ab) is
// liquid. Faces that only cells and edges with liquid meet move without inertia. Walls that the
// liquid sticks to hold their velocity; where it slips, edges in walls have no V.
//   The volume is kept by multipliers, which are pressures (Hestenes 1969; Fortin & Glowinski,
// "Augmented Lagrangian Methods", 1983): to the sum comes
//   sum V (bulk k / 2 outflow^2 - c q outflow),   q <- q - bulk k outflow / c   after each solve,
// with the flow out of a cell [m/s], c = dt / (rho h), the pressure q that viscosity asks for and
// the bulk viscosity over the shear viscosity.
//   In cells that walls cut q presses on the open part of faces, as the pressure does, so that
// the V of these two terms is what the surface leaves, S.
struct Volumes {
  const Real* face[3] = {};
  const Real* cell = nullptr;
  const Real* edge[3] = {};  // edges along an axis, at the lower corners of cells; 2D: along z
};

// Edges along `axis` have one more along the other two axes than cells.
RTSIM_HD inline Index edges_along(const mac::Domain& d, int axis, int across) {
  return d.cells[across] + (across != axis && across < d.dims);
}
RTSIM_HD inline Index edge_row(const mac::Domain& d, int axis, const Index (&at)[3]) {
  return at[0] + edges_along(d, axis, 0) * (at[1] + edges_along(d, axis, 1) * at[2]);
}
inline Index edge_rows(const mac::Domain& d, int axis) {
  return edges_along(d, axis, 0) * edges_along(d, axis, 1) * edges_along(d, axis, 2);
}

// The equations A u = V u* + what q presses, of faces of all components.
struct ViscousFlow {
  mac::Domain domain;
  mac::Walls walls;
  bool sticks = true;             // to walls inside of the domain
  const Real* surface = nullptr;  // its distance from the middles of cells [m]
  Volumes volumes;
  Real k = 0, bulk = 0, c = 0;
  Index first[4] = {};  // rows of faces: where those of each component begin; and the end
  // Rows of faces that may change; of those in solids that feel what changes; cells with liquid.
  Span<const Index> unknowns, in_solids, cells;
  const Index* place = nullptr;  // of a row in `unknowns`, or in `in_solids` behind them; or -1
  const Real* moved = nullptr;  // [m/s] out of cells by bodies (viscous_bodies.h); null: none yield
  Real* stress = nullptr;       // scratch of cells

  RTSIM_HD Index rows() const { return unknowns.size + in_solids.size; }
};

// V by the distance of the surface and of walls. Of the faces across an axis: 0 where the velocity
// is not known or that of a wall, which those of `u` in walls take.
void face_volumes(const Exec&, const ViscousFlow&, int axis, Span<const std::uint8_t> known,
                  Span<Real> u, Span<Real> out);
void cell_volumes(const Exec&, const ViscousFlow&, Span<Real> out);
// Times what a wall between the faces about an edge makes of their friction (mac::friction_share),
// and the turbulence of a flow `u` beside it (mac::wall_friction).
void edge_volumes(const Exec&, const ViscousFlow&, int axis, Span<const Real> u, double viscosity,
                  Span<Real> out);

// One of the entries of a row beside its diagonal, of each of eight rows: where a row has no such
// entry, it is 0 of the row itself.
struct EntrySlot {
  Index other[lane_count];  // place
  Real a[lane_count];
};
// The faces before and behind, those beside it and across the edges between them.
RTSIM_HD inline Index entries_of_row(const mac::Domain& d) { return d.dims == 2 ? 8 : 14; }

// Of conjugate gradients with the diagonal before them, by places. Those of walls have what bodies
// make of them: x and p their motion, r and q what they feel.
struct Solution {
  Real* diagonal;
  Real *x, *r, *p, *q;  // x: the change of u
};
struct CgSums {
  double rz = 0;
  Real greatest = 0;  // of r [m/s]

  friend RTSIM_HD CgSums operator+(const CgSums& a, const CgSums& b) {
    return {a.rz + b.rz, a.greatest < b.greatest ? b.greatest : a.greatest};
  }
};
// Squares of what flows out of cells and of the differences between their opposite faces.
struct FlowRates {
  double outflow2 = 0, strain2 = 0;  // [m^2/s^2]

  friend RTSIM_HD FlowRates operator+(const FlowRates& a, const FlowRates& b) {
    return {a.outflow2 + b.outflow2, a.strain2 + b.strain2};
  }
};

// Return how many are in the list. Cells without liquid have no pressure.
Index list_cells(const Exec&, Span<const Real> volume, Span<Real> pressure, Span<Index> scratch,
                 Buffer<Index>& list);
Index list_unknowns(const Exec&, const ViscousFlow&, Span<Index> scratch, Buffer<Index>& list);
Index list_in_solids(const Exec&, const ViscousFlow&, Span<Index> scratch, Buffer<Index>& list);
void number_rows(const Exec&, const ViscousFlow&, Span<Index> place);
// Slot s of the row at place e is entries[e / lane_count * entries_of_row + s], in lane
// e % lane_count.
void assemble(const Exec&, const ViscousFlow&, Span<Real> diagonal, Span<EntrySlot> entries);

// r = V u* + what q presses - A u, p = r / diagonal, x = 0; sums of `unknowns`.
CgSums find_residual(const Exec&, const ViscousFlow&, const mac::Velocity& before,
                     Span<const Real> u, Span<const Real> pressure, const Solution&);
// q = A p; returns p q of `unknowns`. Walls have a row where bodies yield.
double multiply(const Exec&, const ViscousFlow&, Span<const EntrySlot>, const Solution&);
// x += alpha p, r -= alpha q
CgSums advance(const Exec&, const ViscousFlow&, Real alpha, const Solution&);
// p = r / diagonal + beta p
void update_direction(const Exec&, const ViscousFlow&, Real beta, const Solution&);
void add_change(const Exec&, const ViscousFlow&, const Solution&, Span<Real> u);
FlowRates press(const Exec&, const ViscousFlow&, Span<const Real> u, Span<Real> pressure);

}  // namespace rtsim::flip
