#pragma once
#include "contact/boundary_contact.h"

namespace rtsim::contact {

// The surface that a point touches; its normal is 0 where it touches none.
struct Touch {
  Vec<3> normal;    // out of the surface
  Vec<3> velocity;  // of the surface there [m/s]

  RTSIM_HD bool any() const { return dot(normal, normal) > 0; }
};

// Free points that are within the thickness of a solid at the beginning of a substep of length h
// [s], and do not move away from it, get it as their touch, if they have none yet.
void touching(const Exec&, const Solid&, Real thickness, const Pose& begin, const Pose& end, Real h,
              Span<const Vec<3>> x, Span<const Vec<3>> v, Span<const Real> w, Span<Touch>);

}  // namespace rtsim::contact
