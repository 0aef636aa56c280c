#pragma once
#include "sph/cubic_spline.h"
#include "sph/double_density.h"
#include "sph/poly6.h"
#include "sph/spiky.h"
#include "sph/wendland_c2.h"

// Every smoothing kernel K has
//
//   Real support, inv_support, scale       H [m], 1/H [1/m], k [1/m^D]
//   F shape(F r2)                          W / k, from the squared distance
//   F slope(F r)                           W' H / k
//
// with F = Real or Lanes<Real>, free of branches and zero beyond H. Those that densities are summed
// with:
#define RTSIM_DENSITY_KERNELS(X) \
  X(CubicSpline)                 \
  X(Poly6)                       \
  X(WendlandC2)
