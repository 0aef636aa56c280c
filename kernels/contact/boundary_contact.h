#pragma once
#include "contact/placed.h"
#include "contact/swept_point.h"
#include "exec/exec.h"

// Launchers for points that meet boundaries.
namespace rtsim::contact {

struct Bounce {
  Real restitution;
  Real above;  // [m/s] of approach; what comes slower stays
};

// Points of a substep of length h [s], which began at `before` and is to end at x; held ones have
// w = 0 and are let through.
struct Points {
  Span<const Vec<3>> before;  // [m]
  Span<Vec<3>> x;             // [m]
  Span<Vec<3>> v;             // [m/s]
  Span<const Real> w;         // [1/kg]
  Real h;                     // [s]
};

// Keeps points out of a solid that moves from one pose to another within the substep: x += d and
// v += d / h with d the correction of the way relative to the solid, see swept_point.h. A point
// that comes fast leaves with `restitution` times its speed.
void keep_out(const Exec&, const Solid&, const Rules&, const Bounce&, const Pose& begin,
              const Pose& end, const Points&);

// How far points that it may meet and a solid that goes from one pose to another within h pass one
// another, at the most [m].
Real farthest_past(const Exec&, const Solid&, Real thickness, const Pose& begin, const Pose& end,
                   Real h, Span<const Vec<3>> x, Span<const Vec<3>> v, Span<const Real> w);

// How many cells of N corners have their middle deeper than this [m] inside the solid.
template <int N>
Index count_inside(const Exec&, const Solid&, Real depth, const Pose&,
                   Span<const VecT<std::int32_t, N>> cells, Span<const Vec<3>> x);

}  // namespace rtsim::contact
