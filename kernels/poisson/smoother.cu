#include "poisson/lines.h"
#include "poisson/poisson.h"

namespace rtsim::poisson {

namespace {

// The smoother of the multigrid: damped Jacobi.
struct SmoothFromZero {
  static constexpr bool every_cell = false;
  Real damping;
  const Real* b;
  Real* x;
  template <class L>
  RTSIM_HD void operator()(const L& l, const Cell& c) const {
    x[c.at] = damping * l.at(inverse, c.i) * b[c.at];
  }
};

struct SmoothFromZeroAndDot {
  SmoothFromZero smooth;
  template <class L>
  RTSIM_HD Real operator()(const L& l, const Cell& c) const {
    smooth(l, c);
    return smooth.b[c.at] * smooth.x[c.at];
  }
};

struct Smooth {
  static constexpr bool every_cell = false;
  Real damping;
  const Real *b, *x;
  Real* y;
  template <class L>
  RTSIM_HD void operator()(const L& l, const Cell& c) const {
    y[c.at] = x[c.at] + damping * l.at(inverse, c.i) * (b[c.at] - apply(l, c, x));
  }
};

struct SmoothAndDot {
  Smooth smooth;
  template <class L>
  RTSIM_HD Real operator()(const L& l, const Cell& c) const {
    smooth(l, c);
    return smooth.b[c.at] * smooth.y[c.at];
  }
};

}  // namespace

void smooth_from_zero(const Exec& ex, const Level& level, Real damping, Span<const Real> b,
                      Span<Real> x) {
  for_cells(ex, "poisson.smooth", level, SmoothFromZero{damping, b.data, x.data});
}

double smooth_from_zero_and_dot(const Exec& ex, const Level& level, Real damping,
                                Span<const Real> b, Span<Real> x) {
  return fold_cells<Sum>(ex, "poisson.smooth", level,
                         SmoothFromZeroAndDot{{damping, b.data, x.data}});
}

void smooth(const Exec& ex, const Level& level, Real damping, Span<const Real> b,
            Span<const Real> x, Span<Real> y) {
  for_cells(ex, "poisson.smooth", level, Smooth{damping, b.data, x.data, y.data});
}

double smooth_and_dot(const Exec& ex, const Level& level, Real damping, Span<const Real> b,
                      Span<const Real> x, Span<Real> y) {
  return fold_cells<Sum>(ex, "poisson.smooth", level,
                         SmoothAndDot{{damping, b.data, x.data, y.data}});
}

}  // namespace rtsim::poisson
