#include "sph_bodin/sph_bodin.h"

#include "exec/parallel.h"
#include "exec/sort.h"
#include "sph/pair_cells.h"
#include "sph_bodin/assemble.h"
#include "sph_bodin/by_colours.h"
#include "sph_bodin/pressure_pass.h"
#include "sph_bodin/row4.h"

namespace rtsim::sph_bodin {

namespace {

struct InCells {
  CellRows fluid_cells, wall_cells;
  Real support;

  template <class Visit>
  RTSIM_HD void fluid(Index, const Row4& p, const Visit& visit) const {
    const Real at[3] = {p.x, p.y, p.z};
    for_runs(fluid_cells, at, at, support,
             [&](Index begin, Index end) { within(fluid_cells, p, begin, end, visit); });
  }
  template <class Visit>
  RTSIM_HD void walls(Index i, const Row4& p, const Visit& visit) const {
    const Real at[3] = {p.x, p.y, p.z};
    for_wall_runs(wall_cells, i, at, support,
                  [&](Index begin, Index end) { within(wall_cells, p, begin, end, visit); });
  }
  template <class Visit>
  RTSIM_HD void within(const CellRows& cells, const Row4& p, Index begin, Index end,
                       const Visit& visit) const {
    for (Index j = begin; j < end; ++j) {
      const sph::Separation<Real> s = sph::separation<Real>(p, cells.rows[j], cells.grid.box);
      if (s.r2 < support * support) visit(j);
    }
  }
};

struct CountInCells {
  InCells near;
  Span<Index> counts;
  RTSIM_HD void operator()(Index i) const {
    Index n = 0;
    const Row4 p = near.fluid_cells.rows[i];
    near.fluid(i, p, [&](Index) { ++n; });
    near.walls(i, p, [&](Index) { ++n; });
    counts[i] = n;
  }
};

InCells in_cells(const Neighbourhood& near, Real support) {
  return {near.fluid.cells, near.walls.cells, support};
}

struct ColourOfCell {
  CellGrid grid;
  Span<const Index> first;
  Span<std::uint32_t> keys;
  RTSIM_HD void operator()(Index c) const {
    const Index nx = grid.count[0], ny = grid.count[1];
    const CellPlace at{c % nx, c / nx % ny, c / (nx * ny)};
    keys[c] = std::uint32_t(first[c] < first[c + 1] ? at.colour() : colours);
  }
};

struct SolveRow {
  Constraint law;
  Bound bound;
  System s;
  Span<Real> multiplier;
  Span<Row4> motion;
  Span<Real> residual;

  RTSIM_HD void operator()(Index i) const {
    const Row4 own = s.own[i];
    if (own.w == 0) {  // alone: nothing can be done about its density
      multiplier[i] = residual[i] = 0;
      return;
    }
    const EntryPlace at = s.places[i];
    const Row4* entries = s.entries.data + at.first;
    const Index* columns = s.columns.data + at.first;
    Row4 sum{0, 0, 0, 0};
    for (Index k = 0; k < at.fluid; ++k) sum = fma(entries[k], motion[columns[k]], sum);
    const Real before = multiplier[i];
    const Real r =
        s.offset[i] + dot3(own, motion[i]) + (sum.x + sum.y + sum.z) + law.spook.softness * before;
    const Real wanted = before - own.w * r;
    const Real after = bound == Bound::push_only && wanted > 0 ? Real(0) : wanted;
    multiplier[i] = after;
    residual[i] = (after - before) / own.w;
    push(i, (after - before) * law.inv_mass, own, at, entries, columns);
  }
  // v += M^-1 G^T of the change; a body of finite mass would take its part of the wall entries.
  RTSIM_HD void push(Index i, Real change, const Row4& own, const EntryPlace& at,
                     const Row4* entries, const Index* columns) const {
    const Row4 c = all(change);
    for (Index k = 0; k < at.fluid; ++k) {
      Row4& v = motion[columns[k]];
      v = fma(entries[k], c, v);
    }
    Row4& v = motion[i];
    v.x = rtsim::fma(own.x, change, v.x), v.y = rtsim::fma(own.y, change, v.y);
    v.z = rtsim::fma(own.z, change, v.z);
  }
};

struct Accelerate {
  Real x, y, z;
  Span<Row4> motion;
  RTSIM_HD void operator()(Index i) const {
    Row4& v = motion[i];
    v.x += x, v.y += y, v.z += z;
  }
};

// Gathers: G_ji = -G_ij.
struct StartRow {
  Real inv_mass;
  System s;
  Span<const Real> multiplier;
  Span<Row4> motion;
  RTSIM_HD void operator()(Index i) const {
    const EntryPlace at = s.places[i];
    const Row4 own = s.own[i];
    const Real l = multiplier[i];
    Row4 sum{own.x * l, own.y * l, own.z * l, 0};
    for (Index k = at.first; k < at.first + at.fluid; ++k)
      sum = fma(s.entries[k], all(-multiplier[s.columns[k]]), sum);
    motion[i] = fma(sum, all(inv_mass), motion[i]);
  }
};

struct Add {
  Real by;
  Span<Real> density;
  RTSIM_HD void operator()(Index i) const { density[i] += by; }
};

struct Scale {
  Real by;
  Span<Real> multiplier;
  RTSIM_HD void operator()(Index i) const { multiplier[i] *= by; }
};

struct LeftOfRow {
  Span<const Real> residual;
  RTSIM_HD Left operator()(Index i) const {
    const Real r = residual[i] < 0 ? -residual[i] : residual[i];
    return {double(r), r};
  }
};
struct MoreLeft {
  RTSIM_HD Left operator()(const Left& a, const Left& b) const {
    return {a.sum + b.sum, a.max > b.max ? a.max : b.max};
  }
};

struct Value {
  Span<const Real> of;
  RTSIM_HD double operator()(Index i) const { return of[i]; }
};

}  // namespace

Index count_entries(const Exec& ex, const Neighbourhood& near, Real support, Span<Index> first) {
  if (ex.cpu_shaped())
    count_in_lists(ex, near.lists, first);
  else
    parallel_for(ex, "sph_bodin.count", first.size, CountInCells{in_cells(near, support), first});
  return exclusive_scan(ex, "sph_bodin.scan", first, first);
}

void assemble(const Exec& ex, const Constraint& law, const Neighbourhood& near,
              Span<const Real> density, Span<const Index> first, const System& out) {
  if (ex.cpu_shaped()) return assemble_by_lists(ex, law, near, density, first, out);
  parallel_for(ex, "sph_bodin.assemble", density.size,
               AssembleRow<InCells>{in_cells(near, law.kernel.support), law, near.fluid, near.walls,
                                    density, first, out});
}

void colour_cells(const Exec& ex, const CellRows& rows, ColouredCells& out) {
  const std::size_t n = std::size_t(rows.grid.cells());
  out.keys.resize(n), out.cells.resize(n), out.first_of_key.resize(colours + 2);
  parallel_for(ex, "sph_bodin.colour", Index(n),
               ColourOfCell{rows.grid, rows.first, out.keys.span()});
  bin_by_key(ex, "sph_bodin.colour", out.keys.span(), std::uint32_t(colours + 1), out.cells.span(),
             out.first_of_key.span());
  out.first = out.first_of_key.download();
}

void sweep(const Exec& ex, const Constraint& law, Bound bound, const System& s,
           const CellRows& rows, const ColouredCells& coloured, Span<Real> multiplier,
           Span<Row4> motion, Span<Real> residual) {
  by_colours(ex, "sph_bodin.sweep", rows, coloured,
             SolveRow{law, bound, s, multiplier, motion, residual});
}

void accelerate(const Exec& ex, const Real (&dt_gravity)[3], Span<Row4> motion) {
  parallel_for(ex, "sph_bodin.accelerate", motion.size,
               Accelerate{dt_gravity[0], dt_gravity[1], dt_gravity[2], motion});
}

void start_from(const Exec& ex, const Constraint& law, const System& s, Real scale_by,
                Span<Real> multiplier, Span<Row4> motion) {
  scale(ex, scale_by, multiplier);
  parallel_for(ex, "sph_bodin.start", multiplier.size,
               StartRow{law.inv_mass, s, multiplier, motion});
}

void add(const Exec& ex, Real by, Span<Real> density) {
  parallel_for(ex, "sph_bodin.add", density.size, Add{by, density});
}

void scale(const Exec& ex, Real by, Span<Real> multiplier) {
  parallel_for(ex, "sph_bodin.scale", multiplier.size, Scale{by, multiplier});
}

void pressure(const Exec& ex, int dim, const sph::Poly6& kernel, Real volume,
              const Neighbourhood& near, Span<const Real> multiplier, Span<Real> pressure) {
  const PressurePass pass{kernel, 1 / volume, kernel.scale * kernel.inv_support / Real(dim),
                          multiplier, pressure};
  sph::for_pairs(ex, "sph_bodin.pressure", near.fluid, near.walls, near.lists, kernel.support,
                 pass);
}

Left left(const Exec& ex, Span<const Real> residual) {
  return reduce(ex, "sph_bodin.left", residual.size, Left{}, LeftOfRow{residual}, MoreLeft{});
}

double sum(const Exec& ex, Span<const Real> multiplier) {
  return reduce(ex, "sph_bodin.sum", multiplier.size, 0.0, Value{multiplier}, Plus{});
}

}  // namespace rtsim::sph_bodin
