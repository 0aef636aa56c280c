#pragma once
#include "lbm/links.h"

namespace rtsim::lbm {

// The CPU's body of a step: cells of a row eight at a time, then the row's links while its
// populations are still in the cache.
template <int D, class Stored>
struct RowStep {
  Bounce<D, Stored> bounce;
  Walk walk;
  Output<D> out;
  Span<Real> row_speed2;
};

template <int D, class Stored, bool forced, bool eddy>
void step_rows(const Exec&, const RowStep<D, Stored>&);

}  // namespace rtsim::lbm
