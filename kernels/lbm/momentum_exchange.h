#pragma once
#include "lbm/measures.h"

namespace rtsim::lbm {

// Momentum exchange: what flew in plus what flies out, along c. Ladd 1994.
template <int D, class Stored>
struct Taken {
  Layout layout;
  Populations<D, Stored> f;
  Span<const Link> links;
  Span<const Index> order;
  Vec<3> first, step;

  RTSIM_HD Wrench operator()(Index i) const {
    const Link l = links[order[i]];
    const int p = l.from / 2;
    const bool forth = l.from % 2 == 1;
    const double both =
        double(load(f.array[l.from] + l.slot)) + double(load(f.array[l.from ^ 1] + l.slot));
    const Index n = forth ? l.slot - layout.template offset<D>(p) : l.slot;
    const Index at[3] = {n % layout.pitch - layout.margin, n % layout.plane / layout.pitch - 1,
                         n / layout.plane - layout.deep};
    Wrench w;
    VecT<double, 3> half_way;
    for (int a = 0; a < D; ++a) {
      const double c = (forth ? 1 : -1) * Lattice<D>::along(p, a);
      w.force[a] = both * c;
      half_way[a] = double(first[a]) + (double(at[a]) + 0.5 * c) * double(step[a]);
    }
    w.torque = cross(half_way, w.force);
    return w;
  }
};

// The sum over all of `order`: the CPU-shaped body.
template <int D, class Stored>
Wrench wrench_fetched_ahead(const Exec&, const Taken<D, Stored>&);

}  // namespace rtsim::lbm
