#pragma once
#include "boundary/place_samples.h"
#include "contact/box_tree.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "grid/grid_view.h"

// Solids on a grid, boundaries and bodies: the signed distance of the nearest one.
namespace rtsim::grid {

// Which of the solids that a grid meets.
using SolidId = std::uint16_t;

// A solid as its signed distance [m] on a grid in its own frame, ample around its surface.
struct SolidMap {
  GridView grid;
  Span<const Real> distance;
};

// Where one stands, and the cells that its map may reach.
struct PlacedSolid {
  SolidMap map;
  boundary::Pose pose;
  SolidId which;
  Index low[3], n[3];
};
PlacedSolid place_solid(const GridView&, const SolidMap&, const boundary::Pose&, SolidId which);

// Blocks of so many cells a side, x fastest, and which of the solids reach into each: of block b
// those of[first[b]] to of[first[b + 1]].
inline constexpr Index block_side = 8;
struct Blocks {
  Index n[3];
  Span<const Index> first, of;
};

// distance[c] = the least of itself and what the maps have at the cell's centre; nearest[c] = which
// of the solids has it, of equal ones the first.
void take_nearest(const Exec&, const GridView&, Span<const PlacedSolid>, const Blocks&,
                  Span<Real> distance, Span<SolidId> nearest);

// A surface that deforms, where it is, with the velocities of its corners [m/s].
struct MovingSurface {
  contact::SurfaceMesh mesh;
  Span<const Vec<3>> velocity;
  bool inside_out;
};

// The same for such a surface, at the cells from `low` on, n each way; distances within `band` [m].
// velocity[c] = that of the nearest point of the surface, where it is the nearest solid. `winding`:
// a number for each of these cells.
void take_nearer_surface(const Exec&, const GridView&, const MovingSurface&, Real band,
                         const Index (&low)[3], const Index (&n)[3], SolidId which,
                         Span<std::int8_t> winding, Span<Real> distance, Span<SolidId> nearest,
                         Span<Vec<3>> velocity);

}  // namespace rtsim::grid
