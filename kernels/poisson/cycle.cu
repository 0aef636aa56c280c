#include "poisson/lines.h"
#include "poisson/poisson.h"

namespace rtsim::poisson {

namespace {

struct FirstSweep {
  Real damping;
  const Real* b;
  Real* x;
  RTSIM_HD void operator()(const Line& l, const Cell& c) const {
    x[c.at] = damping * l.row(inverse)[c.i] * b[c.at];
  }
};

struct FirstSweepAndDot {
  FirstSweep sweep;
  RTSIM_HD Real operator()(const Line& l, const Cell& c) const {
    sweep(l, c);
    return sweep.b[c.at] * sweep.x[c.at];
  }
};

struct Sweep {
  Real damping;
  const Real *b, *x;
  Real* y;
  RTSIM_HD void operator()(const Line& l, const Cell& c) const {
    y[c.at] = x[c.at] + damping * l.row(inverse)[c.i] * (b[c.at] - apply(l, c, x));
  }
};

struct SweepAndDot {
  Sweep sweep;
  RTSIM_HD Real operator()(const Line& l, const Cell& c) const {
    sweep(l, c);
    return sweep.b[c.at] * sweep.y[c.at];
  }
};

}  // namespace

void first_sweep(const Exec& ex, const Level& level, Real damping, Span<const Real> b,
                 Span<Real> x) {
  for_cells(ex, "poisson.smooth", level, FirstSweep{damping, b.data, x.data});
}

double first_sweep_and_dot(const Exec& ex, const Level& level, Real damping, Span<const Real> b,
                           Span<Real> x) {
  return fold_cells<Sum>(ex, "poisson.smooth", level, FirstSweepAndDot{{damping, b.data, x.data}});
}

void sweep(const Exec& ex, const Level& level, Real damping, Span<const Real> b, Span<const Real> x,
           Span<Real> y) {
  for_cells(ex, "poisson.smooth", level, Sweep{damping, b.data, x.data, y.data});
}

double sweep_and_dot(const Exec& ex, const Level& level, Real damping, Span<const Real> b,
                     Span<const Real> x, Span<Real> y) {
  return fold_cells<Sum>(ex, "poisson.smooth", level,
                         SweepAndDot{{damping, b.data, x.data, y.data}});
}

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
