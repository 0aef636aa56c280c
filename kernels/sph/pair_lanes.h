#pragma once
#include "exec/parallel.h"
#include "lanes/lanes.h"
#include "neighbours/neighbour_lists.h"
#include "sph/pairs.h"

// Include only in kernel .cpp files.
namespace rtsim::sph {

// Lists are read once, in order: fetched this far ahead, they never stall the pair loop.
constexpr Index prefetch_slots = 512;

template <class Pass>
struct PairLanes {
  using F = Lanes<Real>;
  const Pass& pass;
  const PairRows &fluid, &walls;
  const neighbours::NeighbourLists& lists;

  void operator()(Index begin, Index end) const {
    const Pass law = pass;
    const Row4 *rows = fluid.cells.rows.data, *motion = fluid.motion.data;
    const Row4 *wall_rows = walls.cells.rows.data, *wall_motion = walls.motion.data;
    const Index* slots = lists.slots(begin);
    for (Index i = begin; i < end; ++i) {
      const Row4 p = rows[i], v = motion[i];
      const auto self = law.self(i, p, v);
      const neighbours::ListPlace at = lists.places()[i];
      const Index* list = slots + at.first;
      F s[Pass::sums];
      for (F& sum : s) sum = F(Real(0));
      for (Index k = 0; k < at.fluid; k += lane_count) {
        __builtin_prefetch(list + k + prefetch_slots);
        const Lanes4<Real> q = load_rows(rows, list + k), u = load_rows(motion, list + k);
        law.fluid(self, separation<F>(p, q), q, u, s);
      }
      list += neighbours::padded(at.fluid);
      const Index boundary = walls.cells.rows.size > 0 ? at.boundary : 0;
      for (Index k = 0; k < boundary; k += lane_count) {
        const Lanes4<Real> q = load_rows(wall_rows, list + k), u = load_rows(wall_motion, list + k);
        law.wall(self, separation<F>(p, q), q, u, s);
      }
      Real total[Pass::sums];
      for (int k = 0; k < Pass::sums; ++k) total[k] = s[k].sum();
      law.store(i, self, total);
    }
  }
};

template <class Pass>
void for_pairs_by_lists(const Exec& ex, const char* label, const PairRows& fluid,
                        const PairRows& walls, const neighbours::NeighbourLists& lists,
                        const Pass& pass) {
  parallel_chunks(ex, label, fluid.cells.rows.size, neighbours::NeighbourLists::chunk_rows,
                  PairLanes<Pass>{pass, fluid, walls, lists});
}

}  // namespace rtsim::sph

#define RTSIM_PAIRS_BY_LISTS(Pass)                                                               \
  template void rtsim::sph::for_pairs_by_lists<Pass>(                                            \
      const rtsim::Exec&, const char*, const rtsim::sph::PairRows&, const rtsim::sph::PairRows&, \
      const rtsim::neighbours::NeighbourLists&, const Pass&);
