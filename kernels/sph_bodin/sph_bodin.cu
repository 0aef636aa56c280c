#include "sph_bodin/sph_bodin.h"

#include <algorithm>

#include "exec/parallel.h"
#include "exec/sort.h"
#include "sph/pair_cells.h"
#include "sph_bodin/assemble.h"
#include "sph_bodin/pressure_pass.h"

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

// Runs `row` over the rows of cell cells[k], in their order.
template <class Row>
struct RowsOfCell {
  Row row;
  Span<const Index> cells, first;
  RTSIM_HD void operator()(Index k) const {
    const Index end = first[cells[k] + 1];
    for (Index i = first[cells[k]]; i < end; ++i) row(i);
  }
};

// Waking a thread costs as much as a few hundred rows: fewer cells than two tasks are one.
constexpr Index rows_per_task = 256;
Index cells_per_task(Index cells, double rows_per_cell) {
  const Index task = Index(double(rows_per_task) / rows_per_cell) + 1;
  return cells <= 2 * task ? cells : task;
}

template <class Kernel>
struct EachOf {
  const Kernel& kernel;
  void operator()(Index begin, Index end) const {
    const Kernel k = kernel;
    for (Index i = begin; i < end; ++i) k(i);
  }
};

template <class Row>
void by_colours(const Exec& ex, const char* label, const CellRows& rows,
                const ColouredCells& coloured, const Row& row) {
  const double rows_per_cell = double(rows.rows.size) / std::max(coloured.first[colours], 1);
  for (Index c = 0; c < colours; ++c) {
    const Index begin = coloured.first[std::size_t(c)], end = coloured.first[std::size_t(c + 1)];
    const RowsOfCell<Row> kernel{row, {coloured.cells.data() + begin, end - begin}, rows.first};
    if (ex.backend() == Backend::cpu)
      parallel_chunks(ex, label, end - begin, cells_per_task(end - begin, rows_per_cell),
                      EachOf<RowsOfCell<Row>>{kernel});
    else
      parallel_for(ex, label, end - begin, kernel);
  }
}

// All four columns at once, which a compiler turns into one instruction.
RTSIM_HD inline Row4 fma(const Row4& a, const Row4& b, const Row4& c) {
  return {rtsim::fma(a.x, b.x, c.x), rtsim::fma(a.y, b.y, c.y), rtsim::fma(a.z, b.z, c.z),
          rtsim::fma(a.w, b.w, c.w)};
}
RTSIM_HD inline Row4 all(Real a) { return {a, a, a, a}; }
RTSIM_HD inline Real dot3(const Row4& a, const Row4& b) {
  return rtsim::fma(a.x, b.x, rtsim::fma(a.y, b.y, a.z * b.z));
}

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

struct DissipateRow {
  Dissipation law;
  System s;
  Span<const Row4> wall_motion;
  Span<Row4> motion;

  RTSIM_HD void operator()(Index i) const {
    const EntryPlace at = s.places[i];
    for (Index k = at.first; k < at.first + at.fluid; ++k) {
      const Index j = s.columns[k];
      if (j > i) slow(s.entries[k], Real(2), motion[j], i, &motion[j]);
    }
    const Index walls = at.first + at.fluid;
    for (Index k = walls; k < walls + at.wall; ++k) {
      const Real lost = slow(s.entries[k], Real(1), wall_motion[s.columns[k]], i, nullptr);
      if (s.lost.size > 0) s.lost[k] += lost;
    }
  }
  // `partner` is what else gets the impulse: nothing that cannot move. Returns what i lost, times
  // b.
  RTSIM_HD Real slow(const Row4& b, Real movers, const Row4& u, Index i, Row4* partner) const {
    const Real length2 = dot3(b, b);
    if (!(length2 > 0)) return 0;
    Row4& v = motion[i];
    const Real length = root(length2);
    const Real approach = (b.x * (v.x - u.x) + b.y * (v.y - u.y) + b.z * (v.z - u.z)) / length;
    const Real c = law.lost(length, approach, movers) / length;
    v.x -= c * b.x, v.y -= c * b.y, v.z -= c * b.z;
    if (partner) partner->x += c * b.x, partner->y += c * b.y, partner->z += c * b.z;
    return c;
  }
};

struct KeepOutRow {
  static constexpr int most_rounds = 8;  // in a corner one sample's push may be against another's
  Contact law;
  System s;
  Span<const Row4> wall_motion;
  Span<Row4> motion;

  RTSIM_HD void operator()(Index i) const {
    for (int round = 0; round < most_rounds; ++round)
      if (!pushed(i)) return;
  }
  RTSIM_HD bool pushed(Index i) const {
    const EntryPlace at = s.places[i];
    const Index walls = at.first + at.fluid;
    bool any = false;
    for (Index k = walls; k < walls + at.wall; ++k) {
      const Row4 b = s.entries[k], u = wall_motion[s.columns[k]];
      Row4& v = motion[i];
      const Real inv = 1 / root(dot3(b, b)), x = b.x * inv, y = b.y * inv, z = b.z * inv;
      const Real c = law.missing(b.w, x * (v.x - u.x) + y * (v.y - u.y) + z * (v.z - u.z));
      v.x += c * x, v.y += c * y, v.z += c * z;
      if (s.lost.size > 0) s.lost[k] -= c * inv;
      any = any || c > 0;
    }
    return any;
  }
};

// Gathers over the rows near sample b, each of which finds b among its own entries.
struct PushOnWall {
  Real support, mass_rate;  // m / dt [kg/s]
  System s;
  CellRows fluid, walls;
  Span<const Real> multiplier;
  Span<Row4> force;
  RTSIM_HD void operator()(Index b) const {
    const Row4 q = walls.rows[b];
    const Real at[3] = {q.x, q.y, q.z};
    Row4 sum{0, 0, 0, 0};
    const auto meet = [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) sum = pushed_by(i, b, sum);
    };
    if (walls.own > 0)
      meet(b / walls.own, b / walls.own + 1);
    else
      for_runs(fluid, at, at, support, meet);
    Row4& f = force[b];
    f.x += sum.x, f.y += sum.y, f.z += sum.z;
  }
  RTSIM_HD Row4 pushed_by(Index i, Index b, const Row4& sum) const {
    const EntryPlace at = s.places[i];
    const Index walls_of = at.first + at.fluid;
    for (Index k = walls_of; k < walls_of + at.wall; ++k)
      if (s.columns[k] == b)
        return fma(s.entries[k], all(rtsim::fma(mass_rate, s.lost[k], multiplier[i])), sum);
    return sum;
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

void dissipate(const Exec& ex, const Dissipation& law, const System& s, const CellRows& rows,
               const ColouredCells& coloured, Span<const Row4> wall_motion, Span<Row4> motion) {
  by_colours(ex, "sph_bodin.dissipate", rows, coloured, DissipateRow{law, s, wall_motion, motion});
}

void keep_out(const Exec& ex, const Contact& law, const System& s, Span<const Row4> wall_motion,
              Span<Row4> motion) {
  parallel_for(ex, "sph_bodin.keep_out", motion.size, KeepOutRow{law, s, wall_motion, motion});
}

void push_on_walls(const Exec& ex, const Constraint& law, const System& s,
                   const Neighbourhood& near, Span<const Real> multiplier, Real dt,
                   Span<Row4> force) {
  const CellRows &fluid = near.fluid.cells, &walls = near.walls.cells;
  parallel_for(
      ex, "sph_bodin.on_walls", walls.rows.size,
      PushOnWall{law.kernel.support, 1 / (law.inv_mass * dt), s, fluid, walls, multiplier, force});
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
