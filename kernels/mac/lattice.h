#pragma once
#include "base/types.h"
#include "exec/span.h"

// A staggered grid as kernels see it (Harlow & Welch, "Numerical Calculation of Time-Dependent
// Viscous Incompressible Flow of Fluid with Free Surface", Phys. Fluids 8, 1965): scalars at the
// centres of cells, the component of the velocity along an axis on the faces across that axis. Face
// i lies between the cells i - 1 and i.
namespace rtsim::mac {

constexpr int centres = 3;  // as a lattice; 0, 1, 2 are the faces across x, y, z

// The boundary condition of one side of the domain. Of the velocity: Dirichlet at no_slip and
// inflow; at free_slip Dirichlet, 0, for the normal component and Neumann for the others; Neumann
// at open. Of the pressure: Dirichlet, 0 outside, at open, and Neumann at walls and inflows.
enum class BoundaryCondition : std::uint8_t { no_slip, free_slip, open, periodic, inflow };

struct Domain {
  int dims = 3;
  Index cells[3] = {1, 1, 1};
  Real spacing = 1;                        // h [m]
  BoundaryCondition condition[3][2] = {};  // low and high end of each axis
  Real boundary_velocity[3][2][3] = {};    // [m/s] of a wall or an inflow
  bool parabolic[3][2] = {};               // an inflow's profile across the side

  // Of a lattice along an axis.
  RTSIM_HD Index count(int lattice, int axis) const { return cells[axis] + (lattice == axis); }
  RTSIM_HD Index rows(int lattice) const {
    return count(lattice, 0) * count(lattice, 1) * count(lattice, 2);
  }
  RTSIM_HD Index row(int lattice, Index i, Index j, Index k) const {
    return i + count(lattice, 0) * (j + count(lattice, 1) * k);
  }
  RTSIM_HD bool periodic(int axis) const {
    return condition[axis][0] == BoundaryCondition::periodic;
  }
  // The velocity of an inflow at face f of a side, in parts of that at the side's middle: a
  // parabola along each axis of the side that falls to 0 at its rims.
  RTSIM_HD Real profile(int axis, int end, const Index f[3]) const {
    Real part = 1;
    for (int b = 0; b < dims && parabolic[axis][end]; ++b) {
      if (b == axis) continue;
      const Real s = (Real(f[b]) + Real(0.5)) / Real(cells[b]);
      part *= 4 * s * (1 - s);
    }
    return part;
  }
  RTSIM_HD bool closed(int axis, int end) const {
    return condition[axis][end] == BoundaryCondition::no_slip ||
           condition[axis][end] == BoundaryCondition::free_slip;
  }
};

// Fields with a margin of ghost cells, all lattices in one layout: the values outside the domain
// hold its boundary conditions, so that kernels read them without branches. Pointers are to value
// (0, 0, 0).
struct Layout {
  Index pitch = 0, plane = 0, origin = 0, size = 0;

  // Of the margin: two cells on either side; faces have one more value than cells.
  static constexpr Index low = 2, high = 3;

  static Layout of(const Domain& d) {
    Index padded[3];
    for (int a = 0; a < 3; ++a) padded[a] = d.cells[a] + (a < d.dims ? low + high : 0);
    Layout l;
    l.pitch = padded[0], l.plane = padded[0] * padded[1];
    l.origin = low + low * l.pitch + (d.dims == 3 ? low * l.plane : 0);
    l.size = l.plane * padded[2];
    return l;
  }
  RTSIM_HD Index at(Index i, Index j, Index k) const { return i + pitch * j + plane * k; }
};

// A velocity on the faces, with a margin.
struct Faces {
  const Real* u[3] = {nullptr, nullptr, nullptr};
};

}  // namespace rtsim::mac
