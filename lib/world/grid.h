#pragma once
#include "base/vec.h"

namespace rtsim {

// Square or cubic cells, x fastest: cell (i, j, k) is row i + nx (j + ny k) of a table. A grid of
// the plane has one layer of cells along z, a height field (columns of water, y up) one along y.
struct GridShape {
  Index cells[3] = {1, 1, 1};
  bool spans[3] = {true, true, true};  // the axes that it has an extent along
  double spacing = 1;                  // side of a cell [m]
  Vec3d low;                           // lower corner [m]; 0 along the other axes

  double rows() const { return double(cells[0]) * cells[1] * cells[2]; }  // may exceed an Index
  Index row(Index i, Index j, Index k) const { return i + cells[0] * (j + cells[1] * k); }

  Vec3d centre(Index row) const {  // of a cell [m]
    const Index at[3] = {row % cells[0], row / cells[0] % cells[1], row / cells[0] / cells[1]};
    Vec3d x = low;
    for (int a = 0; a < 3; ++a)
      if (spans[a]) x[a] += (at[a] + 0.5) * spacing;
    return x;
  }
  // The faces of the cells across an axis, as a grid of their own: face (i, j, k) is the lower one
  // of cell (i, j, k), and there is one more along the axis.
  GridShape faces(int axis) const {
    GridShape f = *this;
    f.cells[axis] += 1;
    f.low[axis] -= 0.5 * spacing;
    return f;
  }
  // The corners of the cells likewise.
  GridShape nodes() const {
    GridShape n = *this;
    for (int a = 0; a < 3; ++a)
      if (spans[a]) n = n.faces(a);
    return n;
  }
};

}  // namespace rtsim
