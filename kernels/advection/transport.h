#pragma once
#include "exec/exec.h"
#include "mac/mac.h"

// Carrying by what flows through faces: what leaves a cell enters its neighbour, so the sum over
// the cells stays what it was, but for what flows in and out at the ends of the domain.
namespace rtsim::advection {

// How much of a cell flows through each face in a step, q = dt open u / h, by rows of the faces;
// upwards along the axis.
struct Flows {
  Span<Real> q[3];
};

// The flow field that carries, and the cells that it fills.
struct Carrier {
  Flows flows;
  Span<const Real> share;  // V of each cell that solids leave; empty: all of them
  Span<const Real> swept;  // of each cell, what moving walls push in less what they draw out in a
                           // step; empty: none move
  int substeps = 1;
};

// `velocity` with a margin, on the faces that `walls` leave open; inflows have the velocity of
// their boundary condition.
void find_flows(const Exec&, const mac::Domain&, const mac::Walls&, const mac::Faces& velocity,
                double dt, const Flows&);
// What moving walls push into each cell in a step, as a part of it: dt / h times the sum over its
// faces of (1 - open) u_wall, inwards.
void find_swept(const Exec&, const mac::Domain&, const mac::Walls&, double dt, Span<Real>);

// The CFL number: the greatest sum of |q| over the faces of a cell, over its V. Infinite where a
// value is not finite.
Real greatest_courant(const Exec&, const mac::Domain&, const Carrier&);

// What is kept: the sum of V f (`amount`), or a field that is level (`level`), which the divergence
// that the pressure leaves behind does not change then.
enum class Keeps : std::uint8_t { amount, level };

// One stage of a substep, with m substeps:
//   V f' = V f - 1/m sum over the faces, outwards, of q f_face        (`amount`)
//   V f' = V f - 1/m sum over the faces, outwards, of q (f_face - f)  (`level`)
// and out = f', or the mean of f' and `start` where that is given. Cells that moving walls sweep
// are taken as level: V shrinks as much as flows out, and the sum of V f stays in that way.
// f_face goes from the cell c that the flow leaves, u before and d behind it, by the slope
// of a parabola through the three, held back so that no face goes beyond its cells (Koren, "A
// robust upwind discretization method for advection, diffusion and source terms", 1993):
//   f_face = f_c + minmod(2 (f_c - f_u), (f_c - f_u + 2 (f_d - f_c)) / 3, 2 (f_d - f_c)) / 2.
// With sum |q| <= m V and a flow free of divergence, f' lies within the values around it; two such
// stages and the mean are Heun's method, which keeps that and is of second order (Shu & Osher, J.
// Comput. Phys. 77, 1988). Fields to value (0, 0, 0), with their margins filled.
struct Stage {
  const Real* field;
  const Real* start = nullptr;
  Real* out;  // without its margin
  Keeps keeps = Keeps::amount;
};
void transport(const Exec&, const mac::Domain&, const Carrier&, const Stage&);

}  // namespace rtsim::advection
