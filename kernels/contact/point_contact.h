#pragma once
#include "contact/boundary_contact.h"

namespace rtsim::contact {

// A contact point: the surface that a point may touch. The normal is 0 where there is none.
struct PointContact {
  Vec<3> normal;     // out of the surface
  Vec<3> velocity;   // [m/s] of the surface there, plus, unless it touches, that towards it with
                     // which the point ends at the thickness from it
  Index solid = -1;  // its number
  // [m] to the thickness from it at the beginning; where it is nearer than it is to be led to,
  // below 0 by that.
  Real gap = 0;

  RTSIM_HD bool any() const { return dot(normal, normal) > 0; }
};

// Free points that are within twice the thickness of a solid at the beginning of a substep of
// length h [s], and do not fly away from it, get a contact with it, if they have none yet. A solve
// decides whether the contact is active.
void find_contacts(const Exec&, const Solid&, Index number, const Rules&, const Course&, Real h,
                   Span<const Vec<3>> x, Span<const Vec<3>> v, Span<const Real> w,
                   Span<PointContact>);

// Points that a solid pushed, from velocities `earlier` to v, though they had no contact yet, get a
// contact with it: the course is the solid's of that push, `expected` the one that a solve
// assumes. The points are to end where the solid pushed them, relative to it. Returns how many.
Index add_contacts(const Exec&, Index number, Real slack, const Course&, const Course& expected,
                   const Points&, Span<const Vec<3>> earlier, Span<const Index> by,
                   Span<PointContact>);

}  // namespace rtsim::contact
