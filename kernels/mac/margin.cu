#include "mac/margin.h"

#include "mac/for_rows.h"

namespace rtsim::mac {

namespace {

// Between the rows of a lattice and their places among margins.
struct Copy {
  Domain domain;
  Layout layout;
  int lattice;
  const Real* rows;
  Real* padded;
  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    padded[layout.at(i, j, k)] = rows[domain.row(lattice, i, j, k)];
  }
};
struct CopyBack {
  Domain domain;
  Layout layout;
  int lattice;
  const Real* padded;
  Real* rows;
  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    rows[domain.row(lattice, i, j, k)] = padded[layout.at(i, j, k)];
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
    const BoundaryCondition s = domain.condition[axis][end];
    if (axis == component || (s != BoundaryCondition::no_slip && s != BoundaryCondition::inflow))
      return v;
    return 2 * domain.boundary_velocity[axis][end][component] - v;
  }
};

struct Scalar {
  Domain domain;
  ScalarConditions conditions;
  static constexpr int component = centres;

  RTSIM_HD Real outside(int axis, int end, Real v) const {
    const bool held =
        conditions.wall[axis][end] || domain.condition[axis][end] == BoundaryCondition::inflow;
    return held ? conditions.value[axis][end] : v;
  }
};

struct Centred {
  Domain domain;
  int along;
  static constexpr int component = centres;

  RTSIM_HD Real outside(int axis, int end, Real v) const {
    const BoundaryCondition s = domain.condition[axis][end];
    if (s == BoundaryCondition::open || (s == BoundaryCondition::free_slip && axis != along))
      return v;
    return 2 * domain.boundary_velocity[axis][end][along] - v;
  }
};

template <class Rule>
struct FillLine {
  Layout layout;
  Rule rule;
  Real* padded;

  // Beside a line's end, and then beside a line.
  RTSIM_HD Real beside_end(const Real* from, Index i, Index n) const {
    const Domain& d = rule.domain;
    const Real v = from[inner(i, n, d.periodic(0), d.cells[0])];
    if (d.periodic(0)) return v;
    return i < 0 ? rule.outside(0, 0, v) : i >= n ? rule.outside(0, 1, v) : v;
  }
  RTSIM_HD Real beside_line(const Index end[3], Real v) const {
    if (end[1] >= 0) v = rule.outside(1, int(end[1]), v);
    if (end[2] >= 0) v = rule.outside(2, int(end[2]), v);
    return v;
  }

  // Where line (j, k) takes its values from, and beyond which ends of axes it lies.
  struct Source {
    const Real* from;
    Index end[3];
    bool inside;
  };
  RTSIM_HD Source source(Index j, Index k) const {
    const Domain& d = rule.domain;
    const Index at[3] = {0, j, k};
    Index from_line[3];
    Source s{nullptr, {-1, -1, -1}, true};
    for (int a = 1; a < 3; ++a) {
      const Index n = d.count(rule.component, a);
      from_line[a] = inner(at[a], n, d.periodic(a), d.cells[a]);
      if (at[a] == from_line[a]) continue;
      s.inside = false;
      if (a < d.dims && !d.periodic(a)) s.end[a] = at[a] >= n;
    }
    s.from = padded + layout.origin + layout.at(0, from_line[1], from_line[2]);
    return s;
  }

  RTSIM_HD void operator()(Index line) const {
    const Index lines = layout.plane / layout.pitch, nx = rule.domain.count(rule.component, 0);
    const Index j = line % lines - Layout::low,
                k = line / lines - (rule.domain.dims == 3 ? Layout::low : 0);
    const Source s = source(j, k);
    Real* to = padded + layout.origin + layout.at(0, j, k);
    for (Index i = 0; i < nx && !s.inside; ++i) to[i] = beside_line(s.end, s.from[i]);
    for (Index i = -Layout::low; i < 0; ++i) to[i] = beside_line(s.end, beside_end(s.from, i, nx));
    for (Index i = nx; i < rule.domain.cells[0] + Layout::high; ++i)
      to[i] = beside_line(s.end, beside_end(s.from, i, nx));
  }
  // The same of one place.
  RTSIM_HD void at(Index i, Index j, Index k) const {
    const Index nx = rule.domain.count(rule.component, 0);
    const Source s = source(j, k);
    if (s.inside && i >= 0 && i < nx) return;
    padded[layout.origin + layout.at(i, j, k)] = beside_line(s.end, beside_end(s.from, i, nx));
  }
};

// The places of the margin one after the other, for devices: the layers across z, of what is
// between them those across y, and then those across x.
template <class Rule>
struct FillPlace {
  FillLine<Rule> fill;
  Index lines;               // of a layer across z
  Index across_z, across_y;  // where they end

  static constexpr Index layers = Layout::low + Layout::high;

  FillPlace(const FillLine<Rule>& f) : fill(f) {
    const Domain& d = f.rule.domain;
    lines = f.layout.plane / f.layout.pitch;
    across_z = d.dims == 3 ? layers * f.layout.plane : 0;
    across_y = across_z + layers * f.layout.pitch * d.cells[2];
  }
  Index places() const {
    const Domain& d = fill.rule.domain;
    return across_y + layers * d.cells[1] * d.cells[2];
  }
  RTSIM_HD static Index outside(Index layer, Index cells) {
    return layer < Layout::low ? layer - Layout::low : cells + layer - Layout::low;
  }
  RTSIM_HD void operator()(Index r) const {
    const Index *n = fill.rule.domain.cells, pitch = fill.layout.pitch;
    if (r < across_z) {
      const Index in = r % (lines * pitch);
      fill.at(in % pitch - Layout::low, in / pitch - Layout::low,
              outside(r / (lines * pitch), n[2]));
    } else if (r < across_y) {
      const Index line = (r - across_z) / pitch;
      fill.at((r - across_z) % pitch - Layout::low, outside(line % layers, n[1]), line / layers);
    } else {
      const Index line = (r - across_y) / layers;
      fill.at(outside((r - across_y) % layers, n[0]), line % n[1], line / n[1]);
    }
  }
};

template <class Rule>
void fill(const Exec& ex, const Rule& rule, Real* padded) {
  const Layout layout = Layout::of(rule.domain);
  const FillLine<Rule> line{layout, rule, padded};
  if (ex.cpu_shaped()) return parallel_for(ex, "mac.margin", layout.size / layout.pitch, line);
  const FillPlace<Rule> place(line);
  parallel_for(ex, "mac.margin", place.places(), place);
}

}  // namespace

void to_padded(const Exec& ex, const Domain& d, int lattice, Span<const Real> rows, Real* padded) {
  const Layout l = Layout::of(d);
  for_rows(ex, "mac.to_padded", d, lattice, Copy{d, l, lattice, rows.data, padded + l.origin});
}

void from_padded(const Exec& ex, const Domain& d, int lattice, const Real* padded,
                 Span<Real> rows) {
  const Layout l = Layout::of(d);
  for_rows(ex, "mac.from_padded", d, lattice,
           CopyBack{d, l, lattice, padded + l.origin, rows.data});
}

void fill_velocity_margin(const Exec& ex, const Domain& d, int axis, Real* padded) {
  fill(ex, Velocity{d, axis}, padded);
}

void fill_scalar_margin(const Exec& ex, const Domain& d, const ScalarConditions& conditions,
                        Real* padded) {
  fill(ex, Scalar{d, conditions}, padded);
}

void fill_centred_margin(const Exec& ex, const Domain& d, int component, Real* padded) {
  fill(ex, Centred{d, component}, padded);
}

}  // namespace rtsim::mac
