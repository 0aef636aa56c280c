#pragma once
#include "exec/exec.h"
#include "exec/span.h"

// Two launches that measure the machine rather than a solver.
namespace rtsim::bench {

// a_i = b_i + s c_i, the triad of McCalpin, "Memory Bandwidth and Machine Balance in Current High
// Performance Computers", 1995: three streams of memory, two flops.
void triad(const Exec&, Span<Real> a, Span<const Real> b, Span<const Real> c, Real s);

// Zeroes a few rows: what a launch costs by itself.
void empty_launch(const Exec&, Span<Real> a);

}  // namespace rtsim::bench
