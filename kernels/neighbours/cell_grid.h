#pragma once
#include <cmath>

#include "exec/span.h"
#include "lanes/row4.h"
#include "neighbours/periodic_box.h"

namespace rtsim {

// A uniform grid of cells no smaller than the support radius, x fastest. Rows beyond it count to
// the nearest cell, which keeps neighbours in adjacent cells (clamping never widens a distance).
struct CellGrid {
  Real inv_size = 1;        // [1/m]
  Real low[3] = {0, 0, 0};  // lower corner [m]
  Index count[3] = {1, 1, 1};
  PeriodicBox box{};  // along axes that repeat the cells begin with it, and cover it

  RTSIM_HD Index cells() const { return count[0] * count[1] * count[2]; }
  RTSIM_HD Index along(int axis, Real x) const {
    const Real t = (x - low[axis]) * inv_size;
    const Real last = Real(count[axis] - 1);
    return Index(t > 0 ? (t < last ? t : last) : 0);  // also for NaN and infinities
  }
  RTSIM_HD Index cell(const Row4& p) const {
    return along(0, p.x) + count[0] * (along(1, p.y) + count[1] * along(2, p.z));
  }
};

// Rows sorted by cell: those of cell c are first[c] .. first[c + 1] - 1.
struct CellRows {
  CellGrid grid;
  Span<const Index> first;  // cells + 1
  Span<const Row4> rows;    // and `lane_count` far dummies behind them

  // Walls alone: so many rows belong to each fluid row, to be met by it and by no other. Those of
  // row i begin at i * own, in no cells; w = 0 where there is none.
  Index own = 0;
};

// The cells from `low` to `high` along one axis, and their images: up to three ranges that share no
// cell, in rising order.
struct CellRanges {
  Index first[3], last[3];
  int count = 0;

  RTSIM_HD void add(Index from, Index to) {
    if (from <= to) first[count] = from, last[count] = to, ++count;
  }
  RTSIM_HD static CellRanges of(const CellGrid& g, int axis, Real low, Real high) {
    const Index from = g.along(axis, low), to = g.along(axis, high);
    const Real length = g.box.length[axis], begin = g.box.low[axis];
    CellRanges r;
    if (length > 0 && high >= begin + length) {
      const Index image = g.along(axis, high - length);
      r.add(0, image < from ? image : from - 1);
    }
    r.add(from, to);
    if (length > 0 && low < begin) {
      const Index image = g.along(axis, low + length);
      r.add(image > to ? image : to + 1, g.count[axis] - 1);
    }
    return r;
  }
};

// visit(begin, end) for each run of consecutive rows that may lie within `reach` of the box
// [low, high] or an image of it: parts of lines of cells along x, in rising order.
template <class Visit>
RTSIM_HD inline void for_runs_of_images(const CellRows& c, const Real low[3], const Real high[3],
                                        Real reach, const Visit& visit) {
  const CellGrid& g = c.grid;
  CellRanges r[3];
  for (int a = 0; a < 3; ++a) r[a] = CellRanges::of(g, a, low[a] - reach, high[a] + reach);
  for (int k = 0; k < r[2].count; ++k)
    for (Index z = r[2].first[k]; z <= r[2].last[k]; ++z)
      for (int j = 0; j < r[1].count; ++j)
        for (Index y = r[1].first[j]; y <= r[1].last[j]; ++y)
          for (int i = 0; i < r[0].count; ++i) {
            const Index line = g.count[0] * (y + g.count[1] * z);
            const Index begin = c.first[line + r[0].first[i]];
            const Index end = c.first[line + r[0].last[i] + 1];
            if (begin < end) visit(begin, end);
          }
}

// visit(begin, end) for each run of consecutive rows that may lie within `reach` of the box
// [low, high]: whole lines of cells along x.
template <class Visit>
RTSIM_HD inline void for_runs_of_box(const CellRows& c, const Real low[3], const Real high[3],
                                     Real reach, const Visit& visit) {
  const CellGrid& g = c.grid;
  const Index x0 = g.along(0, low[0] - reach), x1 = g.along(0, high[0] + reach);
  const Index y0 = g.along(1, low[1] - reach), y1 = g.along(1, high[1] + reach);
  const Index z0 = g.along(2, low[2] - reach), z1 = g.along(2, high[2] + reach);
  for (Index z = z0; z <= z1; ++z)
    for (Index y = y0; y <= y1; ++y) {
      const Index line = g.count[0] * (y + g.count[1] * z);
      const Index begin = c.first[line + x0], end = c.first[line + x1 + 1];
      if (begin < end) visit(begin, end);
    }
}

// Either, as the grid repeats or not.
template <class Visit>
RTSIM_HD inline void for_runs(const CellRows& c, const Real low[3], const Real high[3], Real reach,
                              const Visit& visit) {
  if (c.grid.box.any)
    for_runs_of_images(c, low, high, reach, visit);
  else
    for_runs_of_box(c, low, high, reach, visit);
}

// The same of the walls that fluid row i at `at` may meet.
template <class Visit>
RTSIM_HD inline void for_wall_runs(const CellRows& walls, Index i, const Real at[3], Real reach,
                                   const Visit& visit) {
  if (walls.own > 0)
    visit(i * walls.own, (i + 1) * walls.own);
  else if (walls.rows.size > 0)
    for_runs(walls, at, at, reach, visit);
}

}  // namespace rtsim
