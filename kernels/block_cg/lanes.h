#pragma once
#include "block_cg/block_cg.h"

namespace rtsim::block_cg {

// `advance`, eight rows at once, for the CPU.
double advance_lanes(const Exec&, const Vectors&, Real alpha, Span<Row4> x);

}  // namespace rtsim::block_cg
