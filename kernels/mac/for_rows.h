#pragma once
#include "exec/parallel.h"
#include "mac/lattice.h"

namespace rtsim::mac {

namespace detail {
template <class Kernel>
struct RowOf {
  Kernel kernel;
  Index nx, ny;

  RTSIM_HD void operator()(Index r) const { kernel(r % nx, r / nx % ny, r / nx / ny); }
};
}  // namespace detail

// kernel(i, j, k) for every row of a lattice. The CPU goes along x without a division, in loops
// that the compiler vectorises; so a kernel may write to its own row alone.
template <class Kernel>
void for_rows(const Exec& ex, const char* label, const Domain& d, int lattice,
              const Kernel& kernel) {
  const Index nx = d.count(lattice, 0), ny = d.count(lattice, 1), lines = ny * d.count(lattice, 2);
  if (!ex.cpu_shaped())
    return parallel_for(ex, label, nx * lines, detail::RowOf<Kernel>{kernel, nx, ny});
  parallel_chunks(ex, label, lines, 1 + 8192 / nx, [&](Index begin, Index end) {
    const Kernel own = kernel;
    for (Index l = begin; l < end; ++l) {
      const Index j = l % ny, k = l / ny;
#if !defined(__clang__) && !defined(__CUDACC__)
#pragma GCC ivdep
#endif
      for (Index i = 0; i < nx; ++i) own(i, j, k);
    }
  });
}

}  // namespace rtsim::mac
