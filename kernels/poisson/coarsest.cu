#include "exec/parallel.h"
#include "poisson/poisson.h"

// The coarsest level is solved by the inverse of its matrix.
namespace rtsim::poisson {

namespace {

struct RowOfMatrix {
  Index n;
  const Real *matrix, *b;
  Real* x;
  RTSIM_HD void operator()(Index i) const {
    double sum = 0;
    for (Index j = 0; j < n; ++j) sum += double(matrix[i * n + j]) * double(b[j]);
    x[i] = Real(sum);
  }
};

}  // namespace

void multiply(const Exec& ex, Index n, Span<const Real> matrix, Span<const Real> b, Span<Real> x) {
  parallel_for(ex, "poisson.coarsest", n, RowOfMatrix{n, matrix.data, b.data, x.data});
}

}  // namespace rtsim::poisson
