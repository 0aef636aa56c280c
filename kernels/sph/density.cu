#include "sph/density.h"

#include "exec/parallel.h"
#include "sph/poly6h.h"
#include "sph/spiky.h"

namespace rtsim::sph {

namespace {

template <class Kernel>
struct DensityOfRow {
  Kernel kernel;
  Real mass, rest_density;
  CellRows fluid, walls;
  Span<Real> density;
  Span<Index> neighbours;

  RTSIM_HD void operator()(Index i) const {
    const Row4 p = fluid.rows[i];
    const Real at[3] = {p.x, p.y, p.z};
    const Real support = kernel.support, limit = support * support;
    Index count = 0;
    Real sum = kernel.shape(Real(0)), wall_sum = 0;
    for_runs(fluid, at, at, support, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        const Real r2 = distance2(p, fluid.rows[j], fluid.grid.box);
        if (r2 >= limit || j == i) continue;
        sum += kernel.shape(r2), ++count;
      }
    });
    for_wall_runs(walls, i, at, support, [&](Index begin, Index end) {
      for (Index b = begin; b < end; ++b) {
        const Real r2 = distance2(p, walls.rows[b], fluid.grid.box);
        if (r2 >= limit) continue;
        wall_sum += walls.rows[b].w * kernel.shape(r2), ++count;
      }
    });
    density[i] = kernel.scale * (mass * sum + rest_density * wall_sum);
    neighbours[i] = count;
  }

  RTSIM_HD static Real distance2(const Row4& a, const Row4& b, const PeriodicBox& images) {
    Real x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    if (images.any) images.bring(x, y, z);
    return fma(z, z, fma(y, y, x * x));
  }
};

}  // namespace

template <class Kernel>
void density_by_cells(const Exec& ex, const Kernel& kernel, Real mass, Real rest_density,
                      const CellRows& fluid, const CellRows& walls, Span<Real> density,
                      Span<Index> neighbours) {
  parallel_for(ex, "sph.density", density.size,
               DensityOfRow<Kernel>{kernel, mass, rest_density, fluid, walls, density, neighbours});
}

template <class Kernel>
void density(const Exec& ex, const Kernel& kernel, Real mass, Real rest_density,
             const CellRows& fluid, const CellRows& walls, neighbours::NeighbourLists& lists,
             Span<Real> density, Span<Index> neighbours) {
  if (ex.cpu_shaped())
    density_by_lists(ex, kernel, mass, rest_density, fluid, walls, lists, density, neighbours);
  else
    density_by_cells(ex, kernel, mass, rest_density, fluid, walls, density, neighbours);
}

#define RTSIM_INSTANTIATE(K)                                                                    \
  template void density_by_cells<K>(const Exec&, const K&, Real, Real, const CellRows&,         \
                                    const CellRows&, Span<Real>, Span<Index>);                  \
  template void density<K>(const Exec&, const K&, Real, Real, const CellRows&, const CellRows&, \
                           neighbours::NeighbourLists&, Span<Real>, Span<Index>);
RTSIM_DENSITY_KERNELS(RTSIM_INSTANTIATE)
RTSIM_INSTANTIATE(Spiky)   // of sph_mueller alone
RTSIM_INSTANTIATE(Poly6h)  // of sph_bodin alone

}  // namespace rtsim::sph
