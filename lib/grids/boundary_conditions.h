#pragma once
#include <optional>
#include <vector>

#include "mac/lattice.h"
#include "param/describe.h"
#include "world/grid.h"

namespace rtsim {

// The boundary condition of one side of a grid's box.
struct BoundaryConditionSpec {
  mac::BoundaryCondition kind = mac::BoundaryCondition::no_slip;
  Vec3d velocity;                     // [m/s] along a wall that slides, or of what flows in
  bool parabolic = false;             // what flows in, from 0 at the rims
  double density = 0;                 // [kg/m^D] of smoke that flows in
  std::optional<double> temperature;  // [K] above the ambient one, of what flows in or of a wall
  std::vector<double> dyes;           // [1] of what flows in
};
struct BoundaryConditionsSpec {
  BoundaryConditionSpec side[3][2];  // low and high end of each axis
};
void describe(Describe&, BoundaryConditionSpec&);
void describe(Describe&, BoundaryConditionsSpec&);

// The staggered grid of a shape, with its boundary conditions. Throws Error{bad_input} where what
// flows in has no way out, or the grid is too thin.
mac::Domain make_domain(const GridShape&, int dim, const BoundaryConditionsSpec&);

}  // namespace rtsim
