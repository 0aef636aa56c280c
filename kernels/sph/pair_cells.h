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
    if (idle(pass, i)) return;
    const Row4 p = fluid.cells.rows[i], v = fluid.motion[i];
    const Real at[3] = {p.x, p.y, p.z};
    const auto self = pass.self(i, p, v);
    const Real limit = support * support;
    Real s[Pass::sums] = {};
    for_runs(fluid.cells, at, at, support, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        const Row4 q = fluid.cells.rows[j];
        const Separation<Real> d = separation<Real>(p, q, fluid.cells.grid.box);
        if (!(d.r2 < limit) || j == i) continue;
        if constexpr (by_gradient<Pass>)
          pass.fluid(self, pass.medium.gradient(d.r2), d, q, fluid.motion[j], s);
        else
          pass.fluid(self, d, q, fluid.motion[j], s);
      }
    });
    for_wall_runs(walls.cells, i, at, support, [&](Index begin, Index end) {
      for (Index b = begin; b < end; ++b) {
        const Row4 q = walls.cells.rows[b];
        const Separation<Real> d = separation<Real>(p, q, fluid.cells.grid.box);
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

// What walls get back: force[b] += scale times the first three sums that b gave to all rows.
template <class Pass>
struct WallReaction {
  Pass pass;
  PairRows fluid, walls;
  Real support, scale;
  Span<Row4> force;

  RTSIM_HD void operator()(Index b) const { add(b, force[b]); }
  RTSIM_HD void add(Index b, Row4& f) const {
    const Row4 q = walls.cells.rows[b], u = walls.motion[b];
    const Real at[3] = {q.x, q.y, q.z};
    const Real limit = support * support;
    Real s[Pass::sums] = {};
    const auto meet = [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const Row4 p = fluid.cells.rows[i];
        const Separation<Real> d = separation<Real>(p, q, fluid.cells.grid.box);
        if (d.r2 < limit) pass.wall(pass.self(i, p, fluid.motion[i]), d, q, u, s);
      }
    };
    if (walls.cells.own > 0)
      meet(b / walls.cells.own, b / walls.cells.own + 1);
    else
      for_runs(fluid.cells, at, at, support, meet);
    f.x += scale * s[0], f.y += scale * s[1], f.z += scale * s[2];
  }
};

template <class Pass>
void add_wall_reaction(const Exec& ex, const char* label, const PairRows& fluid,
                       const PairRows& walls, Real support, Real scale, const Pass& pass,
                       Span<Row4> force) {
  parallel_for(ex, label, walls.cells.rows.size,
               WallReaction<Pass>{pass, fluid, walls, support, scale, force});
}

// The same for the samples of rows places[s] alone, and nothing else, into force[s].
template <class Pass>
struct ReactionOf {
  WallReaction<Pass> reaction;
  Span<const Index> places;
  Span<Row4> force;
  RTSIM_HD void operator()(Index s) const {
    force[s] = {0, 0, 0, 0};
    reaction.add(places[s], force[s]);
  }
};

template <class Pass>
void find_reaction(const Exec& ex, const char* label, const PairRows& fluid, const PairRows& walls,
                   Span<const Index> places, Real support, Real scale, const Pass& pass,
                   Span<Row4> force) {
  parallel_for(ex, label, places.size,
               ReactionOf<Pass>{{pass, fluid, walls, support, scale, {}}, places, force});
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
