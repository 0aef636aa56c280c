#pragma once
#include "lbm/measures.h"

// Stretches of cells along x, which sums and derivatives of a flow are made of.
namespace rtsim::lbm {

// Cells that one call takes, side by side: places cost divisions.
constexpr Index stretch = 8;

RTSIM_HD inline Index stretches_per_row(const Layout& l) {
  return (l.n[0] + stretch - 1) / stretch;
}
inline Index stretches(const Layout& l) { return stretches_per_row(l) * l.rows(); }

// A cell and those beside it.
template <int D>
struct Beside {
  const Flow<D>& flow;
  Index at[3];

  // The first one of a stretch.
  RTSIM_HD Beside(const Flow<D>& f, Index number) : flow(f) {
    const Index per_row = stretches_per_row(f.layout), row = number / per_row;
    at[0] = stretch * (number % per_row), at[1] = row % f.layout.n[1], at[2] = row / f.layout.n[1];
  }
  RTSIM_HD Index end() const {
    return at[0] + stretch < flow.layout.n[0] ? at[0] + stretch : flow.layout.n[0];
  }

  RTSIM_HD Index cell(const Index (&x)[3]) const {
    return x[0] + flow.layout.n[0] * (x[1] + flow.layout.n[1] * x[2]);
  }
  RTSIM_HD bool fluid() const { return !flow.solid[flow.layout.slot(at[0], at[1], at[2])]; }

  // du/dx along an axis by central differences; by one-sided ones beside a wall, whose own velocity
  // is left out; 0 between two walls.
  RTSIM_HD Vec<D> slope(int axis) const {
    Vec<D> ends[2] = {flow.velocity[cell(at)], flow.velocity[cell(at)]};
    int steps = 0;
    for (int side = 0; side < 2; ++side) {
      const Index n = flow.layout.n[axis];
      Index x[3] = {at[0], at[1], at[2]};
      x[axis] += 2 * side - 1;
      if (flow.periodic[axis]) x[axis] = x[axis] < 0 ? n - 1 : x[axis] == n ? 0 : x[axis];
      if (flow.solid[flow.layout.slot(x[0], x[1], x[2])]) continue;  // ghosts are solid
      ends[side] = flow.velocity[cell(x)];
      ++steps;
    }
    if (steps == 0) return Vec<D>{};
    return (1 / (Real(steps) * flow.spacing)) * (ends[1] - ends[0]);
  }

  RTSIM_HD Curl<D> curl() const {
    const Vec<D> dx = slope(0), dy = slope(1);
    if constexpr (D == 2) {
      return dx[1] - dy[0];
    } else {
      const Vec<D> dz = slope(2);
      return {{dy[2] - dz[1], dz[0] - dx[2], dx[1] - dy[0]}};
    }
  }
};

RTSIM_HD inline double square_of(Real w) { return double(w) * double(w); }
RTSIM_HD inline double square_of(const Vec<3>& w) {
  return square_of(w[0]) + square_of(w[1]) + square_of(w[2]);
}

template <int D>
struct AddTotals {
  RTSIM_HD Totals<D> operator()(Totals<D> a, const Totals<D>& b) const {
    a.cells += b.cells, a.pressure += b.pressure, a.speed2 += b.speed2, a.curl2 += b.curl2;
    for (int k = 0; k < D; ++k) a.velocity[k] += b.velocity[k];
    for (int k = D == 2 ? 2 : 0; k < 3; ++k) a.angular_momentum[k] += b.angular_momentum[k];
    return a;
  }
};

template <int D>
struct StretchTotals {
  Flow<D> flow;
  Span<const Real> pressure;

  RTSIM_HD Totals<D> operator()(Index number) const {
    Totals<D> t;
    Beside<D> here(flow, number);
    for (const Index end = here.end(); here.at[0] < end; ++here.at[0])
      if (here.fluid()) add(t, here.at, here.cell(here.at), here.curl());
    return t;
  }

  // A cell of the row that `at` is in.
  RTSIM_HD void add(Totals<D>& t, const Index (&at)[3], Index cell, const Curl<D>& curl) const {
    t.cells += 1, t.pressure += double(pressure[cell]), t.curl2 += square_of(curl);
    double speed2 = 0;
    for (int a = 0; a < D; ++a) {
      const double u = double(flow.velocity[cell][a]);
      t.velocity[a] += u, speed2 += u * u;
    }
    t.speed2 += speed2;
    const Index first = flow.layout.n[0] * (at[1] + flow.layout.n[1] * at[2]);
    const double x[3] = {cell - first + 0.5, at[1] + 0.5, D == 3 ? at[2] + 0.5 : 0};
    const Vec3d u = widen(flow.velocity[cell]);
    for (int a = D == 2 ? 2 : 0; a < 3; ++a) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      t.angular_momentum[a] += x[b] * u[c] - x[c] * u[b];
    }
  }
};

template <int D>
struct StretchCurl {
  Flow<D> flow;
  Span<Curl<D>> curl;

  RTSIM_HD void operator()(Index number) const {
    Beside<D> here(flow, number);
    for (const Index end = here.end(); here.at[0] < end; ++here.at[0])
      curl[here.cell(here.at)] = here.fluid() ? here.curl() : Curl<D>{};
  }
};

// The CPU-shaped bodies, of the same bits.
template <int D>
Totals<D> totals_side_by_side(const Exec&, const Flow<D>&, Span<const Real> pressure);
template <int D>
void vorticity_side_by_side(const Exec&, const Flow<D>&, Span<Curl<D>>);

}  // namespace rtsim::lbm
