#include "exec/parallel.h"
#include "neighbours/search_lanes.h"
#include "sph/density.h"
#include "sph/poly6h.h"
#include "sph/spiky.h"

namespace rtsim::sph {

namespace {

using F = Lanes<Real>;

template <class Kernel>
struct DensityLanes {
  const Kernel& kernel;
  Real mass, rest_density;
  const CellRows &fluid, &walls;
  neighbours::NeighbourLists& lists;
  Span<Real> density;
  Span<Index> neighbours;

  void operator()(Index begin, Index end) const {
    const Kernel k = kernel;
    const Real own = k.shape(Real(0));
    neighbours::search_chunk(
        fluid, walls, k.support, begin, end, lists,
        [&](Index i, const neighbours::Found& near, const neighbours::Found& wall) {
          F sum(Real(0)), wall_sum(Real(0));
          for (Index n = 0; n < near.count; n += lane_count)
            sum = sum + k.shape(F::load(near.r2 + n));
          for (Index n = 0; n < wall.count; n += lane_count)
            wall_sum = fma(F::load(wall.w + n), k.shape(F::load(wall.r2 + n)), wall_sum);
          density[i] = k.scale * (mass * (own + sum.sum()) + rest_density * wall_sum.sum());
          neighbours[i] = near.count + wall.count;
        });
  }
};

}  // namespace

template <class Kernel>
void density_by_lists(const Exec& ex, const Kernel& kernel, Real mass, Real rest_density,
                      const CellRows& fluid, const CellRows& walls,
                      neighbours::NeighbourLists& lists, Span<Real> density,
                      Span<Index> neighbours) {
  lists.resize(density.size);
  parallel_chunks(
      ex, "sph.search_density", density.size, neighbours::NeighbourLists::chunk_rows,
      DensityLanes<Kernel>{kernel, mass, rest_density, fluid, walls, lists, density, neighbours});
}

#define RTSIM_INSTANTIATE(K)                                                                  \
  template void density_by_lists<K>(const Exec&, const K&, Real, Real, const CellRows&,       \
                                    const CellRows&, neighbours::NeighbourLists&, Span<Real>, \
                                    Span<Index>);
RTSIM_DENSITY_KERNELS(RTSIM_INSTANTIATE)
RTSIM_INSTANTIATE(Spiky)   // of sph_mueller alone
RTSIM_INSTANTIATE(Poly6h)  // of sph_bodin alone

}  // namespace rtsim::sph
