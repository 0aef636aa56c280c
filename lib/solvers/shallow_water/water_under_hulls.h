#pragma once
#include <span>
#include <vector>

#include "grids/body_motions.h"
#include "shallow_water/shallow_water.h"
#include "solvers/shallow_water/hull_facets.h"

namespace rtsim {

// A body's surface where it is now, by columns.
struct PlacedHull {
  Vec3d centre;  // [m]
  HullFacets surface;
};

// Lines of cells along x, [first, first + count) along z, on the host.
struct WaterLines {
  Index nx = 0, first = 0, count = 0;
  double spacing = 1;                                        // [m]
  Vec3d low;                                                 // lower corner of the grid [m]
  std::vector<double> bed, depth, discharge_x, discharge_z;  // of cells
  std::vector<double> displaced;                             // [m] of a column, by bodies
  std::vector<char> near;                                    // whether it is solved for here
  std::vector<double> face_x, face_z;  // discharges of lower faces, and the last upper ones

  Index cells() const { return nx * count; }
};

// The water under and beside hulls over one substep; see floating_bodies.h. Faces between two cells
// that are near have to be set, with what they had before; so have those around them, with what
// goes through them in this substep. Pushes the bodies.
void move_water_under_hulls(WaterLines&, const shallow_water::Flow&, double density, double h,
                            std::span<const PlacedHull>, BodyMotions&);

// How much of a column's depth bodies take when its head is w, cells of `lines` alone.
std::vector<double> displaced_by(const WaterLines&, std::span<const PlacedHull>,
                                 const std::vector<double>& head);

}  // namespace rtsim
