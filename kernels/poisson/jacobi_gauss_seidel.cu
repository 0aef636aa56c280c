#include "poisson/lines.h"
#include "poisson/poisson.h"

namespace rtsim::poisson {

namespace {

struct Jacobi {
  double damping;
  const Real* b;
  const double* x;
  double* y;
  template <class L>
  RTSIM_HD Real operator()(const L& l, const Cell& c) const {
    const double r = double(b[c.at]) - apply(l, c, x);
    y[c.at] = x[c.at] + damping * double(l.at(inverse, c.i)) * r;
    return Real(r < 0 ? -r : r);
  }
};

// Whether the cells after the last one along an axis have the colour of the last one.
RTSIM_HD bool clashes(const Level& level, int axis) {
  return level.periodic[axis] && level.n[axis] > 1 && level.n[axis] % 2 == 1;
}

struct GaussSeidel {
  Level level;
  int colour;
  const Real* b;
  double* x;

  RTSIM_HD int colour_of(const Index (&at)[3]) const {
    int layers = 0;
    for (int a = 0; a < 3; ++a)
      if (clashes(level, a) && at[a] == level.n[a] - 1) layers |= 1 << a;
    return 2 * layers + (at[0] + at[1] + at[2]) % 2;
  }
  RTSIM_HD void operator()(Index row) const {
    const Index which = row / level.n[0], i = row % level.n[0];
    if (colour_of({i, which % level.n[1], which / level.n[1]}) != colour) return;
    const Line l = level.line(which);
    const Cell c = any_cell(l, level.n[0], i);
    x[row] += double(l.at(inverse, i)) * (double(b[row]) - apply(l, c, x));
  }
};

}  // namespace

double jacobi(const Exec& ex, const Level& level, double damping, Span<const Real> b,
              Span<const double> x, Span<double> y) {
  return fold_cells<Largest>(ex, "poisson.relax", level, Jacobi{damping, b.data, x.data, y.data});
}

int colours(const Level& level) {
  int layers = 0;
  for (int a = 0; a < 3; ++a)
    if (clashes(level, a)) layers |= 1 << a;
  return 2 * (layers + 1);
}

void gauss_seidel(const Exec& ex, const Level& level, int colour, Span<const Real> b,
                  Span<double> x) {
  parallel_for(ex, "poisson.relax", level.cells(), GaussSeidel{level, colour, b.data, x.data});
}

}  // namespace rtsim::poisson
