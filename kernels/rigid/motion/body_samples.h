#pragma once
#include "exec/exec.h"
#include "rigid/body.h"

namespace rtsim::rigid {

// Puts samples, `local` in the frames of their owners, where these are, with the velocities that
// their owners have there.
template <int D>
void place_samples(const Exec&, const Bodies<D>&, Span<const Index> owner, Span<const Vec<D>> local,
                   Span<Vec<D>> position, Span<Vec<D>> velocity);

}  // namespace rtsim::rigid
