#pragma once
#include "lanes/row4.h"

namespace rtsim::sph {

// The spiky kernel of Desbrun, for pressure: Müller et al., "Particle-Based Fluid Simulation for
// Interactive Applications", SCA 2003, eq. 21; in 2D normalised over the disc. q = r / H:
//
//   W(r) = k (1 - q)^3_+,      k = 10/(pi H^2) in 2D, 15/(pi H^3) in 3D
//   W'(r) = -3 k/H (1 - q)^2_+
struct Spiky {
  Real support;      // H [m]
  Real inv_support;  // [1/m]
  Real scale;        // k [1/m^D]

  static Spiky of(int dim, double support) {
    const double pi = 3.14159265358979323846;
    const double k =
        dim == 2 ? 10 / (pi * support * support) : 15 / (pi * support * support * support);
    return {Real(support), Real(1 / support), Real(k)};
  }

  // W / k
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F shape(F r2) const {
    const F a = max(F(1) - root(r2) * F(inv_support), F(0));
    return a * a * a;
  }
  // W' H / k
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F slope(F r) const {
    const F a = max(F(1) - r * F(inv_support), F(0));
    return F(-3) * a * a;
  }
};

// For viscosity: the kernel whose Laplacian is linear and nowhere negative, so that velocities only
// ever draw together. In 3D Müller et al. 2003, eq. 22. That kernel's Laplacian in the plane is
// negative near the centre; there the core q^2 - 4/9 q^3 is meant, whose Laplacian is 4 (1 - q) /
// H^2 (appendix A of "Computational Fluid Dynamics in 2D Game Environments", Umeå 2011, eq. A.24).
//
//   laplacian W(r) = k (1 - q)_+,      k = 360/(29 pi H^4) in 2D, 45/(pi H^5) in 3D
struct ViscosityKernel {
  Real inv_support;  // [1/m]
  Real scale;        // k [1/m^(D+2)]

  static ViscosityKernel of(int dim, double support) {
    const double pi = 3.14159265358979323846, h2 = support * support;
    const double k = dim == 2 ? 360 / (29 * pi * h2 * h2) : 45 / (pi * h2 * h2 * support);
    return {Real(1 / support), Real(k)};
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD F laplacian(F r) const {
    return F(scale) * max(F(1) - r * F(inv_support), F(0));
  }
};

}  // namespace rtsim::sph
