#pragma once
#include "mac/mac.h"

namespace rtsim::mac {

// On a body [N], [N m]: torque about the origin.
struct Force {
  double along[3] = {0, 0, 0};  // [N]

  friend RTSIM_HD Force operator+(const Force& a, const Force& b) {
    return {{a.along[0] + b.along[0], a.along[1] + b.along[1], a.along[2] + b.along[2]}};
  }
};

struct Wrench {
  double force[3] = {0, 0, 0}, torque[3] = {0, 0, 0};

  friend RTSIM_HD Wrench operator+(const Wrench& a, const Wrench& b) {
    Wrench s;
    for (int i = 0; i < 3; ++i)
      s.force[i] = a.force[i] + b.force[i], s.torque[i] = a.torque[i] + b.torque[i];
    return s;
  }
};

// What the fluid does to solid number `which` of `nodes`. By pressure, over the part of its surface
// in each cell, whose area along axis a is (open_low - open_high) h^(D-1) since the surface of what
// a cell has of fluid is closed:
//   F_a = sum over cells of p (open_low - open_high) h^(D-1),
// which summed by parts is just the momentum that the pressure takes from faces weighted by how far
// they are open (Batty, Bertails & Bridson 2007, sec. 4). Where it acts: the middle of the cell.
Wrench pressure_on(const Exec&, const Domain&, const Walls&, const SolidNodes& nodes, int which,
                   Span<const Real> pressure);

// What a liquid, where `distance` < 0, does by pressure to the sides of the domain that are walls,
// where solids leave these bare. On a side it is that of the middle of the cell and the weight of
// half a cell, since nothing flows through a side:
//   p + weight . n h / 2,
// `weight`: rho g [N/m^3].
Force pressure_on_sides(const Exec&, const Domain&, const Walls&, const SolidNodes&,
                        Span<const Real> distance, const double weight[3],
                        Span<const Real> pressure);

// By viscosity, between faces in the flow and those in solids, as the diffusion has it:
//   F_a = mu h^(D-2) sum over such pairs of (u - u_wall) friction_share.
// `viscosity`: dynamic, mu. Where it acts: where the wall begins between them.
Wrench friction_on(const Exec&, const Domain&, const Walls&, const SolidNodes& nodes, int which,
                   double viscosity, const Velocity&);

}  // namespace rtsim::mac
