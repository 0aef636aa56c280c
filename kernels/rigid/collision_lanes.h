#pragma once
#include "rigid/collision.h"

namespace rtsim::rigid {

// On the CPU: touch_pairs(), with boxes in eights.
template <int D>
void touch_pairs_lanes(const Exec&, const Scene<D>&, Span<const Box<D>> boxes,
                       Span<const ItemPair> pairs, Real dt, Real margin, Manifolds<D>& out);

}  // namespace rtsim::rigid
