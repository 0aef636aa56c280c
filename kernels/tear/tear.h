#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"

// Launchers for edges that break where they are stretched too far.
namespace rtsim::tear {

// |x1 - x0| / L - 1 of every edge; -1 of those that are torn.
void strains(const Exec&, Span<const VecT<std::int32_t, 2>> ends, Span<const Real> length,
             Span<const std::uint32_t> torn, Span<const Vec<3>> position, Span<Real> strain);

// The edges at each point: slots first[p] to first[p + 1] of 2 * edge + end.
struct Star {
  Span<const VecT<std::int32_t, 2>> ends;
  Span<const Index> first, slots;
};

// Tears edges beyond the limit; of those that meet in a point only the most strained one, for it
// relieves the others. Returns how many broke.
Index tear(const Exec&, Real limit, const Star&, Span<const Real> strain, Span<std::uint32_t> torn);

Index count(const Exec&, Span<const std::uint32_t> torn);

}  // namespace rtsim::tear
