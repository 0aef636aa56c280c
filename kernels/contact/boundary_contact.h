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

// What a solid does within a substep: it goes from one pose to another. One that deforms stands
// where it is at the end, and `carried` [m] is how far its surface nearest to each point has gone.
struct Course {
  Pose begin, end;
  Span<const Vec<3>> carried = {};

  // Where a point that was at x at the beginning would be if it stuck to the solid, in the solid's
  // frame.
  RTSIM_HD Vec<3> local(Index i, const Vec<3>& x) const {
    return carried.size > 0 ? x + carried[i] : to_local(begin, x);
  }
  RTSIM_HD Vec<3> way(Index i, const Vec<3>& local) const {
    return carried.size > 0 ? carried[i] : placed(end, local) - placed(begin, local);
  }
};

// carried[i] = h times the velocity of the surface at its point nearest to where x[i] is carried:
// the surface stands where it is at the end, so what is near x[i] at the beginning is found by
// going along twice.
void carry(const Exec&, const SurfaceMesh&, Span<const Vec<3>> velocity, Real h,
           Span<const Vec<3>> x, Span<Vec<3>> carried);

// began[i] = how far points that are not inside are from the solid, where that is less [m].
void begin_distances(const Exec&, const Solid&, Real thickness, const Pose&, Span<const Vec<3>> x,
                     Span<Real> began);

// Keeps points out of a solid that moves within the substep: x += d and v += d / h with d the
// correction of the way relative to the solid, see swept_point.h. A point that comes fast leaves
// with `restitution` times its speed.
void keep_out(const Exec&, const Solid&, const Rules&, const Bounce&, const Course&, const Points&);

// How far points that it may meet and a solid that goes from one pose to another within h pass one
// another, at the most [m].
Real farthest_past(const Exec&, const Solid&, Real thickness, const Pose& begin, const Pose& end,
                   Real h, Span<const Vec<3>> x, Span<const Vec<3>> v, Span<const Real> w);

// How many cells of N corners have their middle deeper than this [m] inside the solid.
template <int N>
Index count_inside(const Exec&, const Solid&, Real depth, const Pose&,
                   Span<const VecT<std::int32_t, N>> cells, Span<const Vec<3>> x);

}  // namespace rtsim::contact
