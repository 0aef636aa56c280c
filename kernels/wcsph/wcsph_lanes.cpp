#include "exec/parallel.h"
#include "neighbours/search_lanes.h"
#include "wcsph/wcsph.h"

// The CPU-shaped bodies: the same laws as wcsph.cu, eight neighbours at a time over packed lists.
namespace rtsim::wcsph {

namespace {

using F = Lanes<Real>;
using neighbours::Found;
using neighbours::ListPlace;
using neighbours::NeighbourLists;

// Lists are read once, in order: fetched this far ahead, they never stall the pair loop.
constexpr Index prefetch_slots = 512;

struct DensityLanes {
  const Law& law;
  const CellRows &fluid, &walls;
  NeighbourLists& lists;
  Span<Real> density;
  Span<Index> neighbours;

  void operator()(Index begin, Index end) const {
    neighbours::search_chunk(
        fluid, walls, law.kernel.support, begin, end, lists,
        [&](Index i, const Found& near, const Found& wall) {
          F sum(Real(0)), wall_sum(Real(0));
          for (Index k = 0; k < near.count; k += lane_count)
            sum = sum + law.kernel.shape(F::load(near.r2 + k));
          for (Index k = 0; k < wall.count; k += lane_count)
            wall_sum = fma(F::load(wall.w + k), law.kernel.shape(F::load(wall.r2 + k)), wall_sum);
          density[i] =
              law.kernel.scale * (law.mass * (1 + sum.sum()) + law.rest_density * wall_sum.sum());
          neighbours[i] = near.count + wall.count;
        });
  }
};

template <int D>
struct ForceLanes {
  const Law& law;
  const Fluid& fluid;
  const Walls& walls;
  const NeighbourLists& lists;
  Vec<D> gravity;
  Span<Vec<D>> acceleration;

  struct Sum {
    F x{Real(0)}, y{Real(0)}, z{Real(0)};
  };
  struct Self {
    F x, y, z, u, v, w;
  };

  void operator()(Index begin, Index end) const {
    const Index* slots = lists.slots(begin);
    const Real inv_rest2 = 1 / (law.rest_density * law.rest_density);
    for (Index i = begin; i < end; ++i) {
      const Row4 p = fluid.cells.rows[i], v = fluid.motion[i];
      const Self self{p.x, p.y, p.z, v.x, v.y, v.z};
      const ListPlace at = lists.places()[i];
      const Index* list = slots + at.first;
      Sum a;
      for (Index k = 0; k < at.fluid; k += lane_count) {
        __builtin_prefetch(list + k + prefetch_slots);
        const Lanes4<Real> q = load_rows(fluid.cells.rows.data, list + k);
        const Lanes4<Real> u = load_rows(fluid.motion.data, list + k);
        add_pairs<false>(a, self, q, u, F(p.w) + q.w, F(v.w) + u.w, F(law.mass));
      }
      list += neighbours::padded(at.fluid);
      const F wall_pressures(p.w + p.w * v.w * v.w * inv_rest2),
          wall_densities(v.w + law.rest_density);
      for (Index k = 0; k < at.boundary; k += lane_count) {
        const Lanes4<Real> q = load_rows(walls.cells.rows.data, list + k);
        const Lanes4<Real> u = load_rows(walls.motion.data, list + k);
        add_pairs<true>(a, self, q, u, wall_pressures, wall_densities, F(law.rest_density) * q.w);
      }
      const Real total[3] = {a.x.sum(), a.y.sum(), a.z.sum()};
      for (int d = 0; d < D; ++d) acceleration[i][d] = total[d] + gravity[d];
    }
  }

  template <bool wall>
  [[gnu::always_inline]] void add_pairs(Sum& a, const Self& i, const Lanes4<Real>& q,
                                        const Lanes4<Real>& u, F pressures, F densities,
                                        F mass) const {
    const F x = i.x - q.x, y = i.y - q.y, z = i.z - q.z;
    const F r2 = fma(z, z, fma(y, y, x * x));
    const F approach = fma(z, i.w - u.z, fma(y, i.v - u.y, x * (i.u - u.x)));
    F c = pair_scale<F>(law, r2, approach, pressures, densities, mass);
    if constexpr (wall) c = c + contact_scale<F>(law, r2);
    a.x = fma(c, x, a.x), a.y = fma(c, y, a.y), a.z = fma(c, z, a.z);
  }
};

}  // namespace

void density_by_lanes(const Exec& ex, const Law& law, const CellRows& fluid, const CellRows& walls,
                      NeighbourLists& lists, Span<Real> density, Span<Index> neighbours) {
  lists.resize(density.size);
  parallel_chunks(ex, "wcsph.search_density", density.size, NeighbourLists::chunk_rows,
                  DensityLanes{law, fluid, walls, lists, density, neighbours});
}

template <int D>
void force_by_lanes(const Exec& ex, const Law& law, const Fluid& fluid, const Walls& walls,
                    const NeighbourLists& lists, Vec<D> gravity, Span<Vec<D>> acceleration) {
  parallel_chunks(ex, "wcsph.force", acceleration.size, NeighbourLists::chunk_rows,
                  ForceLanes<D>{law, fluid, walls, lists, gravity, acceleration});
}

template void force_by_lanes<2>(const Exec&, const Law&, const Fluid&, const Walls&,
                                const NeighbourLists&, Vec<2>, Span<Vec<2>>);
template void force_by_lanes<3>(const Exec&, const Law&, const Fluid&, const Walls&,
                                const NeighbourLists&, Vec<3>, Span<Vec<3>>);

}  // namespace rtsim::wcsph
