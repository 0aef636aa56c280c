#pragma once
#include "base/vec.h"
#include "neighbours/neighbour_lists.h"
#include "sph/boundary_repulsion.h"
#include "sph/pairs.h"
#include "sph/poly6.h"
#include "sph/spiky.h"

// Launchers of Müller's SPH. Neighbours and densities are those of sph/density.h, with poly6 or,
// where pressure follows from an energy, with the spiky kernel.
namespace rtsim::sph_mueller {

// The paper's mean of two pressures, or the gradient of an energy; see force_pass.h.
enum class PressureForce { mean, energy };

// Constants of one fluid.
struct Law {
  PressureForce pressure_force;
  sph::Poly6 poly6;                // density, unless of an energy, and colour
  sph::Spiky spiky;                // pressure
  sph::ViscosityKernel viscosity;  // viscosity
  sph::BoundaryRepulsion contact;  // of walls
  Real mass;                       // [kg]
  Real rest_density;               // [kg/m^D]
  Real density_shift;              // added to the sum of the kernels [kg/m^D]
  Real stiffness;                  // k [m^2/s^2]
  Real dynamic_viscosity;          // mu [kg/(m^(D-2) s)]
  Real surface_tension;            // sigma [N/m^(D-2)]
  Real normal_threshold;           // [1/m]
};

// Shifts densities; p_i = k (rho_i - rho0) (Müller et al. 2003, eq. 12), tension included, into the
// column, and p_i or, of an energy, p_i / rho_i^2 into the fourth numbers of the position rows.
void pressure(const Exec&, const Law&, Span<Real> density, Span<Real> pressure,
              Span<Row4> position_rows);

// a_i from pressure, viscosity, walls and gravity.
template <int D>
void force(const Exec&, const Law&, const sph::PairRows& fluid, const sph::PairRows& walls,
           const neighbours::NeighbourLists&, Vec<D> gravity, Span<Vec<D>> acceleration);
// What walls get back, added to the first three numbers of `force` [N].
void force_on_walls(const Exec&, const Law&, const sph::PairRows& fluid, const sph::PairRows& walls,
                    Span<Row4> force);

// a_i += surface tension.
template <int D>
void tension(const Exec&, const Law&, const sph::PairRows& fluid, const neighbours::NeighbourLists&,
             Span<Vec<D>> acceleration);

}  // namespace rtsim::sph_mueller
