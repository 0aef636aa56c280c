#pragma once
#include "rigid/material.h"

namespace rtsim::rigid {

// On the CPU: a block at once.
template <int D>
void solve_own_contacts_lanes(const Exec&, const ContactLaw&, Span<const LaneMaterials<D>>,
                              Span<ContactBlock<D>>, Index begin, Index end, bool both,
                              Span<Row4> movers);

}  // namespace rtsim::rigid
