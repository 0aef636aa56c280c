#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"

// What a solid gives to the points that it moves, which it loses itself.
namespace rtsim::contact {

struct Push {
  Vec3d impulse;  // [N s]
  Vec3d moment;   // about the origin [N m s]
};

// Of points that began a substep at `before`, with inverse masses w, and whose velocities a solid
// changed from `earlier` to v: sums of m (v - earlier) and before x m (v - earlier), as what moves
// points on with their velocities gives that impulse where they began.
Push push_of(const Exec&, Span<const Vec<3>> before, Span<const Real> w, Span<const Vec<3>> earlier,
             Span<const Vec<3>> v);

// Of the impulses of those points that touch solid number `solid`.
struct Touch;
Push push_of(const Exec&, Span<const Vec<3>> before, Span<const Touch>, Index solid,
             Span<const Vec<3>> impulse);

}  // namespace rtsim::contact
