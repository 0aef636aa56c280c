#pragma once
#include "base/vec.h"
#include "neighbours/neighbour_lists.h"
#include "wcsph/pair_force.h"

// Launchers of weakly compressible SPH. Rows are in cell order. Each of `density` and `force` has a
// body that walks cells row by row (any backend) and one that works on lists eight lanes at a time
// (CPU); the launchers choose, tests hold both against each other.
namespace rtsim::wcsph {

// position rows: (x, y, z, p/rho^2); motion rows: (u, v, w, rho). Both end in far dummies.
struct Fluid {
  CellRows cells;
  Span<const Row4> motion;
};
// position rows: (x, y, z, volume); motion rows: (u, v, w, 0).
struct Walls {
  CellRows cells;
  Span<const Row4> motion;
};

// rho_i = m sum_j W_ij + rho0 sum_b V_b W_ib (Akinci et al., "Versatile Rigid-Fluid Coupling for
// Incompressible SPH", SIGGRAPH 2012, eq. 6), and how many neighbours each row has.
void density(const Exec&, const Law&, const CellRows& fluid, const CellRows& walls,
             neighbours::NeighbourLists&, Span<Real> density, Span<Index> neighbours);

// p_i from the equation of state, into the column and the rows.
template <int D>
void pressure(const Exec&, const Law&, Span<const Real> density, Span<const Vec<D>> velocity,
              Span<Real> pressure, Span<Row4> position_rows, Span<Row4> motion_rows);

// a_i from pressure, viscosity, walls (which mirror p_i) and gravity.
template <int D>
void force(const Exec&, const Law&, const Fluid&, const Walls&, const neighbours::NeighbourLists&,
           Vec<D> gravity, Span<Vec<D>> acceleration);

// Symplectic Euler: v' = v + dt a, x' = x + dt v'.
template <int D>
void kick_drift(const Exec&, Real dt, Span<const Vec<D>> acceleration, Span<Vec<D>> velocity,
                Span<Vec<D>> position);

// The greatest speed and acceleration, and the lowest row whose speed is not finite or above a
// limit (or -1).
struct Extremes {
  Real speed2 = 0;         // [m^2/s^2]
  Real acceleration2 = 0;  // [m^2/s^4]
  Index astray = -1;
};
template <int D>
Extremes extremes(const Exec&, Real speed_limit, Span<const Vec<D>> velocity,
                  Span<const Vec<D>> acceleration);

struct Sums {
  double kinetic = 0, potential = 0, internal = 0;  // [J]
  double momentum[3] = {0, 0, 0};                   // [kg m/s]
  double compression = 0;                           // sum of max(rho/rho0 - 1, 0)
  double max_compression = 0;
  double front = -1e300;  // largest x [m]
  Index max_neighbours = 0;
};
template <int D>
struct State {
  Span<const Vec<D>> position, velocity;
  Span<const Real> density;
  Span<const Index> neighbours;
};
template <int D>
Sums sums(const Exec&, const Law&, const State<D>&, Vec<D> gravity);

// One body each, for the launchers above and for tests.
void density_by_cells(const Exec&, const Law&, const CellRows& fluid, const CellRows& walls,
                      Span<Real> density, Span<Index> neighbours);
void density_by_lanes(const Exec&, const Law&, const CellRows& fluid, const CellRows& walls,
                      neighbours::NeighbourLists&, Span<Real> density, Span<Index> neighbours);
template <int D>
void force_by_cells(const Exec&, const Law&, const Fluid&, const Walls&, Vec<D> gravity,
                    Span<Vec<D>> acceleration);
template <int D>
void force_by_lanes(const Exec&, const Law&, const Fluid&, const Walls&,
                    const neighbours::NeighbourLists&, Vec<D> gravity, Span<Vec<D>> acceleration);

}  // namespace rtsim::wcsph
