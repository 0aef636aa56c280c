#pragma once
#include "exec/exec.h"
#include "exec/span.h"

// Launches of the tests' own, of which the results are known.
namespace rtsim::loops {

void triple(const Exec&, Span<Index> out);       // 3 i mod 1000
double sum_of_waves(const Exec&, Index n);       // of sin(0.37 i), in double
float float_sum_of_waves(const Exec&, Index n);  // the same in float
Index greatest(const Exec&, Span<const Index>);  // or -1
struct Moments {
  double sum[40];  // more than 48 KiB a block of 256 threads: fewer threads fold
};
Moments moments(const Exec&, Index n);  // sum[k] = the sum over i of (i + k) mod 7

// Of every hundred in turn, the last of them whole or not, from the last to the first.
void turn_round(const Exec&, Span<const Index> in, Span<Index> out);

}  // namespace rtsim::loops
