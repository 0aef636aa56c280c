#pragma once
#include "exec/parallel.h"
#include "mac/lattice.h"

namespace rtsim::mac {

namespace detail {
template <class T, class Kernel, class Op>
struct FoldLine {
  Kernel kernel;
  Op op;
  T identity;
  Index nx, ny;

  RTSIM_HD T operator()(Index line) const {
    T all = identity;
    for (Index i = 0; i < nx; ++i) all = op(all, kernel(i, line % ny, line / ny));
    return all;
  }
};
template <class Kernel>
struct TermOf {
  Kernel kernel;
  Index nx, ny;

  RTSIM_HD auto operator()(Index r) const { return kernel(r % nx, r / nx % ny, r / nx / ny); }
};
}  // namespace detail

// kernel(i, j, k) folded over the rows of a lattice: by lines on the CPU, where no place is divided
// out, and row by row on a device, which has more threads than lines.
template <class T, class Kernel, class Op>
T reduce_rows(const Exec& ex, const char* label, const Domain& d, int lattice, const T& identity,
              const Kernel& kernel, Op op) {
  const Index nx = d.count(lattice, 0), ny = d.count(lattice, 1), lines = ny * d.count(lattice, 2);
  if (!ex.cpu_shaped())
    return reduce(ex, label, nx * lines, identity, detail::TermOf<Kernel>{kernel, nx, ny}, op);
  return reduce(ex, label, lines, identity,
                detail::FoldLine<T, Kernel, Op>{kernel, op, identity, nx, ny}, op);
}

}  // namespace rtsim::mac
