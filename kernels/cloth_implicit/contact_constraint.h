#pragma once
#include "contact/point_contact.h"
#include "lanes/row4.h"

// Contacts of points as constraints of a solve (Baraff & Witkin 1998, sections 5.1 to 5.4): a point
// that sticks has the velocity of the surface, one that slides has it along the normal, and
// friction. The active set, which contacts stick, slide or open, follows from the impulse of the
// constraint: the surface only pushes, with R, and its friction is at most mu R (Coulomb).
namespace rtsim::cloth {

struct ContactConstraint {
  enum class Kind : std::int32_t { none, slides, stuck };
  Vec<3> normal;    // out of the surface
  Vec<3> velocity;  // of the surface [m/s]
  Vec<3> friction;  // impulse on a point that slides [N s]
  Kind kind;
};

// The part of a vector of point i that no contact constrains: S of the paper's section 5.3.
RTSIM_HD inline Vec<3> unconstrained(Span<const ContactConstraint> constraints, Index i,
                                     const Vec<3>& g) {
  if (constraints.size == 0 || constraints[i].kind == ContactConstraint::Kind::none) return g;
  if (constraints[i].kind == ContactConstraint::Kind::stuck) return {};
  return g - dot(constraints[i].normal, g) * constraints[i].normal;
}

// Points that move along the surface no faster than `slow` [m/s] stick at first.
void initial_active_set(const Exec&, Span<const contact::PointContact>, Span<const Vec<3>> velocity,
                        Real friction, Real slow, Span<ContactConstraint>);

// The changes of velocity that the constraints ask for: z of the paper's section 5.3; elsewhere 0.
void constrained_change(const Exec&, Span<const ContactConstraint>, Span<const Vec<3>> velocity,
                        Span<Row4> dv);

// The impulses of surfaces on points [N s], from the residual r of a solve along constrained
// directions.
void reactions(const Exec&, Span<const ContactConstraint>, Span<const Row4> r,
               Span<Vec<3>> impulse);

// The work of the surfaces of boundaries, whose impulses these are [J]: those of the first solids,
// behind which bodies come.
double work_of_boundaries(const Exec&, Span<const ContactConstraint>,
                          Span<const contact::PointContact>, Index boundaries,
                          Span<const Vec<3>> impulse);

// After a solve for dv, from the impulses -r of the constraints: opens contacts that would have to
// pull, lets points slide whose friction is beyond Coulomb's cone, and sticks those whose sliding
// friction has reversed. Adds the new friction to b. Returns how many contacts changed their kind.
struct ActiveSetUpdate {
  Real friction;
  Span<const Vec<3>> velocity;
  Span<const Row4> r;
  Span<ContactConstraint> constraints;
  Span<Row4> b, dv;
};
Index update_active_set(const Exec&, const ActiveSetUpdate&);

}  // namespace rtsim::cloth
