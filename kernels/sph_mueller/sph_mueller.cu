#include "sph_mueller/sph_mueller.h"

#include "sph/pair_cells.h"
#include "sph_mueller/force_pass.h"

namespace rtsim::sph_mueller {

namespace {

struct PressureOfRow {
  Law law;
  Span<Real> density, pressure;
  Span<Row4> position_rows;
  RTSIM_HD void operator()(Index i) const {
    const Real rho = density[i] + law.density_shift;
    const Real p = law.stiffness * (rho - law.rest_density);
    density[i] = rho, pressure[i] = p;
    position_rows[i].w = law.pressure_force == PressureForce::energy ? p / (rho * rho) : p;
  }
};

}  // namespace

void pressure(const Exec& ex, const Law& law, Span<Real> density, Span<Real> pressure,
              Span<Row4> position_rows) {
  parallel_for(ex, "sph_mueller.pressure", density.size,
               PressureOfRow{law, density, pressure, position_rows});
}

template <int D>
void force(const Exec& ex, const Law& law, const sph::PairRows& fluid, const sph::PairRows& walls,
           const neighbours::NeighbourLists& lists, Vec<D> gravity, Span<Vec<D>> acceleration) {
  if (law.pressure_force == PressureForce::energy)
    sph::for_pairs(ex, "sph_mueller.force", fluid, walls, lists, law.poly6.support,
                   EnergyForce<D>{law, gravity, acceleration});
  else
    sph::for_pairs(ex, "sph_mueller.force", fluid, walls, lists, law.poly6.support,
                   MeanForce<D>{law, gravity, acceleration});
}

template <int D>
void tension(const Exec& ex, const Law& law, const sph::PairRows& fluid,
             const neighbours::NeighbourLists& lists, Span<Vec<D>> acceleration) {
  sph::for_pairs(ex, "sph_mueller.tension", fluid, sph::PairRows{}, lists, law.poly6.support,
                 TensionPass<D>{law, acceleration});
}

void force_on_walls(const Exec& ex, const Law& law, const sph::PairRows& fluid,
                    const sph::PairRows& walls, Span<Row4> force) {
  if (law.pressure_force == PressureForce::energy)
    sph::add_wall_reaction(ex, "sph_mueller.on_walls", fluid, walls, law.poly6.support, -law.mass,
                           EnergyForce<3>{law, {}, {}}, force);
  else
    sph::add_wall_reaction(ex, "sph_mueller.on_walls", fluid, walls, law.poly6.support, -law.mass,
                           MeanForce<3>{law, {}, {}}, force);
}

#define RTSIM_INSTANTIATE(D)                                                                  \
  template void force<D>(const Exec&, const Law&, const sph::PairRows&, const sph::PairRows&, \
                         const neighbours::NeighbourLists&, Vec<D>, Span<Vec<D>>);            \
  template void tension<D>(const Exec&, const Law&, const sph::PairRows&,                     \
                           const neighbours::NeighbourLists&, Span<Vec<D>>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::sph_mueller
