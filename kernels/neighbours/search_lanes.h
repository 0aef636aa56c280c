#pragma once
#include <vector>

#include "lanes/lanes.h"
#include "neighbours/neighbour_lists.h"

// The neighbour search of the CPU: a cell's candidates are packed once, culled against the box of
// the cell's own rows, and tested eight at a time. Include only in kernel .cpp files.
namespace rtsim::neighbours {

// Candidates of one cell, and behind them room for a whole lane of far dummies.
class Candidates {
 public:
  std::vector<Real> x, y, z, w;
  std::vector<Index> row;
  Index count = 0;

  void reserve(std::size_t n) {
    if (n + 2 * lane_count <= x.size()) return;
    for (auto* v : {&x, &y, &z, &w}) v->resize(2 * n + 2 * lane_count);
    row.resize(2 * n + 2 * lane_count);
  }
  void close() {
    for (Index l = 0; l < lane_count; ++l) {
      x[std::size_t(count + l)] = y[std::size_t(count + l)] = z[std::size_t(count + l)] = Real(1e6);
      w[std::size_t(count + l)] = 0, row[std::size_t(count + l)] = 0;
    }
  }
};

// Half the box of a few rows: centre and half extents.
struct CellBox {
  Real low[3], high[3];

  static CellBox of(const Row4* rows, Index begin, Index end) {
    CellBox b{{rows[begin].x, rows[begin].y, rows[begin].z},
              {rows[begin].x, rows[begin].y, rows[begin].z}};
    for (Index i = begin + 1; i < end; ++i) {
      const Real p[3] = {rows[i].x, rows[i].y, rows[i].z};
      for (int k = 0; k < 3; ++k) {
        b.low[k] = p[k] < b.low[k] ? p[k] : b.low[k];
        b.high[k] = p[k] > b.high[k] ? p[k] : b.high[k];
      }
    }
    return b;
  }
};

// All rows of `from` within `reach` of the box, with their w where `with_w`.
template <bool with_w, bool repeats>
void pack_candidates(const CellRows& from, const CellBox& box, Real reach, Candidates& out) {
  using F = Lanes<Real>;
  const F cx(Real(0.5) * (box.low[0] + box.high[0])), ex(Real(0.5) * (box.high[0] - box.low[0]));
  const F cy(Real(0.5) * (box.low[1] + box.high[1])), ey(Real(0.5) * (box.high[1] - box.low[1]));
  const F cz(Real(0.5) * (box.low[2] + box.high[2])), ez(Real(0.5) * (box.high[2] - box.low[2]));
  const F zero(Real(0)), limit(reach * reach * Real(1.0001));
  const PeriodicBox images = from.grid.box;
  out.count = 0;
  const auto pack = [&](Index begin, Index end) {
    out.reserve(std::size_t(out.count + end - begin));
    // Locals: through `out`, every store would make the compiler read all pointers again.
    Real *x = out.x.data(), *y = out.y.data(), *z = out.z.data();
    [[maybe_unused]] Real* w = out.w.data();
    Index *row = out.row.data(), n = out.count;
    for (Index j = begin; j < end; j += lane_count) {
      const Lanes4<Real> p = load_rows(from.rows.data + j);
      F rx = p.x - cx, ry = p.y - cy, rz = p.z - cz;
      if constexpr (repeats) images.bring(rx, ry, rz);
      const F dx = max(max(rx, zero - rx) - ex, zero);
      const F dy = max(max(ry, zero - ry) - ey, zero);
      const F dz = max(max(rz, zero - rz) - ez, zero);
      unsigned mask = less(fma(dz, dz, fma(dy, dy, dx * dx)), limit);
      if (end - j < lane_count) mask &= (1u << (end - j)) - 1;
      p.x.store_packed(x + n, mask), p.y.store_packed(y + n, mask), p.z.store_packed(z + n, mask);
      if constexpr (with_w) p.w.store_packed(w + n, mask);
      store_packed_range(row + n, j, mask);
      n += Index(__builtin_popcount(mask));
    }
    out.count = n;
  };
  if constexpr (repeats)
    for_runs_of_images(from, box.low, box.high, reach, pack);
  else
    for_runs_of_box(from, box.low, box.high, reach, pack);
  out.reserve(std::size_t(out.count));
  out.close();
}

// What was found for one row of one set: squared distances and the w of the neighbours' rows,
// padded as by far dummies.
struct Found {
  Index count;
  const Real* r2;
  const Real* w;
};

template <class Slot>
inline void pad(Slot* slots, Real* r2, Real* w, Index n) {
  const Slot last = n > 0 ? slots[n - 1] : Slot(0);
  for (Index l = 0; l < lane_count; ++l) {
    slots[n + l] = last, r2[n + l] = Real(1e12);
    if (w) w[n + l] = 0;
  }
}

// Tests the candidates against one row. Writes their distances from row `from` to `slots`, r2
// beside them, and w where `with_w`, all with a lane of padding. `self` is left out.
template <bool with_w, bool repeats, class Slot>
inline Index test_candidates(const Candidates& c, const PeriodicBox& images, const Row4& at,
                             Real reach, Index self, Index from, Slot* slots, Real* r2_out,
                             Real* w_out) {
  using F = Lanes<Real>;
  const Real *cx = c.x.data(), *cy = c.y.data(), *cz = c.z.data(), *cw = c.w.data();
  const Index *row = c.row.data(), count = c.count;
  const F x(at.x), y(at.y), z(at.z), limit(reach * reach);
  Index n = 0;
  for (Index k = 0; k < count; k += lane_count) {
    F dx = x - F::load(cx + k), dy = y - F::load(cy + k), dz = z - F::load(cz + k);
    if constexpr (repeats) images.bring(dx, dy, dz);
    const F r2 = fma(dz, dz, fma(dy, dy, dx * dx));
    const unsigned mask = less(r2, limit) & ~equal_mask(row + k, self);
    store_packed(slots + n, row + k, from, mask);
    r2.store_packed(r2_out + n, mask);
    if constexpr (with_w) F::load(cw + k).store_packed(w_out + n, mask);
    n += Index(__builtin_popcount(mask));
  }
  pad(slots, r2_out, w_out, n);
  return n;
}

// Grows and never shrinks, so that a resize between cells writes nothing.
inline void at_least(std::vector<Real>& v, Index n) {
  if (v.size() < std::size_t(n)) v.resize(2 * std::size_t(n));
}

// The same of the wall rows that belong to fluid row `self` alone.
template <class Slot>
inline Index take_own(const CellRows& walls, const Row4& at, Real reach, Index self, Index from,
                      Slot* slots, Real* r2_out, Real* w_out) {
  Index n = 0;
  for (Index b = self * walls.own; b < (self + 1) * walls.own; ++b) {
    const Row4 q = walls.rows[b];
    const Real x = at.x - q.x, y = at.y - q.y, z = at.z - q.z;
    const Real r2 = fma(z, z, fma(y, y, x * x));
    if (r2 < reach * reach) slots[n] = Slot(b - from), r2_out[n] = r2, w_out[n++] = q.w;
  }
  pad(slots, r2_out, w_out, n);
  return n;
}

// The search of one chunk of rows.
template <class Visit>
class ChunkSearch {
 public:
  ChunkSearch(const CellRows& fluid, const CellRows& boundary, Real reach, NeighbourLists& lists,
              const Visit& visit)
      : fluid_(fluid), boundary_(boundary), reach_(reach), lists_(lists), visit_(visit) {}

  void search(Index begin, Index end) {
    if (fluid_.grid.box.any)
      search_cells<true>(begin, end);
    else
      search_cells<false>(begin, end);
  }

 private:
  // Where nothing repeats no loop has a branch for it.
  template <bool repeats>
  void search_cells(Index begin, Index end) {
    NeighbourLists::Chunk& chunk = lists_.chunk(begin);
    chunk.begin(begin, first_boundary(begin));
    for (Index i = begin; i < end;) {
      const Index cell = fluid_.grid.cell(fluid_.rows[i]);
      const Index stop = fluid_.first[cell + 1] < end ? fluid_.first[cell + 1] : end;
      gather<repeats>(i, stop);
      if (!chunk.is_wide() && !fit(chunk, i, stop)) chunk.widen();
      if (chunk.is_wide())
        test<repeats, Index>(chunk, i, stop);
      else
        test<repeats, std::int16_t>(chunk, i, stop);
      i = stop;
    }
  }

  // A row in the midst of the boundary rows that a chunk meets.
  Index first_boundary(Index begin) const {
    if (boundary_.own > 0) return begin * boundary_.own;
    return boundary_.rows.size > 0 ? boundary_.first[boundary_.grid.cell(fluid_.rows[begin])] : 0;
  }

  // The candidates of rows [i, stop), which are of one cell.
  template <bool repeats>
  void gather(Index i, Index stop) {
    const CellBox box = CellBox::of(fluid_.rows.data, i, stop);
    pack_candidates<false, repeats>(fluid_, box, reach_, near_);
    wall_.count = 0;
    if (boundary_.rows.size > 0 && boundary_.own == 0)
      pack_candidates<true, repeats>(boundary_, box, reach_, wall_);
  }

  // Candidates are in the order of their rows.
  bool fit(const NeighbourLists::Chunk& chunk, Index i, Index stop) const {
    const auto fits = [](const Candidates& c, Index from) {
      return c.count == 0 ||
             NeighbourLists::Chunk::fits(c.row[0], c.row[std::size_t(c.count - 1)], from);
    };
    return fits(near_, chunk.fluid_from()) && fits(wall_, chunk.boundary_from()) &&
           (boundary_.own == 0 ||
            NeighbourLists::Chunk::fits(i * boundary_.own, stop * boundary_.own,
                                        chunk.boundary_from()));
  }

  template <bool repeats, class Slot>
  void test(NeighbourLists::Chunk& chunk, Index i, Index stop) {
    const Index walls = boundary_.own > 0 ? boundary_.own : wall_.count;
    at_least(fluid_r2_, near_.count + 2 * lane_count);
    at_least(wall_r2_, walls + 2 * lane_count), at_least(wall_w_, walls + 2 * lane_count);
    Slot* slots = chunk.make_room<Slot>(
        std::size_t(padded(near_.count) + padded(walls) + 2 * lane_count) * std::size_t(stop - i));
    const PeriodicBox images = fluid_.grid.box;
    Index used = Index(chunk.used());
    const Index before = used;
    for (; i < stop; ++i) {
      const Row4 row = fluid_.rows[i];
      const Index n = test_candidates<false, repeats>(
          near_, images, row, reach_, i, chunk.fluid_from(), slots, fluid_r2_.data(), nullptr);
      slots += padded(n);
      Index m = 0;
      if (wall_.count > 0)
        m = test_candidates<true, repeats>(wall_, images, row, reach_, -1, chunk.boundary_from(),
                                           slots, wall_r2_.data(), wall_w_.data());
      else if (boundary_.own > 0)
        m = take_own(boundary_, row, reach_, i, chunk.boundary_from(), slots, wall_r2_.data(),
                     wall_w_.data());
      slots += padded(m);
      lists_.places()[i] = {used, n, m};
      used += padded(n) + padded(m);
      visit_(i, Found{n, fluid_r2_.data(), nullptr}, Found{m, wall_r2_.data(), wall_w_.data()});
    }
    chunk.use(used - before);
  }

  const CellRows &fluid_, &boundary_;
  Real reach_;
  NeighbourLists& lists_;
  const Visit& visit_;
  Candidates near_, wall_;
  std::vector<Real> fluid_r2_, wall_r2_, wall_w_;
};

// For rows [begin, end), one chunk: lists of fluid and boundary neighbours, and visit(row, fluid,
// boundary) with what was found.
template <class Visit>
void search_chunk(const CellRows& fluid, const CellRows& boundary, Real reach, Index begin,
                  Index end, NeighbourLists& lists, const Visit& visit) {
  ChunkSearch<Visit>(fluid, boundary, reach, lists, visit).search(begin, end);
}

}  // namespace rtsim::neighbours
