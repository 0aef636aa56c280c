#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "region/half_spaces.h"

// Launchers for rows that leave a region.
namespace rtsim::removal {

// doomed[i] = 1 where row i is inside all of them or, if `outside`, beyond one of them; else 0. A
// position that is not finite is neither: it stays, for the watch to find.
template <int D>
void mark(const Exec&, const region::HalfSpaces&, bool outside, Span<const Vec<D>> position,
          Span<std::uint32_t> doomed);

}  // namespace rtsim::removal
