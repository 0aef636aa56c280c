#include "wcsph/wcsph.h"

#include "sph/pair_cells.h"
#include "wcsph/force_pass.h"

namespace rtsim::wcsph {

namespace {

struct PressureOfRow {
  Law law;
  Span<const Real> density;
  Span<Real> pressure;
  Span<Row4> position_rows;

  RTSIM_HD void operator()(Index i) const {
    const Real rho = density[i], p = law.tait.pressure(rho);
    pressure[i] = p;
    position_rows[i].w = p / (rho * rho);
  }
};

struct PressureOfSample {
  Law law;
  CellRows fluid, walls;
  Span<const Real> limit;
  Span<Row4> motion;

  RTSIM_HD void operator()(Index b) const {
    if (!(limit[b] > 0)) return;
    const Real rho = law.rest_density + (law.mass * law.kernel.scale * shapes(b) - limit[b]);
    motion[b].w = -max(law.tait.pressure(rho) / (rho * rho), Real(1e-30));
  }
  RTSIM_HD Real shapes(Index b) const {
    const Row4 q = walls.rows[b];
    const Real at[3] = {q.x, q.y, q.z};
    Real sum = 0;
    for_runs(fluid, at, at, law.kernel.support, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j)
        sum += law.kernel.shape(sph::separation<Real>(q, fluid.rows[j], fluid.grid.box).r2);
    });
    return sum;
  }
};

struct EnergyOfRow {
  sph::Tait tait;
  Span<const Real> density;
  RTSIM_HD double operator()(Index i) const { return tait.energy(density[i]); }
};

}  // namespace

void pressure(const Exec& ex, const Law& law, Span<const Real> density, Span<Real> pressure,
              Span<Row4> position_rows) {
  parallel_for(ex, "wcsph.pressure", density.size,
               PressureOfRow{law, density, pressure, position_rows});
}

void pressure_of_samples(const Exec& ex, const Law& law, const CellRows& fluid,
                         const CellRows& walls, Span<const Real> limit, Span<Row4> motion) {
  parallel_for(ex, "wcsph.pressure_of_samples", limit.size,
               PressureOfSample{law, fluid, walls, limit, motion});
}

template <int D>
void force(const Exec& ex, const Law& law, const sph::PairRows& fluid, const sph::PairRows& walls,
           const neighbours::NeighbourLists& lists, Vec<D> gravity, Span<Vec<D>> acceleration) {
  sph::for_pairs(ex, "wcsph.force", fluid, walls, lists, law.kernel.support,
                 ForcePass<D>{law, gravity, acceleration});
}

double internal_energy(const Exec& ex, const Law& law, Span<const Real> density) {
  return reduce(ex, "wcsph.energy", density.size, 0.0, EnergyOfRow{law.tait, density}, Plus{});
}

void force_on_walls(const Exec& ex, const Law& law, const sph::PairRows& fluid,
                    const sph::PairRows& walls, Span<Row4> force) {
  sph::add_wall_reaction(ex, "wcsph.on_walls", fluid, walls, law.kernel.support, -law.mass,
                         ForcePass<3>{law, {}, {}}, force);
}

#define RTSIM_INSTANTIATE(D)                                                                  \
  template void force<D>(const Exec&, const Law&, const sph::PairRows&, const sph::PairRows&, \
                         const neighbours::NeighbourLists&, Vec<D>, Span<Vec<D>>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::wcsph
