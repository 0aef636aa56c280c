#pragma once
#include "neighbours/cell_grid.h"

namespace rtsim::sph_bodin {

// Solving a row writes to its neighbours, all of them in its own cell or one beside it. Cells whose
// places differ by a multiple of three along every axis therefore share no row they write to:
// 3^D colours, one after the other, and within a colour all cells at once. Only places in the grid
// count, so it holds for grids coarser than the support, and for rows beyond the grid as well.
constexpr Index colours = 27;

struct CellPlace {
  Index x, y, z;

  RTSIM_HD static CellPlace of(const CellGrid& g, const Row4& p) {
    return {g.along(0, p.x), g.along(1, p.y), g.along(2, p.z)};
  }
  // Rounding may put a pair just within the support two cells apart: no neighbours then.
  RTSIM_HD bool beside(const CellPlace& o) const {
    return near(x - o.x) && near(y - o.y) && near(z - o.z);
  }
  RTSIM_HD Index colour() const { return x % 3 + 3 * (y % 3 + 3 * (z % 3)); }

 private:
  RTSIM_HD static bool near(Index d) { return -1 <= d && d <= 1; }
};

}  // namespace rtsim::sph_bodin
