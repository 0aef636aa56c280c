#pragma once
#include <functional>
#include <vector>

#include "base/types.h"

// How a plane that a fluid row sees becomes virtual neighbours (kernels/sph/wall_map.h).
namespace rtsim {

using KernelOfSquare = std::function<double(double)>;  // W, of r^2 [1/m^D]

// The part of the kernel beyond a plane, for hidden_steps + 1 distances of the plane from -H to H.
constexpr int hidden_steps = 256;
std::vector<double> hidden_part(const KernelOfSquare&, double support, int dim);

// Figures of a virtual neighbour for distances delta of the plane from `first` on, `step` apart.
struct VirtualFan {
  double first, step;        // [m]
  std::vector<Real> reach;   // r, how far off its foot is [m]
  std::vector<Real> aside;   // b, how far from the foot it stands [m]
  std::vector<Real> volume;  // V [m^D]
};

// So that a lattice half a spacing from a plane has exactly rest density and the pressure force of
// one that goes on, with this kernel.
VirtualFan virtual_fan(const KernelOfSquare&, double support, double spacing, int dim);

}  // namespace rtsim
