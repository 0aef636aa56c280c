#pragma once
#include "exec/parallel.h"

namespace rtsim::rigid {

// kernel(i) for every i in [0, n), of which each is a lot of work: a CPU's threads take no more
// than `rows` at a time.
template <class Kernel>
void for_bodies(const Exec& ex, const char* label, Index n, const Kernel& kernel,
                Index rows = 128) {
  if (ex.backend() == Backend::cuda) return parallel_for(ex, label, n, kernel);
  parallel_chunks(ex, label, n, rows, [&](Index begin, Index end) {
    const Kernel k = kernel;
    for (Index i = begin; i < end; ++i) k(i);
  });
}

}  // namespace rtsim::rigid
