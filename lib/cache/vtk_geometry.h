#pragma once
#include <cstdint>
#include <vector>

#include "cache/frame.h"

namespace rtsim {

// Where VTK sees the rows of a frame: points that one poly-vertex cell owns (half the size of a
// vertex cell for each), or the cells of a mesh, or the triangles of bodies, or quads between the
// centres of a grid's cells.
// Grids in space need neither: their place follows from three figures.
struct VtkGeometry {
  explicit VtkGeometry(const FrameObject&);

  std::vector<Real> points;  // of quads and bodies: x, y, z of one after the other
  std::vector<std::int64_t> cells, ids;
  std::vector<std::int32_t> connectivity, offsets;
  std::vector<std::uint8_t> types;
};

// A grid whose rows are written as an image in space.
inline bool is_image(const FrameObject& o) { return o.kind == Kind::grid && o.dim == 3; }

}  // namespace rtsim
