#pragma once
#include "exec/exec.h"
#include "rigid/contacts/contact_pair.h"

namespace rtsim::rigid {

// Where bodies touch, point by point, for frames: of every contact that pressed in the step.
template <int D>
struct ContactPoints {
  Span<VecT<std::int32_t, 2>> bodies;  // rows; -1 - k: the stage's boundary k
  Span<Vec<D>> position;               // [m]
  Span<Vec<D>> arm_first, arm_second;  // [m] from the bodies' centres, as the step found them
  Span<Vec<D>> normal;                 // from the first body to the second
  Span<Vec<D>> force;                  // [N] on the second, mean over the step
  Span<Angular<D>> moment;             // [N m] likewise: against rolling, and of friction besides
  Span<Real> separation;               // [m] negative: overlap
};

// How many points each contact has, in `counts`, which are 0 before; all of them together are
// returned, and the counts are then those of the points before.
template <int D>
Index count_points(const Exec&, Span<const ContactBlock<D>>, Span<const ReportedImpulses<D>>,
                   Span<Index> counts);

// At the end of the step of dt [s] that the blocks were made for.
template <int D>
void list_points(const Exec&, double dt, const BodyStates<D>&, Span<const ContactBlock<D>>,
                 Span<const ReportedImpulses<D>>, Span<const Index> first,
                 Span<const Row4> solver_bodies, const ContactPoints<D>&);

}  // namespace rtsim::rigid
