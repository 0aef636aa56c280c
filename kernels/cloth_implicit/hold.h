#pragma once
#include "contact/touching.h"
#include "lanes/row4.h"

// Points that touch a surface within a solve (Baraff & Witkin 1998, sections 5.1 to 5.4): what
// sticks has the velocity of the surface, what slides has it along the normal, and friction. Which
// of both a point does, and whether it stays at all, follows from the impulse that keeps it: the
// surface only pushes, with R, and rubs with no more than mu R (Coulomb).
namespace rtsim::cloth {

struct Hold {
  enum class Kind : std::int32_t { none, slides, stuck };
  Vec<3> normal;    // out of the surface
  Vec<3> velocity;  // of the surface [m/s]
  Vec<3> friction;  // of what slides: impulse [N s]
  Kind kind;
};

// What moves along the surface no faster than `slow` [m/s] is taken to stick at first.
void grip(const Exec&, Span<const contact::Touch>, Span<const Vec<3>> velocity, Real friction,
          Real slow, Span<Hold>);

// Changes of velocity that bring points along with what holds them: z of the paper's section 5.3.
// Elsewhere 0.
void follow(const Exec&, Span<const Hold>, Span<const Vec<3>> velocity, Span<Row4> dv);

// The impulses of surfaces on points [N s], from what a solve has left in r along what was held.
void reactions(const Exec&, Span<const Hold>, Span<const Row4> r, Span<Vec<3>> impulse);

// The work of the surfaces of boundaries, whose impulses these are [J]: those of the first solids,
// behind which bodies come.
double work_of_boundaries(const Exec&, Span<const Hold>, Span<const contact::Touch>,
                          Index boundaries, Span<const Vec<3>> impulse);

// After a solve for dv, from the impulses -r that keep points: lets go of what would have to be
// pulled, lets slide what rubs too much, and stops what friction has turned round. Adds the new
// friction to b. Returns how many points do something else than before.
struct Revision {
  Real friction;
  Span<const Vec<3>> velocity;
  Span<const Row4> r;
  Span<Hold> holds;
  Span<Row4> b, dv;
};
Index revise(const Exec&, const Revision&);

}  // namespace rtsim::cloth
