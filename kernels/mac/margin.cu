#include "mac/margin.h"

#include "exec/parallel.h"

namespace rtsim::mac {

namespace {

struct CopyLine {
  Layout layout;
  Index n, ny;
  Span<const Real> rows;
  Real* padded;

  RTSIM_HD void operator()(Index line) const {
    const Real* from = rows.data + Offset(line) * n;
    Real* to = padded + layout.origin + layout.at(0, line % ny, line / ny);
    for (Index i = 0; i < n; ++i) to[i] = from[i];
  }
};

// The value inside that an index outside takes its own from.
RTSIM_HD Index inner(Index i, Index n, bool periodic, Index period) {
  if (i >= 0 && i < n) return i;
  if (periodic) return i < 0 ? i + period : i - period;
  return i < 0 ? 0 : n - 1;
}

struct Velocity {
  Domain domain;
  int component;

  // Walls and inflows hold what flows along them at half a cell's distance: u = 2 u_wall -
  // u_inside.
  RTSIM_HD Real outside(int axis, int end, Real v) const {
    const Side s = domain.side[axis][end];
    if (axis == component || (s != Side::no_slip && s != Side::inflow)) return v;
    return 2 * domain.side_velocity[axis][end][component] - v;
  }
};

struct Scalar {
  Domain domain;
  SideValues sides;
  static constexpr int component = centres;

  RTSIM_HD Real outside(int axis, int end, Real v) const {
    if (sides.wall[axis][end]) return 2 * sides.value[axis][end] - v;
    return domain.side[axis][end] == Side::inflow ? sides.value[axis][end] : v;
  }
};

struct Centred {
  Domain domain;
  int along;
  static constexpr int component = centres;

  RTSIM_HD Real outside(int axis, int end, Real v) const {
    const Side s = domain.side[axis][end];
    if (s == Side::open || (s == Side::free_slip && axis != along)) return v;
    return 2 * domain.side_velocity[axis][end][along] - v;
  }
};

template <class Rule>
struct FillLine {
  Layout layout;
  Rule rule;
  Real* padded;

  RTSIM_HD Real value(Index i, Index j, Index k) const {
    const Domain& d = rule.domain;
    const Index at[3] = {i, j, k};
    Index from[3], n[3];
    for (int a = 0; a < 3; ++a) {
      n[a] = d.count(rule.component, a);
      from[a] = inner(at[a], n[a], d.periodic(a), d.cells[a]);
    }
    Real v = padded[layout.origin + layout.at(from[0], from[1], from[2])];
    for (int a = 0; a < d.dims; ++a) {
      if (d.periodic(a)) continue;
      if (at[a] < 0) v = rule.outside(a, 0, v);
      if (at[a] >= n[a]) v = rule.outside(a, 1, v);
    }
    return v;
  }

  RTSIM_HD void operator()(Index line) const {
    const Domain& d = rule.domain;
    const Index lines = layout.plane / layout.pitch, nx = d.count(rule.component, 0);
    const Index j = line % lines - Layout::low, k = line / lines - (d.dims == 3 ? Layout::low : 0);
    const bool inside =
        j >= 0 && j < d.count(rule.component, 1) && k >= 0 && k < d.count(rule.component, 2);
    Real* to = padded + layout.origin + layout.at(0, j, k);
    const Index end = d.cells[0] + Layout::high;
    for (Index i = -Layout::low; i < end; ++i) {
      if (inside && i == 0) i = nx;
      if (i < end) to[i] = value(i, j, k);
    }
  }
};

template <class Rule>
void fill(const Exec& ex, const Rule& rule, Real* padded) {
  const Layout layout = Layout::of(rule.domain);
  parallel_for(ex, "mac.margin", layout.size / layout.pitch, FillLine<Rule>{layout, rule, padded});
}

}  // namespace

void to_padded(const Exec& ex, const Domain& d, int lattice, Span<const Real> rows, Real* padded) {
  const Index n = d.count(lattice, 0), ny = d.count(lattice, 1);
  parallel_for(ex, "mac.to_padded", ny * d.count(lattice, 2),
               CopyLine{Layout::of(d), n, ny, rows, padded});
}

void fill_velocity_margin(const Exec& ex, const Domain& d, int axis, Real* padded) {
  fill(ex, Velocity{d, axis}, padded);
}

void fill_scalar_margin(const Exec& ex, const Domain& d, const SideValues& sides, Real* padded) {
  fill(ex, Scalar{d, sides}, padded);
}

void fill_centred_margin(const Exec& ex, const Domain& d, int component, Real* padded) {
  fill(ex, Centred{d, component}, padded);
}

}  // namespace rtsim::mac
