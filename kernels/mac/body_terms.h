#pragma once
#include <vector>

#include "mac/mac.h"
#include "poisson/body_terms.h"

namespace rtsim::mac {

// The terms of the bodies among the solids (poisson/body_terms.h), by cells: `body_of` each solid,
// -1 of those that do not yield. Sides of the domain that are closed do not move with a body.
std::vector<poisson::BodyTerm> body_terms(const Exec&, const Domain&, const Walls&,
                                          const SolidNodes&, Span<const Index> body_of);

}  // namespace rtsim::mac
