#pragma once
#include "block_cg/block_cg.h"
#include "block_cg/block_matrix.h"

// Forms for the CPU, eight rows at once.
namespace rtsim::block_cg {

Squares precondition_lanes(const Exec&, const Vectors&);
double multiply_lanes(const Exec&, const BlockMatrix&, Span<const Row4> p, Span<Row4> q);

}  // namespace rtsim::block_cg
