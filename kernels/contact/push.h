#pragma once
#include "base/vec.h"
#include "contact/rigid_matrix.h"
#include "exec/exec.h"
#include "exec/span.h"

// What a solid gives to the points that it moves, which it loses itself.
namespace rtsim::contact {

struct Push {
  Vec3d impulse;  // [N s]
  Vec3d moment;   // about the origin [N m s]
};

// Of points at x with inverse masses w, whose velocities a solid changed from `earlier` to v: sums
// of m (v - earlier) and x x m (v - earlier). `by` of those points becomes `solid`, which is not 0;
// empty: nobody asks.
Push push_of(const Exec&, Span<const Vec<3>> x, Span<const Real> w, Span<const Vec<3>> earlier,
             Span<const Vec<3>> v, Index solid, Span<Index> by);

// Of the impulses of those points that touch solid number `solid`.
struct Touch;
Push push_of(const Exec&, Span<const Vec<3>> before, Span<const Touch>, Index solid,
             Span<const Vec<3>> impulse);

// The points that a solid pushed: how they resist being carried along, as if they were all stuck to
// it, and what their energy changed by with s (v - earlier), s work + s^2 energy [J].
struct PushedMass {
  RigidMatrix resists;
  double work = 0, energy = 0;
};
PushedMass pushed_mass(const Exec&, Span<const Vec<3>> x, Span<const Real> w,
                       Span<const Vec<3>> earlier, Span<const Vec<3>> v, Span<const Index> by,
                       Index solid, const Vec3d& centre);

// v = earlier + share (v - earlier) of what the solid pushed.
void weaken(const Exec&, Real share, Span<const Vec<3>> earlier, Span<const Index> by, Index solid,
            Span<Vec<3>> v);

}  // namespace rtsim::contact
