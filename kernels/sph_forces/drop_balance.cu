#include "sph_forces/drop_balance.h"

#include <cmath>

#include "exec/parallel.h"
#include "sph_forces/sph_forces.h"

namespace rtsim::sph_forces {

namespace {

void find_drops(const Exec& ex, const CellRows& cells, Drops& drops) {
  const Index n = cells.rows.size;
  drops.label.resize(std::size_t(n)), drops.next.resize(std::size_t(n));
  parallel_for(ex, "tension.drops", n, FirstLabel{cells, drops.label.span()});
  ex.copy(drops.next.data(), drops.label.data(), std::size_t(n) * sizeof(Index));
  Index moved = 1;
  while (moved) {
    const Span<Index> label = drops.label.span(), next = drops.next.span();
    parallel_for(ex, "tension.drops", n, NextLabel{cells, label, next});
    moved = reduce(ex, "tension.drops", n, Index(0), LabelMoved{label, next}, Max{});
    drops.label.swap(drops.next);
  }
}

}  // namespace

void add_balanced(const Exec& ex, const CellRows& cells, Span<const Row4> impulse, Drops& drops,
                  Span<Row4> motion) {
  const Index n = cells.rows.size;
  const double all = reduce(ex, "tension.drops", n, 0.0, ImpulseLength{impulse}, Plus{});
  if (all == 0) return;
  const double quantum = std::ldexp(1.0, std::ilogb(all) - 60);  // no sum passes 2^61 of it
  find_drops(ex, cells, drops);
  drops.sums.resize(std::size_t(n));
  ex.zero(drops.sums.data(), drops.sums.size() * sizeof(DropSum));
  const Span<const Index> label = drops.label.span();
  parallel_for(ex, "tension.drops", n,
               SumDrops{cells, label, impulse, 1 / quantum, drops.sums.span()});
  parallel_for(ex, "tension.drops", n,
               AddBalanced{cells, label, drops.sums.span(), impulse, quantum, motion});
}

}  // namespace rtsim::sph_forces
