#pragma once
#include <vector>

#include "exec/buffer.h"
#include "neighbours/neighbour_lists.h"
#include "sph_bodin/constraint.h"

// Launchers of constraint fluids: the Jacobian of a step's constraints, and sweeps of Gauss-Seidel
// over them, parallel by a colouring of cells. Positions and velocities are rows of four numbers.
namespace rtsim::sph_bodin {

// Where the entries of one row stand: `fluid` of them, then `wall`.
struct EntryPlace {
  Index first, fluid, wall;
};

// The constraints of one step.
struct System {
  Span<Row4> own;           // (G_ii, 1 / (S_ii + e))
  Span<Real> offset;        // r_i - e lambda_i - G_ii . v_i - sum_j G_ij . v_j [1/s]
  Span<EntryPlace> places;  // per row
  Span<Row4> entries;       // (G_ij, 0) and (G_ib, r_ib)
  Span<Index> columns;      // j, b
  // Of the entries of walls: times the entry, the velocity that the row lost to the sample [m^2/s].
  // Nothing where nobody asks.
  Span<Real> lost;
};

struct Neighbourhood {
  sph::PairRows fluid, walls;
  const neighbours::NeighbourLists& lists;  // read where the Exec is CPU-shaped
};

// first[i] = how many entries rows below i may have, at most; returns the room for all.
Index count_entries(const Exec&, const Neighbourhood&, Real support, Span<Index> first);
// The system for the velocities of the motion rows, before forces act.
void assemble(const Exec&, const Constraint&, const Neighbourhood&, Span<const Real> density,
              Span<const Index> first, const System&);

// The cells that have rows, by colour: those of colour c are cells[first[c]] ..
// cells[first[c+1]-1].
struct ColouredCells {
  Buffer<Index> cells;
  std::vector<Index> first;
  Buffer<std::uint32_t> keys;
  Buffer<Index> first_of_key;

  explicit ColouredCells(const Exec& ex) : cells(ex), keys(ex), first_of_key(ex) {}
};
void colour_cells(const Exec&, const CellRows&, ColouredCells&);

// What a multiplier may be: <= 0 pushes, > 0 pulls the fluid together.
enum class Bound { none, push_only };

// One sweep over all rows: lambda_i' = lambda_i - r_i / (S_ii + e), within the bound, and what that
// does to v. residual[i]: by how much r_i was amiss [1/s].
void sweep(const Exec&, const Constraint&, Bound, const System&, const CellRows&,
           const ColouredCells&, Span<Real> multiplier, Span<Row4> motion, Span<Real> residual);
// One sweep of viscosity over all pairs.
void dissipate(const Exec&, const Dissipation&, const System&, const CellRows&,
               const ColouredCells&, Span<const Row4> wall_motion, Span<Row4> motion);
// Takes what would enter a wall out of the velocities, sample after sample.
void keep_out(const Exec&, const Contact&, const System&, Span<const Row4> wall_motion,
              Span<Row4> motion);

// force[b] += what the rows gave to the sample within dt: its part of the multipliers, which are
// lambda / dt, and of what was `lost`.
void push_on_walls(const Exec&, const Constraint&, const System&, const Neighbourhood&,
                   Span<const Real> multiplier, Real dt, Span<Row4> force);

// density += by
void add(const Exec&, Real by, Span<Real> density);
// v_i += dt g
void accelerate(const Exec&, const Real (&dt_gravity)[3], Span<Row4> motion);
// v += M^-1 G^T lambda, with lambda = `scale` times the numbers in `multiplier`, kept there.
void start_from(const Exec&, const Constraint&, const System&, Real scale, Span<Real> multiplier,
                Span<Row4> motion);
// multiplier *= scale
void scale(const Exec&, Real scale, Span<Real> multiplier);
// The pressure of multipliers lambda/dt; `volume`: m / rho0 [m^D].
void pressure(const Exec&, int dim, const sph::Poly6&, Real volume, const Neighbourhood&,
              Span<const Real> multiplier, Span<Real> pressure);

struct Left {
  double sum = 0;  // of |residual| [1/s]
  Real max = 0;
};
Left left(const Exec&, Span<const Real> residual);
double sum(const Exec&, Span<const Real> multiplier);

}  // namespace rtsim::sph_bodin
