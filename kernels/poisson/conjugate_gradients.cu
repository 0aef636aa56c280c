#include "poisson/lines.h"
#include "poisson/poisson.h"

namespace rtsim::poisson {

namespace {

RTSIM_HD inline Real magnitude(Real a) { return a < 0 ? -a : a; }

struct Load {
  double h2;
  const Real *right_side, *pressure;
  Real* b;
  double* x;
  RTSIM_HD void operator()(const Line& l, const Cell& c) const {
    const bool unknown = l.row(inverse)[c.i] > 0;
    b[c.at] = unknown ? Real(-h2 * double(right_side[c.at])) : Real(0);
    x[c.at] = unknown ? double(pressure[c.at]) : 0;
  }
};

struct Size {
  const Real* a;
  RTSIM_HD Real operator()(const Line&, const Cell& c) const { return magnitude(a[c.at]); }
};

struct Residual {
  const Real* b;
  const double* x;
  Real* r;
  RTSIM_HD Real operator()(const Line& l, const Cell& c) const {
    const Real e = Real(double(b[c.at]) - apply(l, c, x));
    r[c.at] = e;
    return magnitude(e);
  }
};

struct Turn {
  Real beta;
  const Real* z;
  Real* p;
  RTSIM_HD void operator()(const Line&, const Cell& c) const { p[c.at] = z[c.at] + beta * p[c.at]; }
};

struct Curvature {
  const Real* p;
  RTSIM_HD Real operator()(const Line& l, const Cell& c) const { return p[c.at] * apply(l, c, p); }
};

struct Advance {
  Real alpha;
  const Real* p;
  double* x;
  Real* r;
  RTSIM_HD Real operator()(const Line& l, const Cell& c) const {
    x[c.at] += double(alpha) * double(p[c.at]);
    const Real e = r[c.at] - alpha * apply(l, c, p);
    r[c.at] = e;
    return magnitude(e);
  }
};

// And the first sweep of the next cycle, while the residual is at hand.
struct AdvanceAndSweep {
  Advance advance;
  Real damping;
  Real* swept;
  RTSIM_HD Real operator()(const Line& l, const Cell& c) const {
    const Real size = advance(l, c);
    swept[c.at] = damping * l.row(inverse)[c.i] * advance.r[c.at];
    return size;
  }
};

struct Store {
  double* x;
  Real* pressure;
  RTSIM_HD void operator()(const Line& l, const Cell& c) const {
    if (!(l.row(inverse)[c.i] > 0)) x[c.at] = 0;
    pressure[c.at] = Real(x[c.at]);
  }
};

struct SubtractGradient {
  Faces faces;
  int axis;
  double factor;
  const double* p;
  Real* velocity;

  RTSIM_HD void operator()(Index row) const {
    const Index size[3] = {faces.n[0] + (axis == 0), faces.n[1] + (axis == 1),
                           faces.n[2] + (axis == 2)};
    Index at[3] = {row % size[0], row / size[0] % size[1], row / size[0] / size[1]};
    const Index n = faces.n[axis], face = at[axis];
    const bool wraps = faces.periodic[axis] && face == n;
    const Index first = row - (axis == 0 ? n : axis == 1 ? n * size[0] : n * size[0] * size[1]);
    if (!(faces.open[axis][wraps ? first : row] > 0)) return;
    const auto pressure = [&](Index c) {
      if (faces.periodic[axis]) c = c < 0 ? n - 1 : c < n ? c : 0;
      if (c < 0 || c >= n) return 0.0;
      at[axis] = c;
      return p[at[0] + faces.n[0] * (at[1] + faces.n[1] * at[2])];
    };
    const double low = pressure(face - 1), high = pressure(face);
    velocity[row] = Real(double(velocity[row]) - factor * (high - low));
  }
};

}  // namespace

void load(const Exec& ex, const Level& level, double h2, Span<const Real> right_side,
          Span<const Real> pressure, Span<Real> b, Span<double> x) {
  for_cells(ex, "poisson.load", level, Load{h2, right_side.data, pressure.data, b.data, x.data});
}

double largest(const Exec& ex, const Level& level, Span<const Real> a) {
  return fold_cells<Largest>(ex, "poisson.residual", level, Size{a.data});
}

double residual(const Exec& ex, const Level& level, Span<const Real> b, Span<const double> x,
                Span<Real> r) {
  return fold_cells<Largest>(ex, "poisson.residual", level, Residual{b.data, x.data, r.data});
}

void turn(const Exec& ex, const Level& level, Real beta, Span<const Real> z, Span<Real> p) {
  for_cells(ex, "poisson.cg", level, Turn{beta, z.data, p.data});
}

double curvature(const Exec& ex, const Level& level, Span<const Real> p) {
  return fold_cells<Sum>(ex, "poisson.cg", level, Curvature{p.data});
}

double advance(const Exec& ex, const Level& level, Real alpha, Span<const Real> p, Span<double> x,
               Span<Real> r) {
  return fold_cells<Largest>(ex, "poisson.cg", level, Advance{alpha, p.data, x.data, r.data});
}

double advance_and_sweep(const Exec& ex, const Level& level, Real alpha, Span<const Real> p,
                         Span<double> x, Span<Real> r, Real damping, Span<Real> swept) {
  return fold_cells<Largest>(ex, "poisson.cg", level,
                             AdvanceAndSweep{{alpha, p.data, x.data, r.data}, damping, swept.data});
}

void store(const Exec& ex, const Level& level, Span<double> x, Span<Real> pressure) {
  for_cells(ex, "poisson.load", level, Store{x.data, pressure.data});
}

void subtract_gradient(const Exec& ex, const Faces& faces, int axis, double factor,
                       Span<const double> p, Span<Real> velocity) {
  parallel_for(ex, "poisson.gradient", velocity.size,
               SubtractGradient{faces, axis, factor, p.data, velocity.data});
}

}  // namespace rtsim::poisson
