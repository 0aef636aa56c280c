#pragma once
#include <optional>

#include "flip/flip.h"
#include "grids/boundary_conditions.h"
#include "grids/poisson.h"
#include "grids/probes.h"
#include "stage/stage_type.h"

namespace rtsim {

enum class AtWalls : std::uint8_t { stick, slip };

struct FlipParams {
  ObjectName fluid, grid;
  ObjectNames boundary;
  BoundaryConditionsSpec sides;
  flip::Transfer transfer = flip::Transfer::apic;
  double flip_share = 0.97;
  advection::Trace trace = advection::Trace::ralston;
  double rest_density = 1000;      // [kg/m^D]
  double kinematic_viscosity = 0;  // [m^2/s]
  AtWalls walls = AtWalls::stick;  // what is viscous
  double surface_tension = 0;      // sigma [N/m^(D-2)]
  std::optional<int> substeps;     // of a step
  double max_courant = 3;          // [cells] a substep
  bool keep_volume = false;        // shifts particles where they gather or thin out
  int band = 0;                    // [cells] with particles below the surface; 0: all
  PoissonParams pressure;
  std::vector<GridProbe> probes;
};

void describe(Describe&, FlipParams&);
double row_bytes(const FlipParams&, const GridShape&);
BoundaryMemory boundary_memory(const FlipParams&, int dim);

StageType flip_type();

}  // namespace rtsim
