#pragma once
#include "block_cg/block_cg.h"
#include "block_cg/block_matrix.h"
#include "cloth_implicit/hold.h"
#include "cloth_implicit/weave.h"
#include "mass_spring/implicit.h"

// Launchers of implicit cloth. A step of length h is to find v with
//   g(v) = m (v - v0) + h m (drag v - gravity) - h f(x0 + h v) = 0,
// the slope of
//   phi(v) = m |v - v0|^2 / 2 + h m (drag |v|^2 / 2 - gravity . v) + E(x0 + h v),
// E with the damping of weave.h. Linearised at v with second slopes made positive the system is
//   A = m (1 + h drag) + h^2 d^2E/dx^2.
// At v = 0 that is Baraff & Witkin's eq. 6, (M - h df/dv - h^2 df/dx) dv = h (f + h df/dx v0),
// without what is not positive of it.
namespace rtsim::cloth {

using mass_spring::Ahead;
using mass_spring::Field;
using mass_spring::Points;

using Corners3 = VecT<std::int32_t, 3>;
using Corners4 = VecT<std::int32_t, 4>;

struct HingeRest {
  Real angle, scale;  // theta0, s = l^2 / (A0 + A1)
};

// The triangles and hinges, and where points stand in them: thrice or four times the row of the
// cell and which corner.
struct Mesh {
  Span<const Corners3> triangles;
  Span<const TriangleRest<Real>> triangle_rest;
  Span<const Corners4> hinges;
  Span<const HingeRest> hinge_rest;
  Span<const Index> first_triangle, triangle_corners;
  Span<const Index> first_hinge, hinge_corners;
};

struct Material {
  Fabric<Real> fabric;
  Real bending;      // B [N m]
  Real bending_lag;  // tau / h
};

// Where points are; Ahead is where they are after a time with velocities v.
struct Here {
  Span<const Vec<3>> position;

  RTSIM_HD Vec<3> between(Index i, Index j) const { return position[j] - position[i]; }
};

// Of each triangle and hinge: conditions at the start of the step, forces now, and what it adds to
// the matrix.
struct TriangleForces {
  Vec<3> f1, f2;  // on corners 1 and 2 [N]
};
struct TriangleBlocks {
  Mat3<Real> n[3];  // -h^2 d^2E/dx_i dx_j of corners 01, 02, 12 [kg]
};
struct HingeState {
  Vec<3> g1, g2, g3;  // slopes of the angle [1/m]
  Real moment;        // B s C, damped [N m]
  Real stiffness;     // B s (1 + lag) [N m]
};
struct Elements {
  Span<Conditions<Real>> triangle_start;
  Span<Real> hinge_start;
  Span<TriangleForces> triangle_forces;
  Span<TriangleBlocks> triangle_blocks;
  Span<HingeState> hinges;
};

struct Energies {
  double stretch = 0, shear = 0, bending = 0;  // [J]
  double damping = 0;                          // of all
};

// Conditions of the start.
void start(const Exec&, const Mesh&, const Material&, Span<const Vec<3>> position, const Elements&);
// Forces; returns energies.
Energies forces(const Exec&, const Mesh&, const Material&, const Ahead&, const Elements&);
// The elements' parts of A; of hinges `forces` keeps them.
void tangents(const Exec&, const Mesh&, const Material&, const Ahead&, Real h, const Elements&);

// Elements that add to the blocks of a matrix: block (e, l) has parts first[8 e + l] to
// first[8 e + l + 1] - 1. Of triangles a part is 8 t + 2 pair + 1 for the transposed block, of
// hinges 16 h + 4 (corner of the row) + corner of the column.
struct Parts {
  Span<const Index> first_triangle, triangles;
  Span<const Index> first_hinge, hinges;
};

// The blocks and the inertia of A.
struct Assembly {
  Points points;
  Elements elements;
  Parts parts;
  Real drag, h;
  Span<const Index> first;
  Span<block_cg::BlockSlot> blocks;
  Span<Real> inertia;
};
void assemble(const Exec&, const Assembly&);

// P = S P S of A: nothing for points that are held or stick, nothing along the normals of those
// that slide. `holds` may be empty.
void precondition(const Exec&, const block_cg::BlockMatrix&, const Points&, Span<const Hold> holds,
                  Span<Sym3Slot> inverse_diagonal);

// b = h (f + m gravity) - (A - M) v0, for the change of velocity, with f and A at v = 0.
void right_side(const Exec&, const Mesh&, const Elements&, const block_cg::BlockMatrix&,
                const Points&, const Field&, Real h, Span<const Row4> v0, Span<Row4> b);

struct Slope {
  double energy = 0;    // phi of points, without E [J]
  double residual = 0;  // sum |g|^2 / m of what is free [J]
};
// b = -g(v), with the friction of `holds`. What keeps points where they are held does not count.
Slope descend(const Exec&, const Mesh&, const Elements&, const Points&, const Field&, Real h,
              Span<const Hold>, Span<const Row4> v, Span<Row4> b);

// Of the present state, without damping.
Energies energies(const Exec&, const Mesh&, const Material&, Span<const Vec<3>> position);

// Of the threads: C_u and C_v over all triangles by area, and the greatest.
struct Strain {
  double sum = 0, area = 0, greatest = -1;
};
Strain strain(const Exec&, const Mesh&, const Material&, Span<const Vec<3>> position);
// The greatest change of C_u and C_v from the start to `ahead`.
double greatest_change(const Exec&, const Mesh&, const Material&, const Ahead&, const Elements&);

}  // namespace rtsim::cloth
