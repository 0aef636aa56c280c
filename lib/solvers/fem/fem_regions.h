#pragma once
#include "solvers/fem/fem.h"
#include "world/world.h"

namespace rtsim {

// What an element is made of.
struct FemConstants {
  fem::Lame<double> lame;
  std::optional<double> density;  // [kg/m^3], if not that of the mesh
};

// Of elements with these middles, in order. Throws Error{bad_input} for a region that has none, and
// a tag where a mesh has no tags.
std::vector<FemConstants> constants_of(const FemParams&, World&, const std::vector<Vec3d>& middles);

}  // namespace rtsim
