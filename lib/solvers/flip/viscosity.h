#pragma once
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "flip/viscosity.h"

namespace rtsim {

// What viscosity makes of the velocity on the faces in a step.
class Viscosity {
 public:
  struct Result {
    int iterations = 0;
    double residual = 0;  // over the greatest speed
  };
  Viscosity(const Exec&, const mac::Domain&, bool sticks);

  // k = nu dt / h^2. `known` as flip::gather has it, for each component.
  Result apply(double k, const mac::Walls&, Span<const Real> surface,
               const std::vector<Buffer<std::uint8_t>>& known, const mac::Velocity&);
  // What to say of a solve that ran out of iterations, or nothing.
  static std::string warning(const Result&);

  static double numbers(int dims);  // for each cell, with a change of the pressure

 private:
  flip::ViscousFlow prepare(double k, const mac::Walls&, Span<const Real> surface,
                            const std::vector<Buffer<std::uint8_t>>& known);
  Span<Real> component(const flip::ViscousFlow& f, int a) {
    return {u_.data() + f.first[a], f.first[a + 1] - f.first[a]};
  }
  Result conjugate_gradients(const flip::ViscousFlow&, double speed);

  Exec ex_;
  mac::Domain domain_;
  bool sticks_;
  std::vector<Buffer<Real>> face_, edge_;
  Buffer<Real> cell_, u_, inverse_, r_, p_, q_;
};

}  // namespace rtsim
