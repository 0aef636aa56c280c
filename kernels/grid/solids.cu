#include "grid/solids.h"

#include <algorithm>
#include <cmath>

#include "exec/parallel.h"
#include "grid/winding.h"

namespace rtsim::grid {

namespace {

struct TakeNearest {
  GridView grid;
  const PlacedSolid* solids;
  Blocks blocks;
  Span<Real> distance;
  Span<SolidId> nearest;

  RTSIM_HD void take(const PlacedSolid& s, Index i, Index j, Index k) const {
    const Index c = grid.row(i, j, k);
    const Vec<3> x = grid.place(i, j, k) - s.pose.translation;
    const Vec<3> local =
        x[0] * s.pose.rotation[0] + x[1] * s.pose.rotation[1] + x[2] * s.pose.rotation[2];
    const Real d = interpolate(s.map.grid, s.map.distance.data, local);
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
      if (reached) take(s, at[0], at[1], at[2]);
    }
  }
  // Of all cells of one block.
  void of_block(Index block) const {
    Index at[3];
    first_cell(block, at);
    for (Index p = blocks.first[block]; p < blocks.first[block + 1]; ++p) {
      const PlacedSolid s = solids[blocks.of[p]];
      Index low[3], end[3];
      for (int a = 0; a < 3; ++a) {
        low[a] = std::max(at[a], s.low[a]);
        end[a] = std::min(at[a] + block_side, s.low[a] + s.n[a]);
      }
      for (Index k = low[2]; k < end[2]; ++k)
        for (Index j = low[1]; j < end[1]; ++j)
          for (Index i = low[0]; i < end[0]; ++i) take(s, i, j, k);
    }
  }
};

struct TakeNearerSurface {
  GridView grid;
  MovingSurface surface;
  Real band;
  SolidId which;
  Span<Real> distance;
  Span<SolidId> nearest;
  Span<Vec<3>> velocity;
  Span<const std::int8_t> winding;
  Index low[3], n[3];

  RTSIM_HD void operator()(Index i) const {
    const Index c = grid.row(low[0] + i % n[0], low[1] + i / n[0] % n[1], low[2] + i / n[0] / n[1]);
    const Vec<3> x = grid.place(c);
    const contact::NearestTriangle q = contact::nearest_triangle(surface.mesh, x);
    const Vec<3> gap = x - q.on.point;
    const bool within = winding[i] > 0;
    const Real d = least(norm(gap), band) * (within != surface.inside_out ? Real(-1) : Real(1));
    if (!(d < distance[c])) return;
    distance[c] = d, nearest[c] = which;
    const contact::Corners3& corner = surface.mesh.triangles[q.triangle];
    Vec<3> v{};
    for (int k = 0; k < 3; ++k) v = v + q.on.weight[k] * surface.velocity[corner[k]];
    velocity[c] = v;
  }
  RTSIM_HD static Real least(Real a, Real b) { return a < b ? a : b; }
};

// Cells whose centres lie in the box around the map's cells at `pose`, or within one of it.
void find_reach(const GridView& grid, const SolidMap& map, const boundary::Pose& pose,
                Index (&low)[3], Index (&n)[3]) {
  for (int a = 0; a < 3; ++a) {
    double middle = double(pose.translation[a]), half = 0;
    for (int b = 0; b < 3; ++b) {
      const double along = double(pose.rotation[a][b]), cells = double(map.grid.n[b]);
      middle += along * (double(map.grid.first[b]) + 0.5 * (cells - 1) * double(map.grid.step[b]));
      half += std::abs(along) * 0.5 * (cells + 1) * double(map.grid.step[b]);
    }
    low[a] = 0, n[a] = grid.n[a];
    if (!(grid.step[a] > 0)) continue;
    const auto cell = [&](double x) {
      const double at = (x - double(grid.first[a])) / double(grid.step[a]);
      return Index(std::clamp(at, -1.0, double(grid.n[a])));
    };
    low[a] = std::max(cell(middle - half), Index(0));
    n[a] = std::max(std::min(cell(middle + half) + 1, grid.n[a] - 1) + 1 - low[a], Index(0));
  }
}

}  // namespace

PlacedSolid place_solid(const GridView& grid, const SolidMap& map, const boundary::Pose& pose,
                        SolidId which) {
  PlacedSolid s{map, pose, which, {}, {}};
  find_reach(grid, map, pose, s.low, s.n);
  return s;
}

void take_nearest(const Exec& ex, const GridView& grid, Span<const PlacedSolid> solids,
                  const Blocks& blocks, Span<Real> distance, Span<SolidId> nearest) {
  const TakeNearest body{grid, solids.data, blocks, distance, nearest};
  const Index n = blocks.first.size - 1;
  if (!ex.cpu_shaped())
    return parallel_for(ex, "grid.solids", n * block_side * block_side * block_side, body);
  parallel_chunks(ex, "grid.solids", n, 16, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) body.of_block(b);
  });
}

void take_nearer_surface(const Exec& ex, const GridView& grid, const MovingSurface& surface,
                         Real band, const Index (&low)[3], const Index (&n)[3], SolidId which,
                         Span<std::int8_t> winding, Span<Real> distance, Span<SolidId> nearest,
                         Span<Vec<3>> velocity) {
  parallel_for(
      ex, "grid.solids", n[1] * n[2],
      WindingOfLines{grid, surface.mesh, {low[0], low[1], low[2]}, {n[0], n[1], n[2]}, winding});
  parallel_for(ex, "grid.solids", n[0] * n[1] * n[2],
               TakeNearerSurface{grid,
                                 surface,
                                 band,
                                 which,
                                 distance,
                                 nearest,
                                 velocity,
                                 winding,
                                 {low[0], low[1], low[2]},
                                 {n[0], n[1], n[2]}});
}

}  // namespace rtsim::grid
