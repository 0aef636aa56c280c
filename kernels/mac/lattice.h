#pragma once
#include "base/types.h"
#include "exec/span.h"

// A staggered grid as kernels see it (Harlow & Welch, "Numerical Calculation of Time-Dependent
// Viscous Incompressible Flow of Fluid with Free Surface", Phys. Fluids 8, 1965): scalars at the
// centres of cells, the component of the velocity along an axis on the faces across that axis. Face
// i lies between the cells i - 1 and i.
namespace rtsim::mac {

constexpr int centres = 3;  // as a lattice; 0, 1, 2 are the faces across x, y, z

// What one side of the domain does.
enum class Side : std::uint8_t { no_slip, free_slip, open, periodic, inflow };

struct Domain {
  int dims = 3;
  Index cells[3] = {1, 1, 1};
  Real spacing = 1;                  // h [m]
  Side side[3][2] = {};              // low and high end of each axis
  Real side_velocity[3][2][3] = {};  // [m/s] of a wall or an inflow
  bool parabolic[3][2] = {};         // an inflow's part across the side

  // Of a lattice along an axis.
  RTSIM_HD Index count(int lattice, int axis) const { return cells[axis] + (lattice == axis); }
  RTSIM_HD Index rows(int lattice) const {
    return count(lattice, 0) * count(lattice, 1) * count(lattice, 2);
  }
  RTSIM_HD Index row(int lattice, Index i, Index j, Index k) const {
    return i + count(lattice, 0) * (j + count(lattice, 1) * k);
  }
  RTSIM_HD bool periodic(int axis) const { return side[axis][0] == Side::periodic; }
  // Of what flows through face f of a side, in parts of that at its middle: a parabola along each
  // axis of the side that falls to 0 at its rims.
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
    return side[axis][end] == Side::no_slip || side[axis][end] == Side::free_slip;
  }
};

// Fields with a margin, all lattices in one layout: values outside the domain say what its sides
// do, so that what reads them needs no branches. Pointers are to value (0, 0, 0).
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
