#pragma once
#include <optional>

#include "flip/flip.h"
#include "grids/boundary_conditions.h"
#include "grids/poisson.h"
#include "stage/stage_type.h"

namespace rtsim {

struct FlipParams {
  ObjectName fluid, grid;
  ObjectNames boundary;
  BoundaryConditionsSpec sides;
  flip::Transfer transfer = flip::Transfer::apic;
  double flip_share = 0.97;
  advection::Trace trace = advection::Trace::ralston;
  double rest_density = 1000;   // [kg/m^D]
  std::optional<int> substeps;  // of a step
  double max_courant = 3;       // [cells] a substep
  PoissonParams pressure;
};

void describe(Describe&, FlipParams&);
double row_bytes(const FlipParams&, const GridShape&);

StageType flip_type();

}  // namespace rtsim
