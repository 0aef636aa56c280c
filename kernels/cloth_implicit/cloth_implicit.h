#pragma once
#include "block_cg/block_cg.h"
#include "block_cg/block_matrix.h"
#include "cloth_implicit/contact_constraint.h"
#include "cloth_implicit/weave.h"
#include "mass_spring/implicit.h"
#include "plate_bending/plate.h"

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
using mass_spring::Here;
using mass_spring::Points;

using Corners3 = VecT<std::int32_t, 3>;

// The triangles, and where points stand in them: thrice the row of the triangle and which corner.
struct Mesh {
  Span<const Corners3> triangles;
  Span<const TriangleRest<Real>> rest;
  Span<const Index> first, corners;
};

// Of each triangle: conditions at the start of the step, forces now, and what it adds to the
// matrix; and the forces of bending.
struct TriangleForces {
  Vec<3> f1, f2;  // on corners 1 and 2 [N]
};
struct TriangleBlocks {
  Mat3<Real> n[3];  // -h^2 d^2E/dx_i dx_j of corners 01, 02, 12 [kg]
};
struct Elements {
  Span<Conditions<Real>> start;
  Span<TriangleForces> forces;
  Span<TriangleBlocks> blocks;
  plate::SlotForces bending;
};

struct Energies {
  double stretch = 0, shear = 0;  // [J]
  double damping = 0;             // of both
};

// Conditions of the start.
void start(const Exec&, const Mesh&, const Fabric<Real>&, Span<const Vec<3>> position,
           const Elements&);
// Forces of stretch and shear; returns energies.
Energies forces(const Exec&, const Mesh&, const Fabric<Real>&, const Ahead&, const Elements&);
// The triangles' parts of A, the Hessian made positive.
void hessian_blocks(const Exec&, const Mesh&, const Fabric<Real>&, const Ahead&, Real h,
                    const Elements&);

// What adds to the blocks of a matrix: block (e, l) has of triangles the parts first[8 e + l] to
// first[8 e + l + 1] - 1, each 8 t + 2 pair + 1 for the transposed block, and of bending `scale`
// times bends[8 e + l].
struct Parts {
  Span<const Index> first, triangles;
  Span<const Real> bends;  // [1/m^2]; may be empty
  Real scale;
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

// S D^-1 S of A, and S, the filter of Dirichlet and contact conditions: nothing for points that are
// held (inverse_mass 0) or stick, nothing along the normals of those that slide. `constraints` may
// be empty.
void precondition(const Exec&, const block_cg::BlockMatrix&, const Points&,
                  Span<const ContactConstraint> constraints, Span<Sym3Slot> inverse_diagonal,
                  Span<Row4> filter);

// b = h (f + m gravity) - (A - M) v0, for the change of velocity, with f and A at v = 0.
void right_hand_side(const Exec&, const Mesh&, const Elements&, const block_cg::BlockMatrix&,
                     const Points&, const Field&, Real h, Span<const Row4> v0, Span<Row4> b);

using mass_spring::Gradient;
// b = -g(v), with the friction of `constraints`; of held points it is what pushes them, which does
// not count.
Gradient gradient(const Exec&, const Mesh&, const Elements&, const Points&, const Field&, Real h,
                  Span<const ContactConstraint>, Span<const Row4> v, Span<Row4> b);

// Of the present state, without damping.
Energies energies(const Exec&, const Mesh&, const Fabric<Real>&, Span<const Vec<3>> position);

// Of the threads: C_u and C_v over all triangles by area, and the greatest.
struct Strain {
  double sum = 0, area = 0, greatest = -1;
};
Strain strain(const Exec&, const Mesh&, const Fabric<Real>&, Span<const Vec<3>> position);
// The greatest change of C_u and C_v from the start to `ahead`.
double greatest_change(const Exec&, const Mesh&, const Fabric<Real>&, const Ahead&,
                       const Elements&);

}  // namespace rtsim::cloth
