#include "rigid/contact_points.h"

#include "exec/parallel.h"
#include "exec/sort.h"
#include "rigid/contact_law.h"

namespace rtsim::rigid {

namespace {

template <int D>
struct CountLane {
  Span<const ContactBlock<D>> blocks;
  Span<Index> counts;
  RTSIM_HD void operator()(Index at) const {
    const ContactBlock<D>& b = blocks[at / lane_count];
    const Index l = at % lane_count;
    Index n = 0;
    for (int k = 0; k < b.points; ++k) n += b.manifold[l] >= 0 && b.point[k].impulse[l] > 0;
    counts[at] = n;
  }
};

template <int D>
struct ListLane {
  Real per_substep;  // [1/s]
  Bodies<D> bodies;
  Span<const ContactBlock<D>> blocks;
  Span<const Index> first;
  const Row4* movers;
  ContactPoints<D> out;

  RTSIM_HD std::int32_t name_of(Index mover) const {
    const Index row = mover / mover_rows<D>;
    return row < bodies.position.size ? row : bodies.position.size - 1 - row;
  }
  RTSIM_HD void operator()(Index at) const {
    const ContactBlock<D>& b = blocks[at / lane_count];
    const Index l = at % lane_count;
    if (b.manifold[l] < 0) return;
    const ContactPair<D, Real> pair(movers, b, l);
    Index to = first[at];
    for (int k = 0; k < b.points; ++k)
      if (b.point[k].impulse[l] > 0) write(b, l, k, pair, to++);
  }
  RTSIM_HD void write(const ContactBlock<D>& b, Index l, int k, const ContactPair<D, Real>& pair,
                      Index to) const {
    const auto& p = b.point[k];
    const Vec<D> ri = lane<Real>(p.arm_i, l), rj = lane<Real>(p.arm_j, l);
    Vec<D> impulse = p.impulse[l] * pair.normal;
    for (int t = 0; t < D - 1; ++t) impulse = impulse + p.friction[t][l] * pair.tangent[t];
    out.bodies[to] = {{name_of(b.i[l]), name_of(b.j[l])}};
    // Body i moves, so it is none of the boundaries.
    out.position[to] = bodies.position[b.i[l] / mover_rows<D>] + rotated(pair.i.turned, ri);
    out.normal[to] = pair.normal;
    out.force[to] = per_substep * impulse;
    out.separation[to] = Separation<D, Real>(pair)(p.separation[l], ri, rj);
  }
};

}  // namespace

template <int D>
Index count_points(const Exec& ex, Span<const ContactBlock<D>> blocks, Span<Index> counts) {
  parallel_for(ex, "rigid.points", blocks.size * lane_count, CountLane<D>{blocks, counts});
  return exclusive_scan(ex, "rigid.points", counts, counts);
}

template <int D>
void list_points(const Exec& ex, double h, const Bodies<D>& bodies,
                 Span<const ContactBlock<D>> blocks, Span<const Index> first,
                 Span<const Row4> movers, const ContactPoints<D>& out) {
  parallel_for(ex, "rigid.points", blocks.size * lane_count,
               ListLane<D>{Real(1 / h), bodies, blocks, first, movers.data, out});
}

#define RTSIM_INSTANTIATE(D)                                                                       \
  template Index count_points<D>(const Exec&, Span<const ContactBlock<D>>, Span<Index>);           \
  template void list_points<D>(const Exec&, double, const Bodies<D>&, Span<const ContactBlock<D>>, \
                               Span<const Index>, Span<const Row4>, const ContactPoints<D>&);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
