#pragma once
#include <cmath>

#include "base/types.h"

namespace rtsim::sph {

// A kernel with which the density follows from a full lattice of volumes V,
//
//   rho_i = m (shift / V + sum_j W_ij)
//
// scaled so that rho grows by as much as the lattice is compressed, V sum_j -r_j W'(r_j) / D = 1,
// with the shift that makes rho V / m = 1. For kernels with a tip, whose sums on a lattice are far
// from their integrals.
template <class Kernel>
struct LatticeFit {
  Kernel kernel;
  double shift;

  static LatticeFit of(int dim, double support, double spacing) {
    Kernel k = Kernel::of(dim, support);
    const int n = int(std::ceil(support / spacing)), nz = dim == 3 ? n : 0;
    double sum = 0, growth = 0;
    for (int x = -n; x <= n; ++x)
      for (int y = -n; y <= n; ++y)
        for (int z = -nz; z <= nz; ++z) {
          const double r = spacing * std::sqrt(double(x * x + y * y + z * z));
          sum += double(k.shape(Real(r * r)));
          growth -= r / support * double(k.slope(Real(r))) / dim;
        }
    k.scale = Real(1 / (growth * std::pow(spacing, dim)));
    return {k, 1 - sum / growth};
  }
};

}  // namespace rtsim::sph
