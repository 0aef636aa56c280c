#pragma once
#include "rigid/contacts/contacts.h"

namespace rtsim::rigid {

constexpr double far_turn = 0.1;  // [rad] in a step

// Bodies drifted: masses of contacts become those of bodies that have turned far. Arms at thin ones
// go along with their axes, and separations stay what they are. `turned`: else these are as when
// the step began.
template <int D>
void update_anchors(const Exec&, const Bodies<D>&, Span<const Manifold<D>>,
                    Span<const Row4> solver_bodies, bool turned, Span<ContactBlock<D>>);

}  // namespace rtsim::rigid
