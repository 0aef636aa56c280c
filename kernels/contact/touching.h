#pragma once
#include "contact/boundary_contact.h"

namespace rtsim::contact {

// The surface that a point may come to touch; its normal is 0 where there is none.
struct Touch {
  Vec<3> normal;     // out of the surface
  Vec<3> velocity;   // [m/s] of the surface there, and towards it: ends at the thickness from it
  Index solid = -1;  // its number

  RTSIM_HD bool any() const { return dot(normal, normal) > 0; }
};

// Free points that are within twice the thickness of a solid at the beginning of a substep of
// length h [s], and do not fly away from it, get it as their touch, if they have none yet. Whether
// they stay in touch is for a solve to say.
void touching(const Exec&, const Solid&, Index number, Real thickness, const Pose& begin,
              const Pose& end, Real h, Span<const Vec<3>> x, Span<const Vec<3>> v,
              Span<const Real> w, Span<Touch>);

// Points that a solid pushed, from velocities `earlier` to v, though nothing touched them yet, get
// it as their touch: `end` is where it came to then, `expected` where a solve takes it to come to.
// They are to end where it pushed them to, as seen from it. Returns how many.
Index found_touching(const Exec&, Index number, Real slack, const Pose& begin, const Pose& end,
                     const Pose& expected, const Points&, Span<const Vec<3>> earlier,
                     Span<const Index> by, Span<Touch>);

}  // namespace rtsim::contact
