#pragma once
#include "exec/parallel.h"
#include "rigid/joints/joints.h"

namespace rtsim::rigid {

template <int D>
Index islands(const JointSystem<D>& s) {
  return s.islands.size - 1;
}

template <class Kernel>
struct EachOf {
  const Kernel& kernel;
  void operator()(Index begin, Index end) const {
    for (Index k = begin; k < end; ++k) kernel(k);
  }
};

// Islands are few and large.
template <class Kernel>
void each_island(const Exec& ex, const char* label, Index n, const Kernel& kernel) {
  if (ex.backend() == Backend::cuda) return parallel_for(ex, label, n, kernel);
  parallel_chunks(ex, label, n, 1, EachOf<Kernel>{kernel});
}

}  // namespace rtsim::rigid
