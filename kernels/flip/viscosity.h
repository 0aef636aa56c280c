#pragma once
#include "mac/mac.h"

// Implicit viscosity of a liquid with a free surface.
namespace rtsim::flip {

// The velocity u after a step is the one of least
//   1/2 sum V (u - u*)^2 + k h^2 sum V tr (D D),   D = (grad u + (grad u)^T) / 2,   k = nu dt / h^2
// (Batty & Bridson, "Accurate Viscous Free Surfaces for Buckling, Coiling, and Rotating Liquids",
// SCA 2008, eq. 7): on the surface no force acts, without a condition to be put there. V is how
// much of the cube about a face, of a cell (for D_aa) or about an edge (for D_ab) is liquid. Walls
// that the liquid sticks to hold their velocity; where it slips, edges in walls have no V.
struct Volumes {
  const Real* face[3] = {};  // 0: not an unknown
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

// V of the faces across an axis: by the distance of the surface and of walls, 0 where the velocity
// is not known or that of a wall, which those of `u` in walls take.
void face_volumes(const Exec&, const mac::Domain&, int axis, const mac::Walls&,
                  Span<const Real> surface, Span<const std::uint8_t> known, Span<Real> u,
                  Span<Real> out);
// From those of the faces beside them, times what a wall between them makes of their friction
// (mac::friction_share).
void cell_volumes(const Exec&, const mac::Domain&, const mac::Walls&, const Volumes&,
                  Span<Real> out);
void edge_volumes(const Exec&, const mac::Domain&, int axis, const mac::Walls&, bool sticks,
                  const Volumes&, Span<Real> out);

// The equations A u = V u* of the faces, component by component, and their solution by conjugate
// gradients with the diagonal before it. Vectors have the components one after the other.
struct ViscousFlow {
  mac::Domain domain;
  Volumes volumes;
  Real k = 0;
  Index first[4] = {};  // of each component; and the end
};
struct CgSums {
  double rz = 0;
  Real greatest = 0;  // of r [m/s]
};
// inverse = 1 / diagonal, 0 where there is no unknown; r = V u - A u, p = inverse r.
void begin(const Exec&, const ViscousFlow&, int axis, Span<const Real> u, Span<Real> inverse,
           Span<Real> r, Span<Real> p);
CgSums sums(const Exec&, Span<const Real> inverse, Span<const Real> r);
// q = A p of the unknowns; returns p q.
double multiply(const Exec&, const ViscousFlow&, int axis, Span<const Real> inverse,
                Span<const Real> p, Span<Real> q);
// u += alpha p, r -= alpha q
CgSums advance(const Exec&, Real alpha, Span<const Real> inverse, Span<const Real> p,
               Span<const Real> q, Span<Real> u, Span<Real> r);
// p = inverse r + beta p
void turn(const Exec&, Real beta, Span<const Real> inverse, Span<const Real> r, Span<Real> p);

}  // namespace rtsim::flip
