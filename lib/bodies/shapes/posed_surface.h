#pragma once
#include <cstdint>
#include <vector>

#include "world/world.h"

namespace rtsim {

// The triangles of all bodies of an object, where they are.
struct PosedSurface {
  std::vector<Real> points;             // [m] x, y, z of one after the other
  std::vector<std::int32_t> triangles;  // corners of one after the other
  std::vector<std::int32_t> body;       // the row each belongs to
};
PosedSurface posed_surface(World&, const Object&);
std::size_t bytes_of_surface(World&, const Object&);

}  // namespace rtsim
