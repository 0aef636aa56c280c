#pragma once
#include "grid/solids.h"

// The nearest of the solids that reach into a block of cells.
namespace rtsim::grid {

struct TakeNearest {
  GridView grid;
  const PlacedSolid* solids;
  Blocks blocks;
  Span<Real> distance;
  Span<SolidId> nearest;

  // D: axes of the map; T: one cell or eight.
  template <int D, class T>
  RTSIM_HD T distance_at(const PlacedSolid& s, const T (&place)[3]) const {
    T x[3], t[D];
    for (int a = 0; a < 3; ++a) x[a] = place[a] - T(s.pose.translation[a]);
    for (int b = 0; b < D; ++b) {
      const T local = x[0] * T(s.pose.rotation[0][b]) + x[1] * T(s.pose.rotation[1][b]) +
                      x[2] * T(s.pose.rotation[2][b]);
      t[b] = (local - T(s.map.grid.first[b])) / T(s.map.grid.step[b]);
    }
    return interpolate_in_cells<D, T>(s.map.grid, s.map.distance.data, t);
  }
  RTSIM_HD static bool in_space(const PlacedSolid& s) { return s.map.grid.step[2] > 0; }
  RTSIM_HD void keep(const PlacedSolid& s, Index c, Real d) const {
    if (d < distance[c]) distance[c] = d, nearest[c] = s.which;
  }
  RTSIM_HD void first_cell(Index block, Index (&at)[3]) const {
    at[0] = block % blocks.n[0] * block_side,
    at[1] = block / blocks.n[0] % blocks.n[1] * block_side;
    at[2] = block / blocks.n[0] / blocks.n[1] * block_side;
  }
  // Of one cell of all blocks.
  RTSIM_HD void operator()(Index e) const {
    constexpr Index in_block = block_side * block_side * block_side;
    const Index block = e / in_block, l = e % in_block;
    Index at[3];
    first_cell(block, at);
    at[0] += l % block_side, at[1] += l / block_side % block_side;
    at[2] += l / block_side / block_side;
    for (Index p = blocks.first[block]; p < blocks.first[block + 1]; ++p) {
      const PlacedSolid& s = solids[blocks.of[p]];
      bool reached = true;
      for (int a = 0; a < 3; ++a)
        reached = reached && at[a] >= s.low[a] && at[a] < s.low[a] + s.n[a];
      if (!reached) continue;
      const Vec<3> place = grid.place(at[0], at[1], at[2]);
      const Real x[3] = {place[0], place[1], place[2]};
      keep(s, grid.row(at[0], at[1], at[2]),
           in_space(s) ? distance_at<3, Real>(s, x) : distance_at<2, Real>(s, x));
    }
  }
};

// The CPU-shaped form: blocks, eight cells at once.
void take_nearest_lines(const Exec&, const TakeNearest&);

}  // namespace rtsim::grid
