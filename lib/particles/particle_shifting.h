#pragma once
#include <optional>

#include "particles/sph_fluid.h"

namespace rtsim {

struct ShiftingParams {
  double strength = 4;   // A
  double pairing = 0.2;  // R
};
void describe(Describe&, ShiftingParams&);

// Moves rows that flow has strung out or clumped, and their velocities with them, after each
// substep: see kernels/sph/shift.h. Does nothing without parameters.
template <int D>
class ParticleShifting {
 public:
  ParticleShifting(const Exec&, const std::optional<ShiftingParams>&);

  // From the neighbours as they stand, and these velocities, which are about to move them. Writes
  // to the fourth numbers of the position rows.
  void find(World&, SphFluid<D>&, Span<const Row4> motion, double dt);
  // After the move, in the same order of rows.
  void apply(World&, const SphFluid<D>&);

 private:
  std::optional<ShiftingParams> p_;
  Buffer<Row4> shift_, change_;
};

}  // namespace rtsim
