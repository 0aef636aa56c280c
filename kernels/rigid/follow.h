#pragma once
#include "rigid/contacts.h"

namespace rtsim::rigid {

// Bodies drifted: arms of contacts at thin ones go along with their axes, and separations stay what
// they are. `turned`: else all is as when the step began.
template <int D>
void follow_thin(const Exec&, const Bodies<D>&, Span<const Manifold<D>>, Span<const Row4> movers,
                 bool turned, Span<ContactBlock<D>>);

}  // namespace rtsim::rigid
