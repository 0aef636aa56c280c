#pragma once
#include <optional>

#include "particles/sph_fluid.h"
#include "sph_forces/sph_forces.h"

namespace rtsim {

struct ImplicitViscosityParams {
  double kinematic_viscosity = 0.01;         // nu [m^2/s]
  std::optional<double> boundary_viscosity;  // of wall pairs [m^2/s]
  double tolerance = 1e-3;                   // relative to the speeds
  int max_iterations = 200;
};
void describe(Describe&, ImplicitViscosityParams&);

// Backward Euler of viscosity by conjugate gradients without a matrix. The error of the velocities
// is never larger than the residual, because A - 1 has no negative eigenvalue; a last step adds the
// residual, after which momentum is kept to round-off whatever the tolerance.
template <int D>
class ImplicitViscosity {
 public:
  // Adds the state column viscosity_change, what the last step's viscosity did to each row: a first
  // guess of what it will do in the next.
  ImplicitViscosity(World&, const SphFluid<D>&, const ImplicitViscosityParams&);

  // Changes the motion rows.
  void apply(World&, SphFluid<D>&, double dt);

  int iterations() const { return iterations_; }  // of the last solve
  double error() const { return error_; }         // residual relative to the speeds

 private:
  struct Cg;
  void solve(const Exec&, const sph_forces::Surroundings&, const sph_forces::Viscosity&,
             Span<Vec<D>> change, Span<Row4> velocity);

  ImplicitViscosityParams p_;
  Buffer<Real> inverse_;
  Buffer<Row4> before_, residual_, direction_, product_;
  int iterations_ = 0;
  double error_ = 0;
};

}  // namespace rtsim
