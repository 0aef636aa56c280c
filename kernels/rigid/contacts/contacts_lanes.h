#pragma once
#include "rigid/material.h"

namespace rtsim::rigid {

// On the CPU: a block at once.
template <int D>
void warm_start_lanes(const Exec&, Span<ContactBlock<D>>, Index begin, Index end, bool both,
                      Span<Row4> solver_bodies);
// `own`: of each block, or of none.
template <int D>
void solve_contacts_lanes(const Exec&, const ContactLaw&, Span<const LaneMaterials<D>> own,
                          Span<ContactBlock<D>>, Index begin, Index end, bool both,
                          Span<Row4> solver_bodies);

}  // namespace rtsim::rigid
