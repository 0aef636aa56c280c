#include "poisson/lines.h"
#include "poisson/poisson.h"

namespace rtsim::poisson {

namespace {

RTSIM_HD inline Real magnitude(Real a) { return a < 0 ? -a : a; }

struct Load {
  static constexpr bool every_cell = false;
  double h2;
  const Real *right_hand_side, *pressure;
  Real* b;
  double* x;
  template <class L>
  RTSIM_HD void operator()(const L& l, const Cell& c) const {
    const bool unknown = l.at(inverse, c.i) > 0;
    b[c.at] = unknown ? Real(-h2 * double(right_hand_side[c.at])) : Real(0);
    x[c.at] = unknown ? double(pressure[c.at]) : 0;
  }
};

struct Magnitude {
  const Real* a;
  template <class L>
  RTSIM_HD Real operator()(const L&, const Cell& c) const {
    return magnitude(a[c.at]);
  }
};

struct Residual {
  const Real* b;
  const double* x;
  Real* r;
  template <class L>
  RTSIM_HD Real operator()(const L& l, const Cell& c) const {
    const Real e = Real(double(b[c.at]) - apply(l, c, x));
    r[c.at] = e;
    return magnitude(e);
  }
};

struct UpdateDirection {
  static constexpr bool every_cell = false;
  Real beta;
  const Real* z;
  Real* p;
  template <class L>
  RTSIM_HD void operator()(const L&, const Cell& c) const {
    p[c.at] = z[c.at] + beta * p[c.at];
  }
};

struct PDotAp {
  const Real* p;
  template <class L>
  RTSIM_HD Real operator()(const L& l, const Cell& c) const {
    return p[c.at] * apply(l, c, p);
  }
};

struct Advance {
  Real alpha;
  const Real* p;
  double* x;
  Real* r;
  template <class L>
  RTSIM_HD Real operator()(const L& l, const Cell& c) const {
    x[c.at] += double(alpha) * double(p[c.at]);
    const Real e = r[c.at] - alpha * apply(l, c, p);
    r[c.at] = e;
    return magnitude(e);
  }
};

// Advance, and the first smoothing of the next V-cycle, while the residual is at hand.
struct AdvanceAndSmooth {
  Advance advance;
  Real damping;
  Real* smoothed;
  template <class L>
  RTSIM_HD Real operator()(const L& l, const Cell& c) const {
    const Real size = advance(l, c);
    smoothed[c.at] = damping * l.at(inverse, c.i) * advance.r[c.at];
    return size;
  }
};

struct Store {
  static constexpr bool every_cell = true;
  double* x;
  Real* pressure;
  template <class L>
  RTSIM_HD void operator()(const L& l, const Cell& c) const {
    if (!(l.at(inverse, c.i) > 0)) x[c.at] = 0;
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
    const auto cell = [&](Index c) {
      if (faces.periodic[axis]) c = c < 0 ? n - 1 : c < n ? c : 0;
      if (c < 0 || c >= n) return Index(-1);
      at[axis] = c;
      return at[0] + faces.n[0] * (at[1] + faces.n[1] * at[2]);
    };
    push(row, cell(face - 1), cell(face));
  }

  // Between two cells, of which -1 is outside.
  RTSIM_HD void push(Index row, Index low, Index high) const {
    double step = (high < 0 ? 0.0 : p[high]) - (low < 0 ? 0.0 : p[low]);
    if (faces.surface && low >= 0 && high >= 0 && faces.in_air(low) != faces.in_air(high))
      step /=
          double(faces.in_air(high) ? faces.way_to_air(low, high) : faces.way_to_air(high, low));
    velocity[row] = Real(double(velocity[row]) - factor * step);
  }

  // The same of a line along x, where there is a cell on both sides without a division.
  RTSIM_HD void line(Index l) const {
    const Index nx = faces.n[0] + (axis == 0), ny = faces.n[1] + (axis == 1);
    const Index n = faces.n[axis], j = l % ny, k = l / ny;
    const Index face = axis == 1 ? j : k, row = l * nx;
    if (axis > 0 && (face == 0 || face == n)) {
      for (Index i = 0; i < nx; ++i) (*this)(row + i);
      return;
    }
    if (axis == 0) (*this)(row), (*this)(row + n);
    const Index to_low = faces.n[0] * ((j - (axis == 1)) + faces.n[1] * (k - (axis == 2))),
                to_high = faces.n[0] * (j + faces.n[1] * k);
    const double *low = p + to_low - (axis == 0), *high = p + to_high;
    const Real* open = faces.open[axis] + row;
    Real* u = velocity + row;
    if (faces.surface) {
      for (Index i = axis == 0; i < faces.n[0]; ++i)
        if (open[i] > 0) push(row + i, to_low - (axis == 0) + i, to_high + i);
      return;
    }
    for (Index i = axis == 0; i < faces.n[0]; ++i) {
      const Real pushed = Real(double(u[i]) - factor * (high[i] - low[i]));
      u[i] = open[i] > 0 ? pushed : u[i];
    }
  }
};

}  // namespace

void load(const Exec& ex, const Level& level, double h2, Span<const Real> right_hand_side,
          Span<const Real> pressure, Span<Real> b, Span<double> x) {
  for_cells(ex, "poisson.load", level,
            Load{h2, right_hand_side.data, pressure.data, b.data, x.data});
}

double max_norm(const Exec& ex, const Level& level, Span<const Real> a) {
  return fold_cells<Largest>(ex, "poisson.residual", level, Magnitude{a.data});
}

double residual(const Exec& ex, const Level& level, Span<const Real> b, Span<const double> x,
                Span<Real> r) {
  return fold_cells<Largest>(ex, "poisson.residual", level, Residual{b.data, x.data, r.data});
}

void update_direction(const Exec& ex, const Level& level, Real beta, Span<const Real> z,
                      Span<Real> p) {
  for_cells(ex, "poisson.cg", level, UpdateDirection{beta, z.data, p.data});
}

double p_dot_Ap(const Exec& ex, const Level& level, Span<const Real> p) {
  return fold_cells<Sum>(ex, "poisson.cg", level, PDotAp{p.data});
}

double advance(const Exec& ex, const Level& level, Real alpha, Span<const Real> p, Span<double> x,
               Span<Real> r) {
  return fold_cells<Largest>(ex, "poisson.cg", level, Advance{alpha, p.data, x.data, r.data});
}

double advance_and_smooth(const Exec& ex, const Level& level, Real alpha, Span<const Real> p,
                          Span<double> x, Span<Real> r, Real damping, Span<Real> smoothed) {
  return fold_cells<Largest>(
      ex, "poisson.cg", level,
      AdvanceAndSmooth{{alpha, p.data, x.data, r.data}, damping, smoothed.data});
}

void store(const Exec& ex, const Level& level, Span<double> x, Span<Real> pressure) {
  for_cells(ex, "poisson.load", level, Store{x.data, pressure.data});
}

void subtract_gradient(const Exec& ex, const Faces& faces, int axis, double factor,
                       Span<const double> p, Span<Real> velocity) {
  const SubtractGradient body{faces, axis, factor, p.data, velocity.data};
  if (!ex.cpu_shaped()) return parallel_for(ex, "poisson.gradient", velocity.size, body);
  const Index nx = faces.n[0] + (axis == 0), lines = velocity.size / nx;
  parallel_chunks(ex, "poisson.gradient", lines, 1 + 8192 / nx, [&](Index begin, Index end) {
    const SubtractGradient own = body;
    for (Index l = begin; l < end; ++l) own.line(l);
  });
}

}  // namespace rtsim::poisson
