#pragma once
#include <vector>

#include "base/vec.h"
#include "world/grid.h"

namespace rtsim {

// A piece of a hull's surface above or below one column of water.
struct HullFacet {
  Index cell;      // of the grid
  double area;     // seen from above, over the column's; > 0 where it faces down
  double x, y, z;  // its middle [m]
};
// Where a hull's surface crosses the face above a column along x or z.
struct HullSegment {
  Index cell;
  double length;  // over the spacing, with the sign of the facet's area
  double y;       // [m]
};
// A closed surface by the columns of a grid. With w the height of the water around it [m],
//   sum area (w - y)^+  of the facets of a column is how much of its depth the body takes,
//   sum length (w - y)^+  of the segments of a face the same of that face's.
// Areas are exact, so that both change smoothly while the body moves.
struct HullFacets {
  std::vector<HullFacet> facets;
  std::vector<HullSegment> across_x, across_z;

  // Adds a triangle, counter-clockwise from outside.
  void add(const GridShape& columns, const Vec3d (&corner)[3]);
};

}  // namespace rtsim
