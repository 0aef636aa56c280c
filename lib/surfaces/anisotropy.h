#pragma once
#include <vector>

#include "surfaces/point_cells.h"

// Kernels that follow the shape of the fluid: Yu & Turk, "Reconstructing surfaces of particle-based
// fluids using anisotropic kernels", ACM Transactions on Graphics 32(1), 2013. Lengths are in
// spacings of the particles, so that each has volume 1.
namespace rtsim {

// r: how far a particle sees, and the radius of its kernel deep inside the fluid. Wide enough for
// some 90 neighbours; smoothing with more begins to mix layers of particles.
constexpr double kernel_radius = 3;

// What a particle i sees within r, with weights w_ij = 1 - (|x_i - x_j| / r)^3 (eq. 11):
struct Neighbourhood {
  double fill = 0;  // sum of w_ij, itself included, over that of a full neighbourhood
  Vec3d offset;     // d_i = sum_j w_ij x_j / sum_j w_ij - x_i
  int others = 0;   // particles but itself
};

// One for each of cells.points(); the cells' side is kernel_radius.
std::vector<Neighbourhood> neighbourhoods(const PointCells&);

// W(x) = peak * (1 - |G (x - centre)|^2)^3 where that is positive: an ellipsoid that integrates to
// 1 over space.
struct EllipsoidKernel {
  Vec3d centre;
  double g[6];  // G, symmetric: xx, xy, xz, yy, yz, zz
  double peak;
  Vec3d reach;  // half of its bounding box
};

// The kernels of the points that are `wanted`, in their order.
std::vector<EllipsoidKernel> ellipsoid_kernels(const PointCells&, const std::vector<Neighbourhood>&,
                                               const std::vector<char>& wanted, double smoothing);

}  // namespace rtsim
