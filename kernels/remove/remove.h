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

// What the doomed rows have, of unit mass: v^2 / 2 [J/kg], and places [m].
struct Leaving {
  double kinetic = 0;
  double place[3] = {};
};
template <int D>
Leaving leaving(const Exec&, Span<const std::uint32_t> doomed, Span<const Vec<D>> position,
                Span<const Vec<D>> velocity);

}  // namespace rtsim::removal
