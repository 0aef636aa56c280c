#pragma once
#include "neighbours/neighbour_lists.h"
#include "sph/kernels.h"

// Launchers of the sum that every SPH starts with. On the CPU it makes the neighbour lists on its
// way; other backends walk the cells.
namespace rtsim::sph {

// rho_i = m sum_j W_ij + rho0 sum_b V_b W_ib (Akinci et al., "Versatile Rigid-Fluid Coupling for
// Incompressible SPH", SIGGRAPH 2012, eq. 6), the particle itself included, and how many neighbours
// each row has. Kernels: see kernels.h.
template <class Kernel>
void density(const Exec&, const Kernel&, Real mass, Real rest_density, const CellRows& fluid,
             const CellRows& walls, neighbours::NeighbourLists&, Span<Real> density,
             Span<Index> neighbours);

// One body each, for the launcher above and for tests.
template <class Kernel>
void density_by_cells(const Exec&, const Kernel&, Real mass, Real rest_density,
                      const CellRows& fluid, const CellRows& walls, Span<Real> density,
                      Span<Index> neighbours);
template <class Kernel>
void density_by_lists(const Exec&, const Kernel&, Real mass, Real rest_density,
                      const CellRows& fluid, const CellRows& walls, neighbours::NeighbourLists&,
                      Span<Real> density, Span<Index> neighbours);

}  // namespace rtsim::sph
