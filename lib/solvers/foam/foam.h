#pragma once
#include <optional>

#include "particles/periodic.h"
#include "stage/stage_type.h"

namespace rtsim {

// Empty optionals follow from the liquid's spacing s and gravity g.
struct TrappedAirParams {
  std::optional<double> rate;      // [1/s]
  std::optional<double> from, to;  // [m/s]
};
struct WaveCrestParams {
  std::optional<double> rate;  // [1/s]
  double from = 0.25, to = 1;
};
struct KineticEnergyParams {
  std::optional<double> from, to;  // [m^2/s^2]
};
struct FoamDomain {
  Vec3d min, max;  // [m]
};

struct FoamParams {
  ObjectName fluid, foam;
  ObjectNames boundary;
  FileName frames;       // of the liquid, of a finished run
  double support = 2.5;  // spacings of the liquid
  TrappedAirParams trapped_air;
  WaveCrestParams wave_crests;
  KineticEnergyParams kinetic_energy;
  double spray_below = 0.2, bubbles_from = 0.6;  // parts of a full neighbourhood
  double spread = 0.1;
  double buoyancy = 2;             // g
  std::optional<double> drag;      // [1/s]
  std::optional<double> lifetime;  // [s]
  std::optional<FoamDomain> domain;
  std::optional<PeriodicSpec> periodic;
  int max_particles = 200000;
};

void describe(Describe&, TrappedAirParams&);
void describe(Describe&, WaveCrestParams&);
void describe(Describe&, KineticEnergyParams&);
void describe(Describe&, FoamDomain&);
void describe(Describe&, FoamParams&);
RowBudget row_budget(const FoamParams&);
BoundaryMemory boundary_memory(const FoamParams&, int dim);

StageType foam_type();

}  // namespace rtsim
