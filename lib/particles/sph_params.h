#pragma once
#include <optional>
#include <string>
#include <vector>

#include "param/describe.h"
#include "particles/periodic.h"
#include "stage/stage_type.h"
#include "world/world.h"

namespace rtsim {

// A place where the series look at the fluid.
struct SphProbe {
  enum class Quantity { pressure, wall_pressure, height };
  std::string name;
  Quantity quantity = Quantity::pressure;
  Vec3d at;                      // [m]
  std::optional<double> radius;  // [m] of a wall_pressure
};
void describe(Describe&, SphProbe&);

// How boundaries act as neighbours of a fluid.
enum class BoundaryMethod { samples, volume_map };

// Whose samples have a pressure of their own, in solvers that look for pressure: see
// kernels/pressure/samples.h.
enum class PressureBoundaries { none, bodies, all };

// A further fluid of a stage.
struct PhaseSpec {
  ObjectName fluid;
  double rest_density = 1000;         // [kg/m^D]
  double kinematic_viscosity = 1e-6;  // [m^2/s]
};
void describe(Describe&, PhaseSpec&);

// What every particle fluid is told.
struct SphParams {
  ObjectName fluid;
  ObjectNames boundary;
  double rest_density = 1000;           // [kg/m^D]
  std::optional<double> particle_mass;  // [kg]
  double support = 2;                   // radius of the kernel in spacings
  bool boundary_forces = false;
  PressureBoundaries pressure_boundaries = PressureBoundaries::all;
  BoundaryMethod boundary_method = BoundaryMethod::samples;
  std::optional<double> map_cell;  // [m]
  std::optional<PeriodicSpec> periodic;
  std::vector<SphProbe> probes;
  std::vector<PhaseSpec> phases;  // of stages that take several fluids

  double mass(const World&) const;            // [kg]
  double kernel_support(const World&) const;  // [m]
  bool wants_wall_forces() const;
};
void describe(Describe&, SphParams&);
// For stages that take several fluids, behind all else that they describe; `other_forces`: whether
// anything was asked for that acts on one fluid alone.
void describe_phases(Describe&, SphParams&, bool other_forces);

// What forces on boundaries and volume maps take.
BoundaryMemory boundary_memory(const SphParams&, int dim);
template <class Params>
requires requires(const Params& p) { p.sph.boundary_method; }
BoundaryMemory boundary_memory(const Params& p, int dim) { return boundary_memory(p.sph, dim); }

// For stages whose sums know no images: throws Error{bad_input} for periodic boxes.
void refuse_periodic(const SphParams&, const char* stage);

// For stages whose own contact law knows samples alone: throws Error{bad_input} for volume maps.
void refuse_volume_maps(const SphParams&, const char* stage);

// Radius of a poly6 kernel with which a lone particle has the part beta of rest density,
// m W(0) = beta rho0 [m]: "Computational Fluid Dynamics in 2D Game Environments", Umea 2011,
// eq. 3.42.
double support_of_self_contribution(int dim, double beta, double mass, double rest_density);

}  // namespace rtsim
