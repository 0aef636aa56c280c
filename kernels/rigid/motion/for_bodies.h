#pragma once
#include <algorithm>

#include "exec/parallel.h"
#include "lanes/row4.h"

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

// Likewise, and on a CPU eight rows at once where `kernel.eight(i)` can do those from i on.
template <class Kernel>
void for_eights(const Exec& ex, const char* label, Index n, const Kernel& kernel) {
  if (!ex.cpu_shaped()) return for_bodies(ex, label, n, kernel);
  constexpr Index rows = 128;  // whole eights
  parallel_chunks(ex, label, n, rows, [&](Index begin, Index end) {
    const Kernel k = kernel;
    for (Index i = begin; i < end; i += lane_count) {
      const Index next = std::min(end, i + lane_count);
      if (next - i == lane_count && k.eight(i)) continue;
      for (Index j = i; j < next; ++j) k(j);
    }
  });
}

}  // namespace rtsim::rigid
