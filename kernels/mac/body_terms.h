#pragma once
#include <vector>

#include "mac/mac.h"
#include "poisson/body_terms.h"

namespace rtsim::mac {

// The terms of the bodies among the solids (poisson/body_terms.h), by cells: `body_of` each solid,
// -1 of those that do not yield. Closed sides of the domain do not move with a body. What a body
// moves into another solid has the cell -1: with it the flows of a body add up to nothing, but for
// what goes through open sides.
std::vector<poisson::BodyTerm> body_terms(const Exec&, const Domain&, const Walls&,
                                          const SolidNodes&, Span<const Index> body_of);

}  // namespace rtsim::mac
