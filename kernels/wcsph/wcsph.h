#pragma once
#include "base/vec.h"
#include "neighbours/neighbour_lists.h"
#include "sph/pairs.h"
#include "wcsph/pair_force.h"

// Launchers of weakly compressible SPH. Rows are in cell order; neighbours and densities are those
// of sph/density.h.
namespace rtsim::wcsph {

// p_i from the equation of state, into the column, and p/rho^2 into the fourth numbers of the rows.
// Rows with a stretch s_i (sph/tension.h) above zero have that of rho0 (1 - s_i) in place of rho_i,
// for which the forces follow from the energy of compression then too; no rows have one where
// `stretch` is empty. `phase`: of each row; empty where there is one alone.
void pressure(const Exec&, const Law&, Span<const Real> density, Span<const Real> stretch,
              Span<Real> pressure, Span<Row4> position_rows, const sph::Phases& = {},
              Span<const Real> phase = {});

// -p_b/rho_b^2, and a trifle less than zero where it is none, into the fourth numbers of the walls'
// motion rows, for samples with a limit L_b above zero [kg/m^D]; the others stay as they are, and
// mirror. See pair_force.h.
// Beside several phases with the mean of their stiffnesses, as near as they are.
void pressure_of_samples(const Exec&, const Law&, const CellRows& fluid, const CellRows& walls,
                         Span<const Real> limit, Span<Row4> motion, const sph::Phases& = {},
                         Span<const Real> phase = {});

// a_i from pressure, viscosity, walls and gravity. With several phases motion rows carry which one
// a row is, in place of its density.
template <int D>
void force(const Exec&, const Law&, const sph::PairRows& fluid, const sph::PairRows& walls,
           const neighbours::NeighbourLists&, Vec<D> gravity, Span<Vec<D>> acceleration,
           const PhaseLaw& = {});
// What walls get back, added to the first three numbers of `force` [N].
void force_on_walls(const Exec&, const Law&, const sph::PairRows& fluid, const sph::PairRows& walls,
                    Span<Row4> force, const PhaseLaw& = {});

// Energy of compression per mass, summed [J/kg].
double internal_energy(const Exec&, const Law&, Span<const Real> density, Span<const Real> stretch);

}  // namespace rtsim::wcsph
