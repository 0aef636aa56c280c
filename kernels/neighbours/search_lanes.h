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
template <bool with_w>
void pack_candidates(const CellRows& from, const CellBox& box, Real reach, Candidates& out) {
  using F = Lanes<Real>;
  const F cx(Real(0.5) * (box.low[0] + box.high[0])), ex(Real(0.5) * (box.high[0] - box.low[0]));
  const F cy(Real(0.5) * (box.low[1] + box.high[1])), ey(Real(0.5) * (box.high[1] - box.low[1]));
  const F cz(Real(0.5) * (box.low[2] + box.high[2])), ez(Real(0.5) * (box.high[2] - box.low[2]));
  const F zero(Real(0)), limit(reach * reach * Real(1.0001));
  out.count = 0;
  for_runs(from, box.low, box.high, reach, [&](Index begin, Index end) {
    out.reserve(std::size_t(out.count + end - begin));
    // Locals: through `out`, every store would make the compiler read all pointers again.
    Real *x = out.x.data(), *y = out.y.data(), *z = out.z.data();
    [[maybe_unused]] Real* w = out.w.data();
    Index *row = out.row.data(), n = out.count;
    for (Index j = begin; j < end; j += lane_count) {
      const Lanes4<Real> p = load_rows(from.rows.data + j);
      const F dx = max(max(p.x - cx, cx - p.x) - ex, zero);
      const F dy = max(max(p.y - cy, cy - p.y) - ey, zero);
      const F dz = max(max(p.z - cz, cz - p.z) - ez, zero);
      unsigned mask = less(fma(dz, dz, fma(dy, dy, dx * dx)), limit);
      if (end - j < lane_count) mask &= (1u << (end - j)) - 1;
      p.x.store_packed(x + n, mask), p.y.store_packed(y + n, mask), p.z.store_packed(z + n, mask);
      if constexpr (with_w) p.w.store_packed(w + n, mask);
      store_packed_range(row + n, j, mask);
      n += Index(__builtin_popcount(mask));
    }
    out.count = n;
  });
  out.reserve(std::size_t(out.count));
  out.close();
}

// What was found for one row of one set: squared distances and the w of the neighbours' rows,
// padded with far dummies.
struct Found {
  Index count;
  const Real* r2;
  const Real* w;
};

// Tests the candidates against one row. Writes their indices to `slots` (padded with `dummy`), r2
// beside them, and w where `with_w`. `self` is left out.
template <bool with_w>
inline Index test_candidates(const Candidates& c, const Row4& at, Real reach, Index self,
                             Index dummy, Index* slots, Real* r2_out, Real* w_out) {
  using F = Lanes<Real>;
  const Real *cx = c.x.data(), *cy = c.y.data(), *cz = c.z.data(), *cw = c.w.data();
  const Index *row = c.row.data(), count = c.count;
  const F x(at.x), y(at.y), z(at.z), limit(reach * reach);
  Index n = 0;
  for (Index k = 0; k < count; k += lane_count) {
    const F dx = x - F::load(cx + k), dy = y - F::load(cy + k), dz = z - F::load(cz + k);
    const F r2 = fma(dz, dz, fma(dy, dy, dx * dx));
    const unsigned mask = less(r2, limit) & ~equal_mask(row + k, self);
    store_packed(slots + n, row + k, mask);
    r2.store_packed(r2_out + n, mask);
    if constexpr (with_w) F::load(cw + k).store_packed(w_out + n, mask);
    n += Index(__builtin_popcount(mask));
  }
  for (Index l = 0; l < lane_count; ++l) {
    slots[n + l] = dummy, r2_out[n + l] = Real(1e12);
    if constexpr (with_w) w_out[n + l] = 0;
  }
  return n;
}

// Grows and never shrinks, so that a resize between cells writes nothing.
inline void at_least(std::vector<Real>& v, Index n) {
  if (v.size() < std::size_t(n)) v.resize(2 * std::size_t(n));
}

// The same of the wall rows that belong to fluid row `self` alone.
inline Index take_own(const CellRows& walls, const Row4& at, Real reach, Index self, Index* slots,
                      Real* r2_out, Real* w_out) {
  Index n = 0;
  for (Index b = self * walls.own; b < (self + 1) * walls.own; ++b) {
    const Row4 q = walls.rows[b];
    const Real x = at.x - q.x, y = at.y - q.y, z = at.z - q.z;
    const Real r2 = fma(z, z, fma(y, y, x * x));
    if (r2 < reach * reach) slots[n] = b, r2_out[n] = r2, w_out[n++] = q.w;
  }
  for (Index l = 0; l < lane_count; ++l)
    slots[n + l] = walls.rows.size, r2_out[n + l] = Real(1e12), w_out[n + l] = 0;
  return n;
}

// For rows [begin, end), one chunk: lists of fluid and boundary neighbours, and visit(row, fluid,
// boundary) with what was found.
template <class Visit>
void search_chunk(const CellRows& fluid, const CellRows& boundary, Real reach, Index begin,
                  Index end, NeighbourLists& lists, const Visit& visit) {
  Candidates near, wall;
  std::vector<Real> fluid_r2, wall_r2, wall_w;
  std::size_t used = 0;
  for (Index i = begin; i < end;) {
    const Index cell = fluid.grid.cell(fluid.rows[i]);
    const Index stop = fluid.first[cell + 1] < end ? fluid.first[cell + 1] : end;
    const CellBox box = CellBox::of(fluid.rows.data, i, stop);
    pack_candidates<false>(fluid, box, reach, near);
    wall.count = 0;
    if (boundary.rows.size > 0 && boundary.own == 0)
      pack_candidates<true>(boundary, box, reach, wall);
    const Index walls = boundary.own > 0 ? boundary.own : wall.count;
    const std::size_t most = std::size_t(padded(near.count) + padded(walls) + 2 * lane_count);
    at_least(fluid_r2, near.count + 2 * lane_count);
    at_least(wall_r2, walls + 2 * lane_count), at_least(wall_w, walls + 2 * lane_count);
    Index* slots = lists.make_room(begin, used, most * std::size_t(stop - i));
    for (; i < stop; ++i) {
      const Row4 row = fluid.rows[i];
      const Index n = test_candidates<false>(near, row, reach, i, fluid.rows.size, slots + used,
                                             fluid_r2.data(), nullptr);
      Index m = 0;
      if (wall.count > 0)
        m = test_candidates<true>(wall, row, reach, -1, boundary.rows.size,
                                  slots + used + padded(n), wall_r2.data(), wall_w.data());
      else if (boundary.own > 0)
        m = take_own(boundary, row, reach, i, slots + used + padded(n), wall_r2.data(),
                     wall_w.data());
      lists.places()[i] = {Index(used), n, m};
      used += std::size_t(padded(n) + padded(m));
      visit(i, Found{n, fluid_r2.data(), nullptr}, Found{m, wall_r2.data(), wall_w.data()});
    }
  }
}

}  // namespace rtsim::neighbours
