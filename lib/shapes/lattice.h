#pragma once
#include <array>
#include <cstdint>

#include "shapes/shape.h"

namespace rtsim {

using Cell = std::array<std::int64_t, 3>;

// Cell centres x = origin + (i + 1/2) spacing; in 2D the third index is 0 and z is 0.
struct Lattice {
  Vec3d origin;    // [m]
  double spacing;  // [m]
  int dim;

  Vec3d centre(const Cell& i) const {
    Vec3d x;
    for (int a = 0; a < dim; ++a) x[a] = origin[a] + (double(i[a]) + 0.5) * spacing;
    return x;
  }
};

// Cells from low to high, high excluded.
struct CellRange {
  Cell low{0, 0, 0}, high{1, 1, 1};
};

// The cells whose centres may lie between two corners. Throws Error{bad_input} where a coordinate
// is infinite or the cells are too many to count.
CellRange cells_between(const Lattice&, const Vec3d& min, const Vec3d& max);

}  // namespace rtsim
