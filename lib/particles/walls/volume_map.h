#pragma once
#include <string>
#include <vector>

#include "sph/wall_map.h"
#include "world/world.h"

namespace rtsim {

// The map of one solid, in its own frame (kernels/sph/wall_map.h).
struct VolumeMap {
  sph::MapGrid grid;
  Buffer<Row4> nodes;

  sph::WallMap view() const { return {grid, nodes.span()}; }
};

// For a fluid of this spacing [m], with nodes `cell` [m] apart around the solid's samples, which
// are in its own frame. Throws Error{bad_input} for solids that a map cannot hold.
template <int D>
VolumeMap make_volume_map(const Exec&, const Object&, const std::vector<Vec<D>>& samples,
                          const sph::CubicSpline&, double spacing, double cell);

}  // namespace rtsim
