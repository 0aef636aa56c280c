#include <fmt/format.h>

#include "flip/band.h"
#include "mac/lattice.h"
#include "solvers/flip/flip.h"
#include "solvers/flip/surface_tension.h"
#include "solvers/flip/viscosity.h"

namespace rtsim {

namespace {

void check_side(Describe& d, const BoundaryConditionSpec& s, bool viscous) {
  if (s.kind == mac::BoundaryCondition::inflow)
    d.fault("sides", "liquid does not flow in by a side; use a stage \"emit\" beside it");
  if (norm(s.velocity) > 0 && !viscous)
    d.fault(
        "sides",
        "without viscosity the liquid slides along walls, so that their velocity along "
        "themselves does nothing; give it a \"kinematic_viscosity\", or use a boundary that moves");
  if (s.temperature) d.fault("sides", "the liquid has no temperature; leave it out");
}

}  // namespace

void describe(Describe& d, FlipParams& p) {
  using flip::Transfer;
  static constexpr const char *fluids[] = {"particles"}, *grids[] = {"grid"},
                              *boundaries[] = {"boundary", "bodies", "mesh"};
  static constexpr Option transfers[] = {
      {"apic", int(Transfer::apic),
       "particles take the velocity and its gradient: keeps spin, and is calm."},
      {"flip", int(Transfer::flip),
       "particles take the change of velocity: lively, and noisy between particles."},
      {"pic", int(Transfer::pic),
       "particles take the velocity alone: every step smooths it, as a thick fluid."}};
  static constexpr Option traces[] = {
      {"midpoint", int(advection::Trace::midpoint), "Runge-Kutta of second order."},
      {"ralston", int(advection::Trace::ralston), "Runge-Kutta of third order."}};
  static constexpr Option walls[] = {
      {"stick", int(AtWalls::stick), "it has the velocity of the wall."},
      {"slip", int(AtWalls::slip), "it slides, without friction."}};
  d.role("fluid", p.fluid, fluids,
         "The liquid. Two particles along each side of a cell: a spacing of half the grid's.");
  d.role("grid", p.grid, grids, "The box that the liquid moves in, with cells for the pressure.");
  d.roles(
      "boundary", p.boundary, boundaries,
      "Obstacles and walls inside the grid, standing or moving, and rigid bodies, cloth and soft "
      "solids, which a stage couple lets the liquid push.");
  d.nested("sides", p.sides,
           "What the sides of the grid do. Without viscosity all walls slip; what leaves through "
           "an open side is "
           "taken out, and counted in the series \"drained\".");
  d.choice("transfer", p.transfer, transfers, "How velocity goes from the grid to particles:");
  d("flip_share", p.flip_share, "", between(0, 1),
    "With \"flip\": the share of change; the rest is that of \"pic\".");
  d.choice("trace", p.trace, traces, "How particles follow the flow in a substep:");
  d("rest_density", p.rest_density, "kg/m^D", above(0), "Of the liquid.");
  d("kinematic_viscosity", p.kinematic_viscosity, "m^2/s", at_least(0),
    "Viscosity nu, solved implicitly: any step is stable. Walls hold what is turbulent beside them "
    "by the law of the wall. 0: none.");
  d.choice("walls", p.walls, walls, "How what is viscous meets boundaries; sides say it by kind:");
  d("surface_tension", p.surface_tension, "N/m^(D-2)", at_least(0),
    "Sigma, 0.072 for water. The surface meets walls at right angles. 0: none.");
  d("substeps", p.substeps, "", between(1, 1000),
    "Equal substeps per time step. Default: as many as \"max_courant\" and waves of surface "
    "tension "
    "ask for, step by step.");
  d("max_courant", p.max_courant, "", {0, 10, false},
    "Cells that the fastest particle may cross in a substep. Beyond 5 the flow misses how it "
    "turns.");
  d("keep_volume", p.keep_volume,
    "Shifts particles where they gather or thin out, so that what lies below the surface stays as "
    "much as they are: for what is poured, and for runs of many seconds.");
  d("band", p.band, "", between(0, 1000),
    "Cells below the surface and around boundaries that have particles; deeper the velocity lives "
    "on the grid alone. Frames then have the particles of the band. 0: particles everywhere.");
  d.nested("pressure", p.pressure, "The solve that keeps the volume.");
  d.list("probes", p.probes, "Places where the series look at the liquid.");
  if (p.band > 0 && p.band < flip::least_band)
    d.fault("band", fmt::format("the surface and the velocity beside it are made of the particles "
                                "of {} cells: give that or more, or 0 for particles everywhere",
                                flip::least_band));
  for (const auto& axis : p.sides.side)
    for (const BoundaryConditionSpec& s : axis) check_side(d, s, p.kinematic_viscosity > 0);
}

// Columns; faces as they are, with margins and beside walls; walls; the solve; particles' cells.
double row_bytes(const FlipParams& p, const GridShape& g) {
  double padded = 1, dims = 0;
  for (int a = 0; a < 3; ++a)
    if (g.spans[a]) padded *= 1 + double(mac::Layout::low + mac::Layout::high) / g.cells[a], ++dims;
  const double margins = 1 + (p.transfer == flip::Transfer::flip) + p.keep_volume;
  const double solids = p.boundary.names.empty() ? 0 : 32 + (2 + 2 * dims) * sizeof(Real);
  const double viscous = p.kinematic_viscosity > 0 ? Viscosity::numbers(int(dims)) : 0;
  const double tension = p.surface_tension > 0 ? SurfaceTension::numbers(padded) : 0;
  const double band = p.band > 0 ? dims * sizeof(Real) + 6 + 3 * sizeof(Index) + 8 : 0;
  const double numbers = 2 + dims + 2 + dims * (3 + margins * padded) + viscous + tension;
  return numbers * sizeof(Real) + 2 * dims + 2 + sizeof(Index) + solids + band + 32 +
         Poisson::row_bytes(p.pressure);
}

// The equations of viscosity are those of cells with liquid.
BoundaryMemory boundary_memory(const FlipParams& p, int dim) {
  BoundaryMemory m;
  m.fluid = p.fluid.name;
  if (p.kinematic_viscosity > 0) m.row_bytes = Viscosity::row_bytes(dim);
  return m;
}

}  // namespace rtsim
