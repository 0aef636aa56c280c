#pragma once
#include "block_cg/block_cg.h"
#include "block_cg/isotropic.h"
#include "mass_spring/ahead.h"
#include "plate_bending/plate.h"

// Implicit Euler over h: find v with
//   g(v) = m (v - v0) + h m (drag v - gravity) - h f(x0 + h v, v) = 0,
// the gradient of
//   phi(v) = m |v - v0|^2 / 2 + h m (drag |v|^2 / 2 - gravity . v) + E(x0 + h v)
//            + h c (n0 . (v_i - v_j))^2 / 2
// (damping acts along n0, where springs point at the start, so that there is a phi). Its Hessian,
// with the springs' parts made positive, is the system
//   A = m (1 + h drag) + h^2 K + h D,  a block for each spring, and those of bending.
// Forces of bending are given.
namespace rtsim::mass_spring {

// -A_ij = a n n^T + b I of a slot's springs, with their other ends: all that a product reads.
struct BlockSlot {
  Index other[lane_count];
  Real nx[lane_count], ny[lane_count], nz[lane_count];
  Real a[lane_count], b[lane_count];  // [kg]
};

// `inertia` is m (1 + h drag), and 0 of rows that are not free and of those behind the last.
struct System {
  Span<const Index> first;  // of the network
  Span<const BlockSlot> blocks;
  Span<const Real> inertia;  // [kg]
  block_cg::Isotropic bending;
};

// The system with springs as they are `at`, and the inverses of its diagonal blocks.
struct Assembly {
  Network net;
  Points points;
  Ahead at;
  Real drag, h;
  block_cg::Isotropic bending;
  Span<BlockSlot> blocks;
  Span<Real> inertia;
  Span<Sym3Slot> inverse_diagonal;
  Span<Row4> filter;  // see block_cg::Levels
};
void assemble(const Exec&, const Assembly&);

// The linear system for v, from the start of the step: b = m (v0 + h gravity) + h f(x0, 0), 0 where
// a point is held. Returns sum |b|^2 / m [J].
double right_hand_side(const Exec&, const Network&, const plate::SlotForces&, const Points&,
                       const Field&, Real h, Span<Row4> b);

// What of that system's solution v pushes held points: h (f(x0, 0) + m (gravity - drag v)) less
// (A - m) v.
void push_on_held(const Exec&, const Network&, const plate::SlotForces&, const System&,
                  const Points&, const Field&, Real h, Span<const Row4> v, Span<Row4> to);

// q = A p; returns p . q.
double multiply(const Exec&, const System&, Span<const Row4> p, Span<Row4> q);

void sum_outside(const Exec&, const System&, const block_cg::Outside&);

// Of the potential phi that an implicit step minimises.
struct Gradient {
  double energy = 0;    // phi, without bending [J]
  double residual = 0;  // sum |g|^2 / m of the free points [J]
};
// b = -g(v), of held points what pushes them
Gradient gradient(const Exec&, const Network&, const plate::SlotForces&, const Points&,
                  const Field&, Real h, Span<const Row4> v, Span<Row4> b);

// to = from + step * direction
void move_along(const Exec&, Span<const Row4> from, Span<const Row4> direction, Real step,
                Span<Row4> to);

// The step itself: x += h v, and v of its end or, from the middle, beyond it.
void take(const Exec&, const Points&, Span<const Row4> v, Real h);
void take_beyond(const Exec&, const Points&, Span<const Row4> middle, Real h);

}  // namespace rtsim::mass_spring
