#pragma once
#include <memory>
#include <optional>

#include "particles/pressure_solver.h"
#include "particles/sph_forces.h"
#include "stage/stage.h"

namespace rtsim {

// Parameters of the solvers that keep the density by a solve.
struct DensitySolveParams {
  SphParams sph;
  SphForcesParams forces;
  double kinematic_viscosity = 1e-6;                           // [m^2/s]
  double density_error_mean = 1e-4, density_error_max = 0.01;  // relative to rest density
  int max_iterations = 100;
  int substeps = 1;
  bool tension = false;
};
void describe(Describe&, DensitySolveParams&);
BoundaryMemory boundary_memory(const DensitySolveParams&, int dim);

// A step of predictor-corrector SPH: predict velocities without new pressure, find the pressure
// that keeps the density, move, find neighbours. With a tolerance for divergence a second pressure
// then keeps velocities from compressing the fluid further; it is part of the column `pressure`.
std::unique_ptr<Stage> make_density_stage(const DensitySolveParams&, World&, Prediction,
                                          std::optional<double> divergence_error_mean = {});

}  // namespace rtsim
