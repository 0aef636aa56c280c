#include "wcsph/wcsph.h"

#include "sph/pair_cells.h"
#include "wcsph/phases.h"

namespace rtsim::wcsph {

namespace {

struct PressureOfRow {
  Law law;
  sph::Phases phases;
  Span<const Real> phase;
  Span<const Real> density, stretch;
  Span<Real> pressure;
  Span<Row4> position_rows;

  RTSIM_HD void operator()(Index i) const {
    Real rho = density[i], p = law.tait.pressure(rho);
    if (stretch.size > 0 && stretch[i] > 0) {
      rho = law.rest_density * (1 - stretch[i]);
      p = law.tait.tension(stretch[i]);
    }
    if (phases.mixed()) p *= phases.density[sph::Phases::of(phase[i])];
    pressure[i] = p;
    position_rows[i].w = p / (rho * rho);
  }
};

struct PressureOfSample {
  Law law;
  sph::Phases phases;
  Span<const Real> phase;
  CellRows fluid, walls;
  Span<const Real> limit;
  Span<Row4> motion;

  RTSIM_HD void operator()(Index b) const {
    if (!(limit[b] > 0)) return;
    const Real shapes = sum(b, [](Index) { return Real(1); });
    const Real rho = law.rest_density + (law.mass * law.kernel.scale * shapes - limit[b]);
    Real p = law.tait.pressure(rho);
    if (phases.mixed() && shapes > 0)
      p *= sum(b, [&](Index j) { return phases.density[sph::Phases::of(phase[j])]; }) / shapes;
    motion[b].w = -max(p / (rho * rho), Real(1e-30));
  }
  template <class Of>
  RTSIM_HD Real sum(Index b, const Of& of) const {
    const Row4 q = walls.rows[b];
    const Real at[3] = {q.x, q.y, q.z};
    Real sum = 0;
    for_runs(fluid, at, at, law.kernel.support, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j)
        sum += of(j) * law.kernel.shape(sph::separation<Real>(q, fluid.rows[j], fluid.grid.box).r2);
    });
    return sum;
  }
};

struct EnergyOfRow {
  sph::Tait tait;
  Span<const Real> density, stretch;
  RTSIM_HD double operator()(Index i) const {
    if (stretch.size > 0 && stretch[i] > 0) return tait.energy_of_stretch(stretch[i]);
    return tait.energy(density[i]);
  }
};

}  // namespace

void pressure(const Exec& ex, const Law& law, Span<const Real> density, Span<const Real> stretch,
              Span<Real> pressure, Span<Row4> position_rows, const sph::Phases& phases,
              Span<const Real> phase) {
  parallel_for(ex, "wcsph.pressure", density.size,
               PressureOfRow{law, phases, phase, density, stretch, pressure, position_rows});
}

void pressure_of_samples(const Exec& ex, const Law& law, const CellRows& fluid,
                         const CellRows& walls, Span<const Real> limit, Span<Row4> motion,
                         const sph::Phases& phases, Span<const Real> phase) {
  parallel_for(ex, "wcsph.pressure_of_samples", limit.size,
               PressureOfSample{law, phases, phase, fluid, walls, limit, motion});
}

template <int D>
void force(const Exec& ex, const Law& law, const sph::PairRows& fluid, const sph::PairRows& walls,
           const neighbours::NeighbourLists& lists, Vec<D> gravity, Span<Vec<D>> acceleration,
           const PhaseLaw& phases) {
  if (phases.all.mixed())
    return sph::for_pairs(ex, "wcsph.force", fluid, walls, lists, law.kernel.support,
                          PhaseForcePass<D>{law, phases, gravity, acceleration});
  sph::for_pairs(ex, "wcsph.force", fluid, walls, lists, law.kernel.support,
                 ForcePass<D>{law, gravity, acceleration});
}

double internal_energy(const Exec& ex, const Law& law, Span<const Real> density,
                       Span<const Real> stretch) {
  return reduce(ex, "wcsph.energy", density.size, 0.0, EnergyOfRow{law.tait, density, stretch},
                Plus{});
}

void force_on_walls(const Exec& ex, const Law& law, const sph::PairRows& fluid,
                    const sph::PairRows& walls, Span<Row4> force, const PhaseLaw& phases) {
  if (phases.all.mixed())
    return sph::add_wall_reaction(ex, "wcsph.on_walls", fluid, walls, law.kernel.support, -law.mass,
                                  PhaseForcePass<3>{law, phases, {}, {}}, force);
  sph::add_wall_reaction(ex, "wcsph.on_walls", fluid, walls, law.kernel.support, -law.mass,
                         ForcePass<3>{law, {}, {}}, force);
}

#define RTSIM_INSTANTIATE(D)                                                                  \
  template void force<D>(const Exec&, const Law&, const sph::PairRows&, const sph::PairRows&, \
                         const neighbours::NeighbourLists&, Vec<D>, Span<Vec<D>>,             \
                         const PhaseLaw&);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::wcsph
