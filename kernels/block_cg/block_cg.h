#pragma once
#include "block_cg/sym3.h"
#include "exec/exec.h"
#include "exec/span.h"

namespace rtsim::block_cg {

// Scratch of a solve, a row for each point.
struct Vectors {
  Span<Vec<3>> r, p, q;
  Span<const Sym3> inverse_diagonal;  // the preconditioner
};

struct Limits {
  double tolerance;  // of |r| / |b|, in the norm of the preconditioner
  int iterations;
};

struct Result {
  int iterations;
  double residual;  // |r| / |b| at the end
};

}  // namespace rtsim::block_cg
