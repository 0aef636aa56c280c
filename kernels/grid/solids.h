#pragma once
#include "boundary/place_samples.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "grid/grid_view.h"

// Boundaries on a grid: the signed distance of the nearest one.
namespace rtsim::grid {

// A boundary as its signed distance [m] on a grid in its own frame, ample around its surface.
struct SolidMap {
  GridView grid;
  Span<const Real> distance;
};

// distance[c] = the smaller of itself and the map's at the cell's centre, with the boundary at
// `pose`; nearest[c] = which where the map's was smaller. Cells that the map does not reach stay as
// they are.
void take_nearer(const Exec&, const GridView&, const SolidMap&, const boundary::Pose&,
                 std::uint8_t which, Span<Real> distance, Span<std::uint8_t> nearest);

}  // namespace rtsim::grid
