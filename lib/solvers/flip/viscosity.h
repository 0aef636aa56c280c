#pragma once
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "grids/grid_walls.h"
#include "solvers/flip/viscous_bodies.h"

namespace rtsim {

// What viscosity makes of the velocity on the faces in a step.
class Viscosity {
 public:
  struct Result {
    int iterations = 0;
    double residual = 0;  // over the greatest speed
  };
  Viscosity(const Exec&, const mac::Domain&, bool sticks);

  struct Liquid {
    double rest_density, kinematic_viscosity;
    Span<const Real> surface;
    const std::vector<Buffer<std::uint8_t>>& known;  // of each component, as flip::gather has it
  };
  // `pressure` [Pa] is what viscosity asks for to keep the volume: where it starts, and where it
  // ends.
  Result apply(double dt, const Liquid&, GridWalls&, const BodyMotions&, const poisson::BodyTerms&,
               Span<Real> pressure, const mac::Velocity&);
  // What each solid felt in the last step [N s], [N m s] about its centre: all that it did to
  // bodies, to others what is not in the pressure.
  const std::vector<poisson::Screw>& felt() const { return felt_; }
  // What to say of a solve that ran out of iterations, or nothing.
  static std::string warning(const Result&);

  static double numbers(int dims);    // for each cell
  static double row_bytes(int dims);  // for each particle

 private:
  void find_volumes(flip::ViscousFlow&, const Liquid&);
  void assemble(flip::ViscousFlow&, bool solids, Span<Real> pressure);
  flip::CgSums find_residual(const flip::ViscousFlow&, const mac::Velocity& before,
                             Span<const Real> pressure);
  Span<Real> component(const flip::ViscousFlow& f, int a) {
    return {u_.data() + f.first[a], f.first[a + 1] - f.first[a]};
  }
  flip::Solution solution() {
    return {diagonal_.data(), x_.data(), r_.data(), p_.data(), q_.data()};
  }
  Result solve(const flip::ViscousFlow&, const mac::Velocity& before, Span<Real> pressure);
  struct Cg;
  void conjugate_gradients(const flip::ViscousFlow&, flip::CgSums, double speed, double left,
                           Result&);

  Exec ex_;
  mac::Domain domain_;
  bool sticks_;
  std::vector<Buffer<Real>> face_, edge_;
  Buffer<Real> cell_, stress_, u_;  // by rows of cells, and of the faces of all components
  Buffer<Index> place_;
  Buffer<Index> unknowns_, in_solids_, cells_;  // lists
  Buffer<Real> diagonal_, x_, r_, p_, q_;
  Buffer<flip::EntrySlot> entries_;
  ViscousBodies bodies_;
  std::vector<poisson::Screw> felt_;
};

}  // namespace rtsim
