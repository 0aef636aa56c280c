#include "grid/solids.h"

#include <algorithm>
#include <cmath>

#include "exec/parallel.h"
#include "grid/take_nearest.h"
#include "grid/winding.h"

namespace rtsim::grid {

namespace {

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
  if (!ex.cpu_shaped())
    return parallel_for(ex, "grid.solids",
                        (blocks.first.size - 1) * block_side * block_side * block_side, body);
  take_nearest_lines(ex, body);
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
