#pragma once
#include <algorithm>

#include "exec/parallel.h"
#include "lanes/lanes.h"
#include "neighbours/neighbour_lists.h"
#include "sph/kept_gradient.h"
#include "sph/pairs.h"

// Include only in kernel .cpp files.
namespace rtsim::sph {

// Lists are read once, in order: fetched this far ahead, they never stall the pair loop.
constexpr Index prefetch_bytes = 2048;

// What a row's lanes come to: their sum, or for a pass that says so the greatest of them.
template <class Pass>
Real fold(const Lanes<Real>& s) {
  if constexpr (requires { Pass::greatest; }) {
    Real lanes[lane_count];
    s.store(lanes);
    return *std::max_element(lanes, lanes + lane_count);
  } else {
    return s.sum();
  }
}

template <class Pass>
struct PairLanes {
  using F = Lanes<Real>;
  const Pass& pass;
  const PairRows &fluid, &walls;
  const neighbours::NeighbourLists& lists;

  void operator()(Index begin, Index end) const {
    if (fluid.cells.grid.box.any)
      walk<true>(begin, end);
    else
      walk<false>(begin, end);
  }

  // Where nothing repeats the loop has no branch for it, and where gradients are there none of
  // their operations.
  template <bool repeats>
  void walk(Index begin, Index end) const {
    const neighbours::NeighbourLists::Chunk& chunk = lists.chunk(begin);
    if constexpr (by_gradient<Pass>) {
      if constexpr (Pass::gradients == Gradients::left)
        return walk<repeats, false>(begin, end, chunk.keep());
      else if (chunk.kept())
        return walk<repeats, true>(begin, end, chunk.kept());
    }
    walk<repeats, false>(begin, end, static_cast<const neighbours::Kept*>(nullptr));
  }
  template <bool repeats, bool reads, class Gradient>
  void walk(Index begin, Index end, Gradient* gradients) const {
    const neighbours::ListSlots slots = lists.slots(begin);
    if (slots.wide)
      walk<repeats, reads>(begin, end, slots, slots.wide, gradients);
    else
      walk<repeats, reads>(begin, end, slots, slots.narrow, gradients);
  }

  template <bool repeats, bool reads, class Slot, class Gradient>
  void walk(Index begin, Index end, const neighbours::ListSlots& from, const Slot* slots,
            Gradient* gradients) const {
    const Pass law = pass;
    const auto kept = kept_gradient(law);
    const Row4 *rows = fluid.cells.rows.data, *motion = fluid.motion.data;
    const Row4 *near_rows = rows + from.fluid_from, *near_motion = motion + from.fluid_from;
    const Row4 *wall_rows = walls.cells.rows.data + from.boundary_from,
               *wall_motion = walls.motion.data + from.boundary_from;
    const PeriodicBox images = repeats ? fluid.cells.grid.box : PeriodicBox{};
    for (Index i = begin; i < end; ++i) {
      if (idle(law, i)) continue;
      const Row4 p = rows[i], v = motion[i];
      const auto self = law.self(i, p, v);
      const neighbours::ListPlace at = lists.places()[i];
      const Slot* list = slots + at.first;
      F s[Pass::sums];
      for (F& sum : s) sum = F(Real(0));
      for (Index k = 0; k < at.fluid; k += lane_count) {
        __builtin_prefetch(reinterpret_cast<const char*>(list + k) + prefetch_bytes);
        Lanes4<Real> q = load_rows(near_rows, list + k), u = load_rows(near_motion, list + k);
        if constexpr (!reads) q.x = first_lanes(q.x, at.fluid - k);
        const Separation<F> d = separation<F>(p, q, images);
        if constexpr (by_gradient<Pass>)
          law.fluid(self, gradient<reads>(law, d, kept, gradients, at.first + k), d, q, u, s);
        else
          law.fluid(self, d, q, u, s);
      }
      list += neighbours::padded(at.fluid);
      const Index boundary = walls.cells.rows.size > 0 ? at.boundary : 0;
      for (Index k = 0; k < boundary; k += lane_count) {
        Lanes4<Real> q = load_rows(wall_rows, list + k), u = load_rows(wall_motion, list + k);
        q.x = first_lanes(q.x, boundary - k);
        law.wall(self, separation<F>(p, q, images), q, u, s);
      }
      Real total[Pass::sums];
      for (int k = 0; k < Pass::sums; ++k) total[k] = fold<Pass>(s[k]);
      law.store(i, self, total);
    }
  }

  static auto kept_gradient(const Pass& law) {
    if constexpr (by_gradient<Pass>)
      return KeptGradient(law.medium);
    else
      return (void)law, 0;
  }

  // Of lanes without a neighbour it is zero.
  template <bool reads, class Gradient>
  [[gnu::always_inline]] static F gradient(const Pass& law, const Separation<F>& d,
                                           const KeptGradient& kept, Gradient* beside, Index slot) {
    if constexpr (reads) return kept.load(beside + slot);
    const F g = law.medium.gradient(d.r2);
    if constexpr (!std::is_const_v<Gradient>) kept.store(beside + slot, g);
    return g;
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
