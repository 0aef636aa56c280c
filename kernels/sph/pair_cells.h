#pragma once
#include "exec/parallel.h"
#include "neighbours/neighbour_lists.h"
#include "sph/pairs.h"

namespace rtsim::sph {

template <class Pass>
struct PairCells {
  Pass pass;
  PairRows fluid, walls;
  Real support;

  RTSIM_HD void operator()(Index i) const {
    const Row4 p = fluid.cells.rows[i], v = fluid.motion[i];
    const Real at[3] = {p.x, p.y, p.z};
    const auto self = pass.self(i, p, v);
    const Real limit = support * support;
    Real s[Pass::sums] = {};
    for_runs(fluid.cells, at, at, support, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        const Row4 q = fluid.cells.rows[j];
        const Separation<Real> d = separation<Real>(p, q);
        if (d.r2 < limit && j != i) pass.fluid(self, d, q, fluid.motion[j], s);
      }
    });
    if (walls.cells.rows.size > 0)
      for_runs(walls.cells, at, at, support, [&](Index begin, Index end) {
        for (Index b = begin; b < end; ++b) {
          const Row4 q = walls.cells.rows[b];
          const Separation<Real> d = separation<Real>(p, q);
          if (d.r2 < limit) pass.wall(self, d, q, walls.motion[b], s);
        }
      });
    pass.store(i, self, s);
  }
};

template <class Pass>
void for_pairs_by_cells(const Exec& ex, const char* label, const PairRows& fluid,
                        const PairRows& walls, Real support, const Pass& pass) {
  parallel_for(ex, label, fluid.cells.rows.size, PairCells<Pass>{pass, fluid, walls, support});
}

// Defined in pair_lanes.h; the stem's _lanes.cpp instantiates it for each of its passes.
template <class Pass>
void for_pairs_by_lists(const Exec&, const char* label, const PairRows& fluid,
                        const PairRows& walls, const neighbours::NeighbourLists&, const Pass&);

template <class Pass>
void for_pairs(const Exec& ex, const char* label, const PairRows& fluid, const PairRows& walls,
               const neighbours::NeighbourLists& lists, Real support, const Pass& pass) {
  if (ex.cpu_shaped())
    for_pairs_by_lists(ex, label, fluid, walls, lists, pass);
  else
    for_pairs_by_cells(ex, label, fluid, walls, support, pass);
}

}  // namespace rtsim::sph
